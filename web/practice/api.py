"""Games that never count: custom games, singly and in batches, and comparisons of a submission with its author's
entry."""

from datetime import datetime

from flask import request, url_for
from pydantic import Field, RootModel
from sqlalchemy.orm import Session

from grader.entering.custom_games import ChosenSeat, WantedGame, ask_for_batch, ask_for_game, compare_submission
from grader.store.models import Submission
from tournament.play.record import Record
from tournament.practice import comparisons, custom_games
from tournament.practice.comparisons import comparison_time_left_s
from tournament.practice.custom_games import LARGEST_SEED, MOST_DEALS, batch_time_left_s, batches_asked, cancel_batch
from tournament.practice.improvement import Answer
from tournament.practice.quota import games_left
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import CustomBatch, CustomGame, Ranking, Tournament, VersionComparison
from web.api.operations import Model, TournamentQuery, json_body, operation
from web.practice.batches import shown_batch
from web.practice.comparisons import shown_comparison
from web.site import access, insides, roles
from web.site.errors import ApiRefusal
from web.site.inputs import LARGEST_ID
from web.site.models import User
from web.site.pages import looked_at
from web.site.store import fresh, read, settings, write

GAMES, ONE = "/tournaments/<int:tournament_id>/custom-games", "/custom-games/<int:game_id>"
BATCHES, ONE_BATCH = "/tournaments/<int:tournament_id>/custom-batches", "/custom-batches/<int:batch_id>"


class SeatedEntry(Model):
    """An entry to seat, yours or another student's."""

    entry: int = Field(ge=1, le=LARGEST_ID, description="an entry's id, as on the leaderboard")


class SeatedSubmission(Model):
    """A submission of yours to seat; it must qualify."""

    submission: int = Field(ge=1, le=LARGEST_ID, description="a submission's id")


class CustomGameRequest(Model):
    """A custom game to play."""

    seats: list[SeatedEntry | SeatedSubmission] = Field(
        min_length=1, max_length=20, description="seat by seat, as many as the game has"
    )
    seed: int | None = Field(
        None, ge=0, le=LARGEST_SEED, description="fixes the deal and the players' random numbers; else one is drawn"
    )


class CustomSeatJson(Model):
    """A seat of a custom game; `place`, `points` and `verdict` are set once it is played."""

    seat: int
    name: str
    entry_id: int | None
    mine: bool
    place: int | None
    points: float | None
    verdict: str | None = Field(description="why this seat was disqualified")


class CustomGameJson(Model):
    """A game that you asked for; it never counts. Its record is available when `state` is `done`."""

    id: int
    tournament_id: int
    state: JobState
    seed: int
    ended: str
    seats: list[CustomSeatJson]
    asked_at: datetime
    finished_at: datetime | None
    note: str = Field(description="why it was not played; else empty")
    shared_url: str | None = Field(description="the public address of its replay; null while it is not shared")
    url: str = Field(description="its page on the site")


class CustomGames(Model):
    """Your own custom games that are in no batch, the latest first."""

    games: list[CustomGameJson]
    quota: int = Field(description="the number that may be asked for in an hour")
    left: int = Field(description="the number that is left now")


class CustomGameRecord(RootModel[Record]):
    """Everything that a replay needs, without the private details of other students' players."""


class CustomBatchRequest(CustomGameRequest):
    """Several games to play between the same players with different deals. Each costs one game of the quota."""

    deals: int = Field(ge=1, le=MOST_DEALS, description="how many games; the deals follow from the seed")
    rotate: bool = Field(True, description="everybody sits one seat further in each game")


class BatchPlayer(Model):
    """What a player did in a batch. `games` counts only games without a fault, and games that the player lost by its
    own fault."""

    name: str
    mine: bool
    games: int
    wins: int
    faults: int
    low: float = Field(description="end of the 95% interval of its share of wins")
    high: float
    mean_place: float | None
    mean_points: float | None


