"""What the API takes and answers about comparisons and custom games."""

from datetime import datetime

from pydantic import Field, RootModel

from tournament.play.record import Record
from tournament.practice.batches import MOST_DEALS
from tournament.practice.custom_games import LARGEST_SEED
from tournament.practice.improvement import Answer
from tournament.store.jobs import JobState
from tournament.store.tables import Ranking
from web.api.models import Model
from web.site.inputs import LARGEST_ID


class CompareEstimate(Model):
    """How much better a game of the new version is, at the last look; more is better, whatever is measured."""

    pairs: int = Field(description="the number that had been played then")
    mean: float
    low: float = Field(description="end of the 95% interval; the intervals of all looks hold together")
    high: float


class ComparisonJson(Model):
    """A new version against the entered one. It goes on while `state` is `queued` or `running`."""

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


class SeatedEntry(Model):
    """An entry that is to sit in a seat, yours or another's."""

    entry: int = Field(ge=1, le=LARGEST_ID, description="an entry's id, as on the leaderboard")


class SeatedSubmission(Model):
    """A submission of yours that is to sit in a seat; it must qualify."""

    submission: int = Field(ge=1, le=LARGEST_ID, description="a submission's id")


class CustomGameRequest(Model):
    """A game to be played."""

    seats: list[SeatedEntry | SeatedSubmission] = Field(
        min_length=1, max_length=20, description="seat by seat, as many as the game has"
    )
    seed: int | None = Field(
        None, ge=0, le=LARGEST_SEED, description="fixes the deal and the players' random numbers; else one is drawn"
    )


class CustomBatchRequest(CustomGameRequest):
    """Games of the same players with several deals, to be played. Each costs one game of the quota."""

    deals: int = Field(ge=1, le=MOST_DEALS, description="how many games; the deals follow from the seed")
    rotate: bool = Field(True, description="everybody sits one seat further in each game")


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
    """A game that you asked for; it never counts. Its record is there when `state` is `done`."""

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


class BatchPlayer(Model):
    """What a player did in the `games` of a batch that say something of it: those without a fault, and its own faults,
    which are lost."""

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
    """Games that you asked for at once; they never count. They go on while `pending`."""

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


class CustomGames(Model):
    """Your own that are in no batch, the latest first."""

    games: list[CustomGameJson]
    quota: int = Field(description="the number that may be asked for in an hour")
    left: int = Field(description="the number that is left now")


class CustomGameRecord(RootModel[Record]):
    """Everything that a replay needs, without the insides of other students' players."""
