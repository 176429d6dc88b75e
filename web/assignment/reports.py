"""A report as pages show it: a tile for each question, and its failing cases by their cause."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.definition.comparators import Comparator, Exact
from grader.definition.model import Definition
from grader.grading.causes import Diagnosis, diagnosis
from grader.grading.report import CaseResult, QuestionReport, Report
from grader.grading.value_marks import Marks, value_marks


@dataclass(frozen=True, slots=True)
class Tile:
    """How much of a question passed, in whole percent, rounded down; `state` is `ok` if all did, `part` or `bad`."""

    slug: str
    percent: int
    state: str


@dataclass(frozen=True, slots=True)
class Reported:
    """A report to be shown, of the file of that name."""

    report: Report
    filename: str
    diagnosis: Diagnosis
    comparators: Mapping[str, Comparator] = field(default_factory=dict)

    @property
    def tiles(self) -> list[Tile]:
        """One for each question."""
        return [_tile(question) for question in self.report.questions]

    @property
    def failed(self) -> int:
        """The number of cases that did not pass, whether they were run or not."""
        return sum(question.total - question.passed for question in self.report.questions)

    def marks_of(self, question: QuestionReport, case: CaseResult) -> tuple[Marks, Marks]:
        """Where the expected value and the one returned differ, see `value_marks`."""
        return value_marks(case.expected, case.got, self.comparators.get(question.slug, Exact()))


def reported(report: Report, filename: str, definition: Definition | None) -> Reported:
    """A report as `_parts/report.html` shows it. `definition` knows how values are compared; exactly without one."""
    functions = definition.functions if definition else ()
    return Reported(report, filename, diagnosis(report), {each.slug: each.comparator for each in functions})


def _tile(question: QuestionReport) -> Tile:
    percent = 100 * question.passed // question.total if question.total else 100
    return Tile(question.slug, percent, "ok" if percent == 100 else "part" if question.passed else "bad")