class CustomBatchJson(Model):
    """Games that you asked for together; they never count. While the batch is `pending`, games are still to be
    played."""

    id: int
    tournament_id: int
    seed: int
    rotate: bool
    pending: bool
    played: int
    not_played: int = Field(description="cancelled, or stopped by an internal error; they do not use up the quota")
    seconds_left: float | None = Field(
        description="until all are played, as fast as custom games were lately; null if that cannot be told"
    )
    players: list[BatchPlayer] = Field(description="as they were chosen, seat by seat in the first game")
    games: list[CustomGameJson] = Field(description="deal by deal")
    asked_at: datetime
    url: str = Field(description="its page on the site, with pictures")


class CustomBatches(Model):
    """The batches that you asked for, latest first; at most 20."""

    batches: list[CustomBatchJson]


@operation("POST", GAMES, {201: CustomGameJson}, body=CustomGameRequest, problems=(409, 429))
def ask_for_custom_game(user: User, tournament_id: int) -> tuple[CustomGameJson, int, dict[str, str]]:
    """Ask for a game between chosen players; it never counts."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    wanted = json_body(CustomGameRequest)
    with write() as session:
        game = WantedGame(user.id, [ChosenSeat(**seat.model_dump()) for seat in wanted.seats], wanted.seed)
        game_id = ask_for_game(session, settings().send, session.get_one(Tournament, tournament.id), game).id
    return _game_now(user, game_id), 201, {"Location": url_for("api.get_custom_game", game_id=game_id)}


@operation("GET", GAMES, {200: CustomGames})
def list_custom_games(user: User, tournament_id: int) -> CustomGames:
    """The games that you asked for, and the rest of your quota."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    quota = seen.assignment.custom_games_hour
    games = [_seen_custom_game(user, each) for each in custom_games.games_asked(read(), tournament.id, user.id)]
    looked_at(user.id, "custom_game", {game.id for game in games})
    left = games_left(read(), tournament, user.id, quota, now())
    return CustomGames(games=games, quota=quota, left=left)


@operation("GET", ONE, {200: CustomGameJson}, problems=(403,))
def get_custom_game(user: User, game_id: int) -> CustomGameJson:
    """The state of a custom game, and its result."""
    game, _ = access.custom_game(read(), user.id, game_id)
    looked_at(user.id, "custom_game", [game_id])
    return _seen_custom_game(user, game)


@operation("GET", f"{ONE}/record", {200: CustomGameRecord}, problems=(403, 409))
def get_custom_record(user: User, game_id: int) -> CustomGameRecord:
    """The record of a custom game that was played."""
    game, seen = access.custom_game(read(), user.id, game_id)
    must_be_played(game)
    return CustomGameRecord(insides.custom_record(game, roles.own_seats(seen.viewer, game)))


@operation("POST", f"{ONE}/share", {200: CustomGameJson}, problems=(403, 409))
def share_custom_game(user: User, game_id: int) -> CustomGameJson:
    """Give the replay of a custom game a public address that nobody can guess; the replay shows only pseudonyms."""
    return _share(user, game_id, True)


@operation("POST", f"{ONE}/unshare", {200: CustomGameJson}, problems=(403, 409))
def unshare_custom_game(user: User, game_id: int) -> CustomGameJson:
    """Remove the public address of a custom game's replay."""
    return _share(user, game_id, False)


def must_be_played(game: CustomGame) -> None:
    """Raise ApiRefusal if the game has no record yet."""
    if game.record is None:
        raise ApiRefusal(409, "This game has not been played yet. Ask again in a moment.", "not_played")


def _share(user: User, game_id: int, public: bool) -> CustomGameJson:
    game, _ = access.custom_game(read(), user.id, game_id)
    roles.asked_for(game, user.id)
    must_be_played(game)
    with write() as session:
        row = session.get_one(CustomGame, game_id, with_for_update=True)
        (custom_games.share if public else custom_games.unshare)(row)
    return _game_now(user, game_id)


