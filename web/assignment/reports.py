"""A report as pages show it: a tile for each question, and its failing cases by their cause."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from grader.comparing.comparators import AnyOf, Exact
from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.grading.causes import Diagnosis, diagnosis
from grader.grading.report import CaseResult, QuestionReport, Report
from grader.grading.typed_calls import typed_call
from grader.grading.value_marks import Marks, value_marks
from grader.store.models import Submission
from sandbox.api import SentBytes
from web.site.assets import game_if_any


@dataclass(frozen=True, slots=True)
class Tile:
    """How much of a question passed, in whole percent, rounded down; `state` is `ok` if all did, `part` or `bad`."""

    slug: str
    percent: int
    state: str


@dataclass(frozen=True, slots=True)
class Reported:
    """A report to be shown, of the file of that name. `functions`: the questions that ask for a function, by slug, as
    far as they are known; `typed` makes a call one that its author can type."""

    report: Report
    filename: str
    diagnosis: Diagnosis
    functions: Mapping[str, FunctionQuestion]
    typed: Callable[[str], str]

    @property
    def tiles(self) -> list[Tile]:
        """One for each question."""
        return [_tile(question) for question in self.report.questions]

    @property
    def failed(self) -> int:
        """The number of cases that did not pass, whether they were run or not."""
        return sum(question.total - question.passed for question in self.report.questions)

    def written_of(self, question: QuestionReport) -> str:
        """The name of what the student writes for a question."""
        asked = self.functions.get(question.slug)
        return asked.written if asked else question.function

    def offers_several(self, question: QuestionReport) -> bool:
        """Whether what is expected lists several right answers."""
        asked = self.functions.get(question.slug)
        return asked is not None and isinstance(asked.comparator, AnyOf)

    def call_of(self, case: CaseResult) -> str:
        """The call of a case as its author can type it."""
        return self.typed(case.call)

    def marks_of(self, question: QuestionReport, case: CaseResult) -> tuple[Marks, Marks]:
        """Where the expected value and the one returned differ, see `value_marks`."""
        asked = self.functions.get(question.slug)
        return value_marks(case.expected, case.got, asked.comparator if asked else Exact())


def reported(
    report: Report, filename: str, definition: Definition | None, typed: Callable[[str], str] = str
) -> Reported:
    """A report as `_parts/report/report.html` shows it. `definition` knows how values are compared; without it they are
    compared exactly."""
    functions = {each.slug: each for each in definition.functions} if definition else {}
    return Reported(report, filename, diagnosis(report), functions, typed)


def typed_by(submission: Submission) -> Callable[[str], str]:
    """What makes a call in its report one that its author can type."""
    game = game_if_any(submission.assignment.game)
    if not game or not game.guest.typed:
        return str
    return partial(typed_call, typed=game.guest.typed, source=SentBytes(submission.player.source))


def _tile(question: QuestionReport) -> Tile:
    percent = 100 * question.passed // question.total if question.total else 100
    percent = max(percent, 1 if question.passed else 0)
    return Tile(question.slug, percent, "ok" if percent == 100 else "part" if question.passed else "bad")
