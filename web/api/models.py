"""What the API takes and answers. `openapi.json` is made from these models."""

from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.config import JsonDict

from grader.definition.model import Counts
from grader.definition.question import Gate
from grader.grading.report import Report
from tournament.play.record import Record
from tournament.store.jobs import JobState
from tournament.store.tables import EntryState, Ranking, TournamentState
from web.assignment.games.trials import State as TrialState
from web.models import Role, User
from web.site.inputs import LARGEST_ID


class Model(BaseModel):
    """The base of all models: nothing is answered or taken that is not described."""

    model_config = ConfigDict(extra="forbid", model_title_generator=lambda model: public_name(model.__name__))


def public_name(name: str) -> str:
    """The name of a model in the document. A model ends in `Json` if its name belongs to a class of another room."""
    return name.removesuffix("Json")


class CourseJson(Model):
    slug: str
    title: str
    time_zone: str = Field(description="IANA name of the time zone of the course’s dates")


class TournamentSummary(Model):
    id: int
    title: str
    game: str
    state: TournamentState
    season_ended: datetime | None = Field(None, description="when this season of a ladder ended; null: it is running")


class QuestionJson(Model):
    """A question of an assignment."""

    slug: str
    title: str
    points: float
    function: str = Field("", description="the function that is written; empty for a program")
    language: str = Field("", description="the language of the program that is written, such as cpp17")
    given: list[str] = Field([], description="the files that are handed out with a program")
    required: list[str] = Field([], description="the files that an upload of the program must have")


class AssignmentJson(Model):
    """An assignment of one of your courses."""

    id: int
    slug: str
    title: str
    game: str = Field(description="empty for a plain problem set, whose points are those of the reports")
    version: int = Field(description="the number of its latest version")
    counts: Counts = Field(description="which of the uploads in time counts for the points")
    due_at: datetime | None = Field(
        description="your own deadline, to staff that for everybody; with the offset of the course’s time zone"
    )
    cut_off_at: datetime | None = Field(description="when your uploads end, if a date is set for that")
    course: CourseJson
    role: Role = Field(description="what you are in its course")
    tournament: TournamentSummary | None = Field(description="the standard tournament")
    tournaments: list[TournamentSummary] = Field(description="the standard tournament, then any others")
    former_seasons: list[TournamentSummary] = Field(description="of its ladders, the latest first")
    excluded_s: int = Field(description="seconds until an upload can enter again; 0: now")
    questions: list[QuestionJson] = Field(description="those that are graded, in order")
    gates: dict[str, Gate] = Field(description="by question, what must pass before a player may enter")
    trial_games: int = Field(description="games against house bots before an entry; 0: none")


class Assignments(Model):
    assignments: list[AssignmentJson]


SOURCE: JsonDict = {"pattern": r"^(?:[^\u0000\r]|\r\n)*[^\u0000\t\n\v\f\r \ufeff](?:[^\u0000\r]|\r\n)*$"}
"""The text of a file; anything else is refused by `grader.uploads`, in words for a student."""

TYPED: JsonDict = {"pattern": r"^[^\u0000]*$"}
"""A text that can be stored."""

SAID: JsonDict = {"pattern": r"^[^\u0000]*\S[^\u0000]*$"}
"""A text that is neither empty nor only spaces."""


class SourceUpload(Model):
    """A player as text."""

    source: str = Field(description="the text of the Python file", json_schema_extra=SOURCE)
    filename: str = Field("player.py", max_length=200)
    enter: bool = Field(False, description="enter it in each tournament that it qualifies for")


class FileUpload(Model):
    """A player as a file of a form. Of an assignment that asks for programs: one part `file` for each file, or a zip of
    them."""

    file: str = Field(json_schema_extra={"contentMediaType": "text/x-python", **SOURCE})
    enter: Literal["true", "false"] = "false"
    incomplete: Literal["true", "false"] = Field("false", description="of programs: upload even if files are missing")


class SubmittedFile(Model):
    path: str
    size: int = Field(description="in bytes")
    sha256: str
    text: str


class SubmissionFiles(Model):
    """The files of a submission. The lists of paths are for programs; with another version of the assignment than that
    of the report they may differ from what the report says."""

    files: list[SubmittedFile]
    missing: list[str] = Field(description="files that the assignment asks for and that are not there")
    replaced: list[str] = Field(description="files instead of which those handed out are used, since they differ")
    unexpected: list[str] = Field(description="files that the assignment does not ask for, and that are not used")
    unchanged: list[str] = Field(description="files that are as they were handed out and were to be completed")