def _game_now(user: User, game_id: int) -> CustomGameJson:
    with fresh() as session:
        return _seen_custom_game(user, session.get_one(CustomGame, game_id))


def _seen_custom_game(user: User, game: CustomGame) -> CustomGameJson:
    """Return a custom game as the user may see it."""
    return CustomGameJson.of(
        game,
        seats=[CustomSeatJson.of(each, name=each.label, mine=each.author_id == user.id) for each in game.seats],
        asked_at=game.queued_at,
        note=note_of(game.state, game.trouble),
        shared_url=url_for("custom.shared", token=game.share, _external=True) if game.share else None,
        url=url_for("custom.show_one", game_id=game.id, _external=True),
    )


@operation("POST", BATCHES, {201: CustomBatchJson}, body=CustomBatchRequest, problems=(409, 429))
def ask_for_custom_batch(user: User, tournament_id: int) -> tuple[CustomBatchJson, int, dict[str, str]]:
    """Ask for up to 20 games between the same players at once; each costs one game of your quota."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    body = json_body(CustomBatchRequest)
    wanted = WantedGame(user.id, [ChosenSeat(**seat.model_dump()) for seat in body.seats], body.seed)
    with write() as session:
        ladder = session.get_one(Tournament, tournament.id)
        batch_id = ask_for_batch(session, settings().send, ladder, wanted, body.deals, body.rotate).id
    return _batch_now(user, batch_id), 201, {"Location": url_for("api.get_custom_batch", batch_id=batch_id)}


@operation("GET", BATCHES, {200: CustomBatches})
def list_custom_batches(user: User, tournament_id: int) -> CustomBatches:
    """The batches that you asked for."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    batches = [_batch(read(), user, each) for each in batches_asked(read(), tournament.id, user.id)]
    looked_at(user.id, "custom_batch", {each.id for each in batches})
    return CustomBatches(batches=batches)


@operation("GET", ONE_BATCH, {200: CustomBatchJson}, problems=(403,))
def get_custom_batch(user: User, batch_id: int) -> CustomBatchJson:
    """The progress of a batch, the time until it is done, and its result so far."""
    row, _ = access.custom_batch(read(), user.id, batch_id)
    looked_at(user.id, "custom_batch", [batch_id])
    return _batch(read(), user, row)


@operation("POST", f"{ONE_BATCH}/cancel", {200: CustomBatchJson}, problems=(403,))
def cancel_custom_batch(user: User, batch_id: int) -> CustomBatchJson:
    """Cancel the games of a batch that have not begun; they do not use up your quota."""
    row, _ = access.custom_batch(read(), user.id, batch_id)
    roles.asked_for(row, user.id)
    with write() as session:
        cancel_batch(session, batch_id)
    return _batch_now(user, batch_id)


def _batch_now(user: User, batch_id: int) -> CustomBatchJson:
    with fresh() as session:
        return _batch(session, user, session.get_one(CustomBatch, batch_id))


def _batch(session: Session, user: User, row: CustomBatch) -> CustomBatchJson:
    shown = shown_batch(row)
    return CustomBatchJson.of(
        row,
        rotate=row.rotates,
        pending=shown.pending,
        played=shown.played,
        not_played=shown.off,
        seconds_left=batch_time_left_s(session, row),
        players=[BatchPlayer.of(each, name=each.label, mine=each.author_id == user.id) for each in shown.results],
        games=[_seen_custom_game(user, game) for game in row.games],
        url=url_for("batch.show", batch_id=row.id, _external=True),
    )


class CompareEstimate(Model):
    """How much better the new version does per game, as last computed. A higher value is always better, regardless of
    what is measured."""

    pairs: int = Field(description="the number that had been played then")
    mean: float
    low: float = Field(description="end of the 95% interval; the intervals of all looks hold together")
    high: float


