"""The games of an entry, and the record of one."""

from flask import request, url_for

from tournament.ladder.standings import ListedGame, ListedSeat, games_of
from tournament.play.record import Record
from web.api import models
from web.api.operations import operation
from web.models import User
from web.site.rights import access, insides
from web.site.store import read


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
