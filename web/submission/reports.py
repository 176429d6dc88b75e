"""A report as pages show it: a tile for each question, its failing cases by their cause, and links to lines of code and
to the cases as tests; and the trial games of the report's submission."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from flask import request, url_for
from markupsafe import Markup
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.comparing.comparators import Exact
from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.grading.case_words import worded
from grader.grading.causes import Diagnosis, diagnosis
from grader.grading.messages import typed_call
from grader.grading.report import QuestionReport, Report, unloadable
from grader.grading.unit_tests import offered
from grader.grading.value_marks import Marks, value_marks
from grader.programs.shown import CaseResult
from grader.store.models import Submission
from grader.submissions.submit import files_of
from sandbox.api import SentBytes, Verdict
from tournament.games.api import AtHome, at_home
from tournament.play.home_tests import can_repeat
from tournament.practice import trials
from tournament.practice.trials import Offence
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Trial
from tournament.work.backlog import usual_wait_s
from tournament.work.workers import workers
from web.replay.frames import end_of
from web.site import assets
from web.site.access import Seen
from web.site.assets import game_if_any
from web.site.insides import with_filenames
from web.site.languages import said
from web.site.pages import Shelf, page_about
from web.submission.reading import line_address

NEVER_RUN: Final = {Verdict.SYNTAX.value, Verdict.MISSING.value}
"""The verdicts of cases that could not be run."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The share of a question's cases that passed, in percent, rounded down. `state` is `ok` if all passed, `part` if
    some did, `bad` if none did."""

    slug: str
    percent: int
    state: str


@dataclass(frozen=True, slots=True)
class Reported:
    """A report to be shown, about a file with the name `filename`. `functions` are the function questions that are
    known, by slug. `typed` turns a call into one that its author can type."""

    report: Report
    filename: str
    diagnosis: Diagnosis
    functions: Mapping[str, FunctionQuestion]
    typed: Callable[[str], str]

    @property
    def tiles(self) -> list[Tile]:
        """A tile for each question."""
        return [_tile(question) for question in self.report.questions]

    @property
    def failed(self) -> int:
        """The number of cases that did not pass, whether they were run or not."""
        return sum(question.total - question.passed for question in self.report.questions)

    def could_run(self, question: QuestionReport) -> bool:
        """Whether a question's cases could be run: the file can be loaded, and has the function."""
        return not (question.verdicts.keys() <= NEVER_RUN or unloadable(self.report))

    def written_of(self, question: QuestionReport) -> str:
        """Return the name of what the student has to write for a question."""
        asked = self.functions.get(question.slug)
        return asked.written if asked else question.function

    def offers_several(self, question: QuestionReport) -> bool:
        """Whether the expected value of a question's cases lists several right answers."""
        asked = self.functions.get(question.slug)
        return asked is not None and asked.comparator.several

    def call_of(self, case: CaseResult) -> str:
        """Return the call of a case as its author can type it."""
        return self.typed(case.call)

    def marks_of(self, question: QuestionReport, case: CaseResult) -> tuple[Marks, Marks]:
        """Return where the expected value and the returned value differ; see `value_marks`."""
        asked = self.functions.get(question.slug)
        return value_marks(case.expected, case.got, asked.comparator if asked else Exact())


def report_to_show(
    report: Report, filename: str, definition: Definition | None, typed: Callable[[str], str] = str
) -> Reported:
    """Return a report for the template `submission/_report.html`. `definition` says how values are compared, and which
    game it is; without it, values are compared exactly."""
    functions = {each.slug: each for each in definition.functions} if definition else {}
    report = worded(report, game_if_any(definition.game) if definition else None)
    return Reported(report, filename, diagnosis(report), functions, typed)


def typed_by(submission: Submission) -> Callable[[str], str]:
    """Return a function that turns the calls in a submission's report into calls that its author can type."""
    game = game_if_any(submission.assignment.game)
    if not game or not game.guest.typed:
        return str
    return partial(typed_call, typed=game.guest.typed, source=SentBytes(submission.player.source))


def _tile(question: QuestionReport) -> Tile:
    percent = 100 * question.passed // question.total if question.total else 100
    percent = max(percent, 1 if question.passed else 0)
    return Tile(question.slug, percent, "ok" if percent == 100 else "part" if question.passed else "bad")


State: TypeAlias = Literal["waiting", "playing", "passed", "failed", "parked"]

