"""API operations for leaderboards, games and their records, replays as files that a browser plays without the site, and
brackets."""

from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from typing import Literal

from flask import Response, current_app, request, url_for
from pydantic import Field, RootModel
from werkzeug.exceptions import NotFound

from tournament.bracket.brackets import BracketStanding, BracketState
from tournament.bracket.draw import Match, MatchState, round_title
from tournament.ladder.standings import Standing, games_of
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.store.tables import Entry, EntryState, Ranking, Tournament
from web.api.operations import Model, StudentJson, TournamentSummary, json_body, operation
from web.board import bracket
from web.overview.standings import board_of
from web.practice.api import must_be_played
from web.replay.frames import file_of, rules_of, showing_of
from web.replay.offline import ReplayFile, own_tests, replay_page
from web.site import access, insides, roles
from web.site.access import seen_people
from web.site.inputs import LARGEST_ID
from web.site.insides import Seated
from web.site.models import User
from web.site.store import fresh, read
from web.submission.reports import offence_seen

MEDIA = "text/html"


class Row(Model):
    """A line of the leaderboard. Win rates are between 0 and 1, or null before the first game."""

    rank: int | None = Field(description="null for house bots, entries that are out, and before the first game")
    rank_interval: tuple[int, int] | None = Field(description="the best and the worst rank that it may have (95%)")
    tied: tuple[int, int] | None = Field(description="the ranks that the games so far cannot tell apart from this one")
    group: int | None = Field(description="1 for those who cannot be told apart from the best, 2 for the next group, …")
    entry_id: int
    name: str
    house_bot: bool
    mine: bool
    version: int
    entered_at: datetime
    games: int
    wins: int
    win_rate: float | None
    win_rate_low: float | None = Field(description="end of the 95% interval")
    win_rate_high: float | None
    value: float | None = Field(description="what the tournament ranks by: win rate, mean place or mean points")
    value_low: float | None = Field(description="end of its 95% interval; null where that is not known yet")
    value_high: float | None
    rating: float | None = Field(description="Plackett–Luce rating; the average is 1500. Ranks do not depend on it")
    errors: int = Field(description="games lost by an invalid play")
    state: EntryState
    provisional: bool
    student: StudentJson | None = Field(description="for instructors only")


class TrustJson(Model):
    """How far ranks can be trusted. After as many games as a typical player has played, a rank is accurate to about ±
    `places`, and `groups` is how many groups of players can be told apart."""

    games: int
    places: int
    groups: int


class Leaderboard(Model):
    tournament: TournamentSummary
    ranking: Ranking = Field(description="what `value` is")
    trust: TrustJson | None = Field(description="null while fewer than three players are ranked")
    rows: list[Row]


class GameSeat(Model):
    """A seat of a game. `message` is empty unless the player is yours or everybody may see the message."""

    seat: int
    entry_id: int
    name: str
    place: int
    points: float
    counts: bool = Field(description="whether the game is in this entry's standings")
    verdict: str | None = Field(description="why this seat was disqualified")
    rule: str
    message: str


class GameJson(Model):
    id: int
    ended: str
    plays: int
    played_at: datetime
    seats: list[GameSeat]
    url: str = Field(description="its replay on the site")


class GamesJson(Model):
    games: list[GameJson] = Field(description="the latest first")
    before: int | None = Field(description="pass it as `before` to get older games; null: there are none")


class GamesQuery(Model):
    before: int | None = Field(None, ge=1, le=LARGEST_ID, description="only games before this one")
    limit: int = Field(50, ge=1, le=200, description="the most games to return")


class GameRecord(RootModel[Record]):
    """Everything that a replay needs, without the private details of other students' players."""