class ProgressJson(Model):
    """The progress of a grading, in cases. Those not run count as `done`; `failed` and `not_run` are visible ones."""

    done: int
    total: int
    failed: int
    not_run: int = 0


class OutcomeJson(Model):
    """What became of a submission in one of its assignment's tournaments."""

    tournament_id: int
    title: str = Field(description="of the tournament")
    qualifies: bool = Field(description="also false while it is not graded")
    entry_id: int | None
    note: str = Field(description="why it was not entered; else empty")
    entering: bool = Field(False, description="it enters by itself when its trial games are over")
    excluded_s: int = Field(0, description="seconds until its author can enter it there; 0: now, or it has entered")


class TrialGames(Model):
    """The games against house bots that a submission plays before it enters. They never count."""

    state: TrialState = Field(description="parked: an internal error; it can be started again")
    played: int = Field(description="games that are over")
    games: int = Field(description="games in all")
    waiting_before: int = Field(description="other players whose trial games come first")
    verdict: str | None = Field(description="of the fault in the last game played, if it failed")
    rule: str = Field(description="the rule that was broken, if one was")
    message: str = Field(description="what was wrong, or why games were left out; else empty")
    call: str
    got: str
    replay_url: str | None = Field(description="the page of the game in which it failed")


class TournamentQuery(Model):
    """The tournament that a request is about."""

    tournament: int | None = Field(
        None, ge=1, le=LARGEST_ID, description="the tournament's id; without it, the standard tournament"
    )


class SubmissionJson(Model):
    """An upload. Its report is there when `state` is `done`."""

    id: int
    assignment_id: int
    filename: str
    sha256: str = Field(description="of the Python file; of an empty one for a submission of programs only")
    needs: list[str] = Field(description="the languages that a worker must have to grade it")
    state: JobState
    position: int | None = Field(description="1 is graded next; null when it is not waiting")
    progress: ProgressJson | None = Field(description="while it is graded")
    uploaded_at: datetime
    finished_at: datetime | None
    regraded_at: datetime | None = Field(description="when it was graded again; the report is the newest")
    qualifies: bool | None = Field(description="for the standard tournament")
    points: float | None
    version: int | None = Field(description="of the assignment, with which the report was made; null before that")
    wants_entry: bool
    entry_id: int | None = Field(description="its entry in the standard tournament")
    note: str = Field(description="why it was not entered there, or could not be graded; else empty")
    trial_games: TrialGames | None = Field(None, description="null before it qualifies, and where none are played")
    outcomes: list[OutcomeJson] = Field(description="one for each tournament of the assignment, the standard one first")
    comments: int = Field(description="of staff, on its lines")
    new_comments: int = Field(description="those in a notice that its author has not read")
    url: str = Field(description="its page on the site")


class Submissions(Model):
    submissions: list[SubmissionJson]


class SubmissionReport(RootModel[Report]):
    """The report: all examples, and what each question shows of the hidden cases that failed. Those under `NOT_RUN` in
    `verdicts` were not run, for the reason in `stopped`; they count as not passed. `verdicts` lacks hidden cases whose
    verdict is not shown. A question that asks for a program has a `build`, and cases that were run have a `run`."""


class StudentJson(Model):
    """A student, named to instructors only."""

    login: str
    name: str

    @classmethod
    def of(cls, person: User | None) -> Self | None:
        """The person; None for nobody, and for a person who is no longer in the course."""
        return cls(login=person.login, name=person.name) if person else None


class Row(Model):
    """A line of the leaderboard. Win rates are between 0 and 1, null before the first game."""

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
    """With the games of a typical player so far, a rank is good to about ± `places`; `groups` can be told apart."""

    games: int
    places: int
    groups: int


class Leaderboard(Model):
    tournament: TournamentSummary
    ranking: Ranking = Field(description="what `value` is")
    trust: TrustJson | None = Field(description="null while fewer than three players are ranked")
    rows: list[Row]


class GameSeat(Model):
    """A seat of a game. `message` is empty unless everybody may see it or the player is yours."""

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
    """Everything that a replay needs, without the insides of other students' players."""
