"""Leaderboards, the games of an entry, and the record of one."""

from dataclasses import asdict
from math import isfinite

from flask import request, url_for

from tournament.ladder.standings import ListedGame, ListedSeat, Standing, games_of
from tournament.play.record import Record
from web.api import models
from web.api.assignment.assignments import summary
from web.api.operations import operation
from web.assignment.overview import seen_people
from web.board.leaderboard import board_of
from web.models import User
from web.site.rights import access, insides
from web.site.store import read


@operation("GET", "/tournaments/<int:tournament_id>/leaderboard", {200: models.Leaderboard})
def get_leaderboard(user: User, tournament_id: int) -> models.Leaderboard:
    """The leaderboard of a tournament: other students by pseudonym, for instructors with names."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    people = seen_people(read(), seen.viewer)
    board = board_of(read(), tournament, user.id)
    rows = [_row(line, line.entry.author_id == user.id, people.get(line.entry.author_id or 0)) for line in board.rows]
    trust = board.trust and models.TrustJson(**asdict(board.trust))
    return models.Leaderboard(tournament=summary(tournament), ranking=board.ranking, trust=trust, rows=rows)


def _row(line: Standing, mine: bool, student: User | None) -> models.Row:
    return models.Row(
        rank=line.rank,
        rank_interval=line.rank_interval,
        tied=line.tied,
        group=line.group,
        entry_id=line.entry.id,
        name=line.entry.name,
        house_bot=line.house,
        mine=mine,
        version=line.entry.version,
        entered_at=line.entry.entered_at,
        games=line.games,
        wins=line.wins,
        win_rate=line.win_rate if line.games else None,
        win_rate_low=line.low if line.games else None,
        win_rate_high=line.high if line.games else None,
        value=line.value if line.games else None,
        value_low=line.value_low if line.games and isfinite(line.value_low) else None,
        value_high=line.value_high if line.games and isfinite(line.value_high) else None,
        rating=line.rating,
        errors=line.faults,
        state=line.state,
        provisional=line.provisional,
        student=models.StudentJson.of(student),
    )


@operation("GET", "/entries/<int:entry_id>/games", {200: models.GamesJson}, query=models.GamesQuery)
def list_games(user: User, entry_id: int) -> models.GamesJson:
    """The games of an entry, the latest first, including those with errors and those that do not count."""
    entry, seen = access.entry(read(), user.id, entry_id)
    query = models.GamesQuery.model_validate(request.args.to_dict())
    found = games_of(read(), entry.id, query.limit + 1, query.before)
    games = [_game(each, seen.viewer) for each in found[: query.limit]]
    return models.GamesJson(games=games, before=games[-1].id if len(found) > query.limit else None)


@operation("GET", "/games/<int:game_id>/record", {200: models.GameRecord})
def get_record(user: User, game_id: int) -> models.GameRecord:
    """The record of a game, without the insides of other students' players."""
    game, seen = access.game(read(), user.id, game_id)
    return models.GameRecord(insides.seen_record(seen.viewer, game.seats, Record.unpack(game.record)))


def _game(game: ListedGame, viewer: access.Viewer) -> models.GameJson:
    return models.GameJson(
        id=game.id,
        ended=game.ended,
        plays=game.plays,
        played_at=game.played_at,
        seats=[_seat(seat, viewer) for seat in game.seats],
        url=url_for("game.play", game_id=game.id, number=0, _external=True),
    )


def _seat(seat: ListedSeat, viewer: access.Viewer) -> models.GameSeat:
    return models.GameSeat(
        seat=seat.seat,
        entry_id=seat.entry_id,
        name=seat.name,
        place=seat.place,
        points=seat.points,
        counts=seat.counts,
        verdict=seat.verdict,
        rule=seat.rule,
        message=insides.seen_message(viewer, seat),
    )