@operation("GET", "/tournaments/<int:tournament_id>/leaderboard", {200: Leaderboard})
def get_leaderboard(user: User, tournament_id: int) -> Leaderboard:
    """The leaderboard of a tournament. Other students appear by pseudonym; instructors see their names too."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    people = seen_people(read(), seen.viewer)
    board = board_of(read(), tournament, user.id)
    rows = [
        _row_answer(line, line.entry.author_id == user.id, people.get(line.entry.author_id or 0)) for line in board.rows
    ]
    return Leaderboard(tournament=tournament, ranking=board.ranking, trust=board.trust, rows=rows)


def _row_answer(line: Standing, mine: bool, student: User | None) -> Row:
    played = line.games > 0
    return Row.of(
        line,
        entry_id=line.entry.id,
        name=line.entry.name,
        house_bot=line.house,
        mine=mine,
        version=line.entry.version,
        entered_at=line.entry.entered_at,
        win_rate=line.win_rate if played else None,
        win_rate_low=line.low if played else None,
        win_rate_high=line.high if played else None,
        value=line.value if played else None,
        value_low=line.value_low if played and isfinite(line.value_low) else None,
        value_high=line.value_high if played and isfinite(line.value_high) else None,
        errors=line.faults,
        student=student,
    )


@operation("GET", "/entries/<int:entry_id>/games", {200: GamesJson}, query=GamesQuery)
def list_games(user: User, entry_id: int) -> GamesJson:
    """The games of an entry, latest first, including games with errors and games that do not count."""
    entry, seen = access.entry(read(), user.id, entry_id)
    query = GamesQuery.model_validate(request.args.to_dict())
    found = games_of(read(), entry.id, query.limit + 1, query.before)
    games = [
        GameJson.of(
            game,
            seats=[GameSeat.of(seat, message=insides.seen_message(seen.viewer, seat)) for seat in game.seats],
            url=url_for("game.play", game_id=game.id, number=0, _external=True),
        )
        for game in found[: query.limit]
    ]
    return GamesJson(games=games, before=games[-1].id if len(found) > query.limit else None)


@operation("GET", "/games/<int:game_id>/record", {200: GameRecord}, problems=(410,))
def get_record(user: User, game_id: int) -> GameRecord:
    """The record of a game, without the private details of other students' players."""
    game, seen = access.game(read(), user.id, game_id)
    return GameRecord(insides.seen_record(seen.viewer, game.seats, Record.unpack(insides.kept_record(game))))


@operation("GET", "/games/<int:game_id>/replay", {}, problems=(410,), media=MEDIA)
def get_replay(user: User, game_id: int) -> Response:
    """The replay of a game as one HTML file, without the private details of other students' players."""
    game, seen = access.game(read(), user.id, game_id)
    record = insides.seen_record(seen.viewer, game.seats, Record.unpack(insides.kept_record(game)))
    own = {seat.seat: seat.entry for seat in game.seats if roles.sees_inside(seen.viewer, seat.entry)}
    plays = url_for("game.play", game_id=game_id, number=0, _external=True)
    return _replay_file(record, own, f"Game {game_id}", plays[:-1], f"game-{game_id}.html")


@operation("GET", "/custom-games/<int:game_id>/replay", {}, problems=(403, 409), media=MEDIA)
def get_custom_replay(user: User, game_id: int) -> Response:
    """The replay of a custom game as one HTML file."""
    game, seen = access.custom_game(read(), user.id, game_id)
    must_be_played(game)
    own = roles.own_seats(seen.viewer, game)
    plays = url_for("custom.play", game_id=game_id, number=0, _external=True)
    record = insides.custom_record(game, own)
    return _replay_file(record, own, f"Custom game {game_id}", plays[:-1], f"custom-game-{game_id}.html")


@operation("GET", "/submissions/<int:submission_id>/trial-game/replay", {}, problems=(403,), media=MEDIA)
def get_trial_replay(user: User, submission_id: int) -> Response:
    """The replay of the trial game in which a submission was at fault, as one HTML file."""
    submission, _ = access.submission(read(), user.id, submission_id)
    found = offence_seen(read(), submission)
    plays = url_for("submission.trial_play", submission_id=submission_id, number=0, _external=True)
    title, name = f"Trial game of submission {submission_id}", f"trial-game-of-submission-{submission_id}.html"
    return _replay_file(found.record, {found.seat: submission}, title, plays[:-1], name)


def _replay_file(record: Record, own: Mapping[int, Seated], title: str, site_url: str, name: str) -> Response:
    """Build a replay file. `own` contains the seats whose private details the viewer may see; `site_url` is the start
    of the addresses of the pages that show single plays."""
    game = rules_of(record)
    showing, shown = showing_of(record, own), frames(game, record)
    files = {seat: file for seat, each in sorted(own.items()) if (file := file_of(each))}
    tests = {seat: own_tests(game, record, seat, shown, file, site_url) for seat, file in files.items()}
    page = replay_page(current_app.jinja_env, game, showing, shown, ReplayFile(title, site_url, tests))
    response = Response(page)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


BRACKET = "/tournaments/<int:tournament_id>/bracket"


class BracketSide(Model):
    """A side of a match; `entry_id` is null until an earlier match has decided which entry plays."""

    seed: int | None = Field(description="1 is the best")
    entry_id: int | None
    name: str | None
    mine: bool
    wins: int = Field(description="games won in this match")
    won: bool = Field(description="goes through")
    student: StudentJson | None = Field(description="for instructors only")