PLAYING = "ladder"
"""The name of the queue of the workers that play."""


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """Trial games as a page shows them. While they wait, `before` is the number of trials ahead of them, `nobody` says
    that no worker can play them, and `takes_s` is how long trials have taken recently, including the wait, if that
    is known."""

    trial: Trial
    offence: Offence | None
    before: int
    nobody: bool
    takes_s: float | None = None

    @property
    def state(self) -> State:
        """The state of the trial games; `parked` after an internal error."""
        if self.trial.state in PENDING:
            return "playing" if self.trial.state is JobState.RUNNING or self.trial.played else "waiting"
        return "parked" if self.trial.state is JobState.PARKED else "failed" if self.offence else "passed"

    @property
    def testable(self) -> bool:
        """Whether the student can repeat the offence on their own computer."""
        return self.offence is not None and can_repeat(self.offence.note)

    @property
    def table(self) -> dict[str, Any]:
        """The values with which the template draws the table at the offence."""
        return end_of(self.offence.record) if self.offence else {}

    @property
    def pending(self) -> bool:
        """Whether the trial games are still waiting or running."""
        return self.trial.state in PENDING


def shown_trial(session: Session, submission: Submission) -> ShownTrial | None:
    """Return the trial games of a submission's file; None if it has none."""
    if submission.state is not JobState.DONE or not submission.qualifies:
        return None
    trial = trials.trial_of(session, submission.assignment_id, submission.player_id)
    if trial is None:
        return None
    before, nobody = 0, False
    if trial.state in PENDING:
        before = trials.before(session, trial)
        nobody = not any(each.queue == PLAYING and not each.problem(now()) for each in workers(session))
    shown = ShownTrial(trial, _offence_of(trial, submission), before, nobody)
    return replace(shown, takes_s=usual_wait_s(session, Trial)) if shown.state == "waiting" else shown


def offence_seen(session: Session, submission: Submission) -> Offence:
    """Return the game in which the submission's file was at fault. Raises NotFound if there is none."""
    trial = trials.trial_of(session, submission.assignment_id, submission.player_id)
    found = _offence_of(trial, submission) if trial else None
    if found is None:
        raise NotFound("This submission was not at fault in any trial game.")
    return found


def _offence_of(trial: Trial, submission: Submission) -> Offence | None:
    """Return the game in which the file was at fault, with the label of the file's seat in the reader's language, and
    the file's name in tracebacks."""
    found = trials.offence_of(trial)
    if found is None:
        return None
    seats = [said(each) if each == trials.LABEL else each for each in found.record.seats]
    record = with_filenames(replace(found.record, seats=seats), lambda _: submission)
    return replace(found, record=record, note=record.fault_of(found.seat) or record.faults[0])


REPORTS = Shelf("reports", 64)


def shown_report(submission: Submission, seen: Seen, graded: Definition, report: Report) -> Markup:
    """Return the report as HTML, created once for all viewers who see the same content. While trial games are played,
    the page is requested again and again, and rendering the report would take a third of the time of each request."""

    def make() -> Markup:
        found = report_to_show(report, submission.filename, graded, typed_by(submission))
        more = {"reported": found, "test_of": partial(_test_of, submission, graded), "at_line": _links_of(submission)}
        return Markup(page_about("submission/_report.html", seen, **more))  # noqa: S704  # a template's

    stored, assignment = sha256(submission.report or b"").digest(), seen.assignment
    of = (submission.id, submission.filename, submission.player_id, stored, graded.digest)
    return REPORTS.kept(make, *of, assignment.game, assignment.version, seen.viewer.staff, request.script_root)


def function_of(definition: Definition, slug: str) -> FunctionQuestion | None:
    """Return the question with that slug, if it asks for a function."""
    return next((each for each in definition.functions if each.slug == slug), None)


def home_of(definition: Definition) -> AtHome | None:
    """Return the game's own information about running its cases on a student's computer."""
    game = assets.game_if_any(definition.game)
    return at_home(game) if game else None


def _test_of(submission: Submission, definition: Definition, asked: QuestionReport, case: CaseResult) -> str | None:
    """Return the address where a case can be downloaded as a test; None if the case cannot be run on a student's own
    computer."""
    question = function_of(definition, asked.slug)
    if question is None or not offered(question, case, home_of(definition)):
        return None
    number = asked.cases.index(case)
    return url_for("submission.case_test", submission_id=submission.id, slug=asked.slug, number=number)


def _links_of(submission: Submission) -> Callable[..., str]:
    """Return a function that returns the address of a line, or "" for a file that was not uploaded, such as one that
    was handed out."""
    files = cache(partial(files_of, submission))  # read lazily: most reports name no file
    return lambda line, path="": line_address(submission.id, line, path) if not path or path in files() else ""