class ComparisonJson(Model):
    """A comparison of a new version with the entered one. It continues while `state` is `queued` or `running`."""

    id: int
    submission_id: int = Field(description="the new version")
    entry_id: int = Field(description="the former version")
    tournament_id: int
    state: JobState
    ranking: Ranking = Field(description="what is compared")
    answer: Answer
    sentence: str = Field(description="the answer in plain words, with its certainty")
    estimate: CompareEstimate | None = Field(description="null before the first look")
    pairs: int = Field(description="pairs of two games each that count")
    most_pairs: int
    next_look: int
    no_contests: int = Field(description="pairs spoilt by an opponent that was disqualified")
    alike: int = Field(description="pairs in which every play was the same")
    new_wins: int
    old_wins: int
    new_faults: int = Field(description="games in which the new version was disqualified")
    old_faults: int
    note: str = Field(description="why it ended early; else empty")
    seconds_left: float | None = Field(
        description="until all pairs are played, as fast as the latest were; a clear answer ends it sooner; null "
        "if that cannot be told, 0 when it has ended"
    )
    begun_at: datetime
    finished_at: datetime | None
    url: str = Field(description="its page on the site, with the replays")


@operation(
    "POST",
    "/submissions/<int:submission_id>/comparison",
    {200: ComparisonJson},
    problems=(403, 409),
    query=TournamentQuery,
)
def compare_with_entry(user: User, submission_id: int) -> ComparisonJson:
    """Compare a submission with your entry. The same two versions are compared only once; a comparison that was
    cancelled resumes."""
    submission, _ = access.submission(read(), user.id, submission_id)
    roles.own(submission, user.id)
    where = TournamentQuery.model_validate(request.args.to_dict()).tournament
    with write() as session:
        new = session.get_one(Submission, submission_id)
        comparison_id = compare_submission(session, settings().send, new, where).id
    return _comparison_now(comparison_id)


@operation("GET", "/comparisons/<int:comparison_id>", {200: ComparisonJson}, problems=(403,))
def get_comparison(user: User, comparison_id: int) -> ComparisonJson:
    """The state of a comparison."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    looked_at(user.id, "comparison", [comparison_id])
    return _comparison(read(), row)


@operation("POST", "/comparisons/<int:comparison_id>/cancel", {200: ComparisonJson}, problems=(403,))
def cancel_comparison(user: User, comparison_id: int) -> ComparisonJson:
    """Cancel a comparison. The games that were played are kept, and it can be resumed later."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    roles.own(row, user.id)
    with write() as session:
        comparisons.cancel(session, comparison_id)
    return _comparison_now(comparison_id)


def _comparison_now(comparison_id: int) -> ComparisonJson:
    with fresh() as session:
        return _comparison(session, session.get_one(VersionComparison, comparison_id))


def _comparison(session: Session, row: VersionComparison) -> ComparisonJson:
    shown = shown_comparison(session, row)
    state = shown.state
    left = comparison_time_left_s(session, row, state) if shown.pending else (0.0, 0.0)
    counted = ("answer", "estimate", "pairs", "next_look", "no_contests", "alike")
    results = ("new_wins", "old_wins", "new_faults", "old_faults")
    return ComparisonJson.of(
        row,
        **{name: getattr(state, name) for name in counted + results},
        most_pairs=state.most,
        sentence=shown.sentence,
        note=note_of(row.state, row.trouble),
        seconds_left=left[1] if left else None,
        url=url_for("compare.show_one", comparison_id=row.id, _external=True),
    )


def note_of(state: JobState, trouble: str) -> str:
    """Return the reason why a job was not finished. Only instructors see the details of an internal error."""
    if state is JobState.PARKED:
        return "This game could not be played because of an internal error. Your instructor can see the error too."
    return trouble if state in (JobState.DONE, JobState.CANCELLED) else ""