class BracketMatch(Model):
    """A match; a bye has one side."""

    state: MatchState
    sides: list[BracketSide]
    games: list[int] = Field(description="ids of the games that counted, in order")


class BracketRound(Model):
    title: str
    matches: list[BracketMatch] = Field(description="from top to bottom; two neighbours feed a match of the next round")


class BracketPlace(Model):
    """The place of an entry; entries that lose in the same round share a place."""

    place: int
    entry_id: int
    name: str


class Bracket(Model):
    """The latest elimination bracket that was held on a tournament's standings."""

    tournament: TournamentSummary = Field(description="on whose standings it was seeded")
    id: int | None = Field(description="of the bracket's own tournament; null: none was held yet, so this is a preview")
    state: BracketState | None = Field(description="null before the first one")
    best_of: int | None = Field(description="games of a match; it ends when a side has won more than half of them")
    champion: BracketPlace | None
    rounds: list[BracketRound] = Field(description="the final last; empty if fewer than two students have entered")
    places: list[BracketPlace] = Field(description="those whose place is settled, the best first")


class NewBracket(Model):
    """A new bracket."""

    best_of: int = Field(3, description="games of a match, an odd number")


class BracketAction(Model):
    """What to do with the bracket that is being played."""

    do: Literal["pause", "resume", "abort"]


@operation("GET", BRACKET, {200: Bracket})
def get_bracket(user: User, tournament_id: int) -> Bracket:
    """The latest bracket held on a tournament's standings. Before the first bracket, this shows how the current
    standings would seed one."""
    return _bracket(user, tournament_id)


@operation("POST", BRACKET, {201: Bracket}, body=NewBracket, problems=(403, 409))
def hold_bracket(user: User, tournament_id: int) -> tuple[Bracket, int, dict[str, str]]:
    """Hold a bracket, seeded by the current standings; for instructors."""
    _check_teaching(user, tournament_id)
    given = json_body(NewBracket)
    bracket.hold_bracket(tournament_id, given.best_of)
    return _bracket(user, tournament_id), 201, {}


@operation("POST", f"{BRACKET}/action", {200: Bracket}, body=BracketAction, problems=(403, 409))
def act_on_bracket(user: User, tournament_id: int) -> Bracket:
    """Pause, resume or abort the bracket that is being played; for instructors."""
    _check_teaching(user, tournament_id)
    given = json_body(BracketAction)
    bracket.act_on_bracket(tournament_id, given.do)
    return _bracket(user, tournament_id)


def _check_teaching(user: User, tournament_id: int) -> None:
    _check_for_two(access.taught_tournament(read(), user.id, tournament_id)[0])


def _check_for_two(tournament: Tournament) -> None:
    if not bracket.for_two(tournament):
        raise NotFound("Brackets are held on ladders of games for two players. This tournament is not one.")


def _bracket(user: User, tournament_id: int) -> Bracket:
    with fresh() as session:
        tournament, seen = access.tournament(session, user.id, tournament_id)
        _check_for_two(tournament)
        shown = bracket.bracket_of(session, tournament)
        people = seen_people(session, seen.viewer)
        return Bracket(
            tournament=tournament,
            id=shown.draw.tournament_id if shown.draw else None,
            state=shown.state,
            best_of=shown.draw.best_of if shown.draw else None,
            champion=_place_answer(1, shown.champion) if shown.champion else None,
            rounds=[
                BracketRound(
                    title=round_title(len(matches)),
                    matches=[_match_answer(shown.standing, each, user, people) for each in matches],
                )
                for matches in shown.standing.rounds
            ],
            places=[_place_answer(place, entry) for place, entry in shown.results],
        )


def _match_answer(standing: BracketStanding, match: Match, user: User, people: Mapping[int, User]) -> BracketMatch:
    sides = [_side(standing, match, number, user, people) for number in range(len(bracket.sides(match)))]
    return BracketMatch(state=match.state, sides=sides, games=bracket.counted(standing, match))


def _place_answer(place: int, entry: Entry) -> BracketPlace:
    return BracketPlace.of(entry, place=place, entry_id=entry.id)


def _side(standing: BracketStanding, match: Match, number: int, user: User, people: Mapping[int, User]) -> BracketSide:
    seed = match.sides[number]
    entry = None if seed is None else standing.entries[seed]
    student = people.get(entry.author_id or 0) if entry else None
    return BracketSide(
        seed=None if seed is None else seed + 1,
        entry_id=entry.id if entry else None,
        name=entry.name if entry else None,
        mine=entry is not None and entry.author_id == user.id,
        wins=match.wins[number],
        won=seed is not None and seed == match.winner,
        student=student,
    )
