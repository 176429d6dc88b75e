"""The report of a submission: plain dataclasses, and functions that assemble, shorten and store them.

A stored report contains all examples and some of the hidden cases; a student sees only a part of it. A player can copy
all data that its process receives into its results: values, texts of exceptions, output, and times. Students therefore
see the full results only of processes that received no hidden case. Of the results of other processes, pages, the API,
downloadable tests and notices show only the following:

- how many hidden cases of a question passed, and the consequences: points, and whether a gate is open;
- the verdicts of the other hidden cases, and why some were not run, unless the question shows only their number;
- whether twins, which are never graded cases, or the smallest failing case are shown, if the question allows this;
- everything, if the question shows all failing cases.

Gates say which cases of each question must pass before a player can enter the assignment's tournaments. Each question
has a default gate, and instructors can choose another. A tournament that depends on a question also requires all of
that question's cases.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import version
from math import floor
from operator import attrgetter
from typing import Any, Literal

from pydantic import TypeAdapter

from grader.definition.model import Definition
from grader.definition.paper import Paper
from grader.definition.question import FunctionQuestion, Gate, ProgramQuestion, Shows, Warnings, label
from grader.programs.shown import Build, CaseResult, Event
from sandbox.api import Verdict

Gates = Mapping[str, Gate]
"""The gates of an assignment, by question."""


def gates_of(definition: Definition, chosen: Mapping[str, str] | None = None) -> Gates:
    """Return the gates of an assignment; gates in `chosen` override those of the definition."""
    return {each.slug: Gate((chosen or {}).get(each.slug, each.gate)) for each in definition.asked}


def for_tournament(gates: Gates, slug: str) -> Gates:
    """Return the gates of the tournament with this slug. If the tournament depends on a question, all cases of that
    question must pass."""
    return {question: Gate.ALL if question == slug else gate for question, gate in gates.items()}


def in_words(gates: Gates) -> str:
    """Describe the gates: `all cases of Q4 and the visible examples of Q1, Q2 and Q3`; "" if nothing must pass."""
    what = {Gate.ALL: "all cases of ", Gate.EXAMPLES: "the visible examples of "}
    slugs = {gate: [label(slug) for slug, each in gates.items() if each is gate] for gate in what}
    return enumerated([what[gate] + enumerated(found) for gate, found in slugs.items() if found])


def enumerated(items: list[str]) -> str:
    """Join items as in a sentence: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


FLOOD = (
    "Your code printed more than the limit, so the end of its output is not shown. Remove the prints that you used for "
    "testing."
)


class Sought(StrEnum):
    """Why no twin is shown for failed hidden cases. These names are used in reports and in the API."""

    NONE_FAILS = "none fails"
    """The player passes all cases that can be drawn as twins."""
    TOO_LONG = "too long"
    """There was not enough time to try all cases that can be drawn."""
    GRADED = "graded"
    """The drawn cases that the player fails are themselves graded."""


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """The result of one question. `verdicts` counts all cases, including cases that `trim` removed from `cases`; a
    student's report can lack the verdicts of hidden cases. `total` is the number of cases, run or not; `stopped`
    says why some cases were not run, and is empty if all were run. `qualifies` says whether any case of the question
    must pass before the player can enter, and `gate` says which. `gate` is None in old reports from before gates
    could be chosen; at that time all cases had to pass. `shows` says what a student sees of failed hidden cases.
    `twin` and `more_twins` are shown instead of these cases (see `grader.grading.grade`); `sought` says why there is
    no twin, and is "" if no twin was needed. `build` is the build of a program; a program question has no
    `function`."""

    slug: str
    title: str
    function: str
    passed: int
    total: int
    points: float
    max_points: float
    qualifies: bool
    verdicts: dict[str, int]
    cases: list[CaseResult]
    stopped: str = ""
    gate: Gate | None = None
    shows: Shows = Shows.ALL
    twin: CaseResult | None = None
    build: Build | None = None
    more_twins: list[CaseResult] = field(default_factory=list)
    sought: Sought | Literal[""] = ""

    @property
    def twins(self) -> list[CaseResult]:
        """All cases that are shown instead of failed hidden cases."""
        return [self.twin, *self.more_twins] if self.twin else []

    @property
    def not_run(self) -> int:
        """The number of cases that were not run."""
        return self.verdicts.get(Verdict.NOT_RUN, 0)

    @property
    def run(self) -> int:
        """The number of cases that were run."""
        return self.total - self.not_run

    @property
    def untold(self) -> int:
        """The number of cases that did not pass and whose verdicts are not shown."""
        return self.total - sum(self.verdicts.values())

    @property
    def asked(self) -> Gate:
        """Which cases of this question must pass before the player can enter."""
        return self.gate or (Gate.ALL if self.qualifies else Gate.NONE)

    @property
    def lets_in(self) -> bool:
        """Whether all cases of this question that must pass before the player can enter have passed."""
        if self.asked is Gate.EXAMPLES:
            return all(case.passed for case in self.cases if not case.hidden)
        return self.asked is Gate.NONE or self.passed == self.total


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a submission. `qualifies` is true if all gates are passed. `notes` are advice and cost nothing;
    `line_notes` are shorter notes for single lines of the player's file. `questions_version` (see
    `grader.definition.paper.Paper`) and `product_version` record the versions that created the report, so that a
    mark can be justified after the questions were corrected; they are empty in reports from before versions were
    stored. `version` is the number of the assignment's version, or None outside an assignment."""

    qualifies: bool
    points: float
    max_points: float
    questions: list[QuestionReport]
    notes: list[str] = field(default_factory=list)
    questions_version: str = ""
    product_version: str = ""
    version: int | None = None
    line_notes: list[tuple[int, str]] = field(default_factory=list)

    @property
    def question_points(self) -> dict[str, float]:
        """The points of each question."""
        return {each.slug: each.points for each in self.questions}

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(Report)


def assemble(paper: Paper, events: Iterable[Event], notes: Sequence[str] = ()) -> Report:
    """Assemble the report, with the default gates, from notes on the source and the events of a grading, in any
    order."""
    by_question: dict[str, list[CaseResult]] = {question.slug: [] for question in paper.questions}
    builds = dict[str, Build]()
    for event in events:
        if isinstance(event, CaseResult):
            by_question[event.question].append(event)
        else:
            builds[event.question] = event.build
    questions = [
        _question_report(question, by_question[question.slug], builds.get(question.slug))
        for question in paper.questions
    ]
    shown = (case for each in questions for case in each.cases if not case.hidden or each.shows is Shows.ALL)
    report = Report(
        qualifies=False,
        points=round(sum(report.points for report in questions), 2),
        max_points=sum(question.points for question in paper.questions),
        questions=questions,
        notes=[*notes, FLOOD] if any(case.flood for case in shown) else [*notes],
        questions_version=paper.version,
        product_version=version("quadrille"),
    )
    return gated(report, {question.slug: question.gate for question in paper.questions})


def _question_report(
    question: FunctionQuestion | ProgramQuestion, cases: Sequence[CaseResult], build: Build | None
) -> QuestionReport:
    """Create the report of a question. Points are proportional to the share of all cases, including hidden ones, that
    passed; cases that were not run count as not passed (see `points_for`). This share measures how much of the
    question is right, because cases are spread evenly over the rules; with all-or-nothing points, a forgotten corner
    case would cost as much as a missing function. The order of cases is: the examples, the failed hidden cases
    (shortest calls or inputs first), the cases that were not run, and the rest."""
    passed = sum(case.passed for case in cases)
    run = [case for case in cases if case.verdict is not Verdict.NOT_RUN]
    not_run = [case for case in cases if case.verdict is Verdict.NOT_RUN]
    failures = [case for case in run if case.hidden and not case.passed]
    return QuestionReport(
        slug=question.slug,
        title=question.title,
        function=question.function if isinstance(question, FunctionQuestion) else "",
        passed=passed,
        total=len(cases),
        points=points_for(question.points, passed, len(cases), warning_cost(question, build)),
        max_points=question.points,
        qualifies=question.gate is not Gate.NONE,
        verdicts=dict(Counter(case.verdict.value for case in cases)),
        cases=[
            *(case for case in run if not case.hidden),
            *sorted(failures, key=attrgetter("length")),
            *not_run,
            *(case for case in run if case.hidden and case.passed),
        ],
        stopped=not_run[0].message if not_run else "",
        shows=question.shows,
        build=build,
    )


def points_for(most: float, passed: int, total: int, cost: Fraction) -> float:
    """Return the points of a question if `passed` of `total` cases passed, less the `cost` of a program's warnings.
    Points are rounded down to hundredths, so that failing a case always costs points."""
    share = Fraction(passed, total) if total else Fraction(1)
    return floor(max(Fraction(str(most)) * share - cost, Fraction(0)) * 100) / 100


def warning_cost(question: FunctionQuestion | ProgramQuestion, build: Build | None) -> Fraction:
    """Return the points that a program's warnings cost."""
    if build is None or not isinstance(question, ProgramQuestion) or question.warnings is not Warnings.COST:
        return Fraction(0)
    return Fraction(str(question.warning_points)) * build.warnings


def gated(report: Report, gates: Gates) -> Report:
    """Return the report with these gates applied. A question without a gate has no cases that must pass."""
    found = [(question, gates.get(question.slug, Gate.NONE)) for question in report.questions]
    questions = [replace(question, gate=gate, qualifies=gate is not Gate.NONE) for question, gate in found]
    return replace(report, questions=questions, qualifies=all(question.lets_in for question in questions))


def barring(report: Report, tournament: str) -> list[QuestionReport]:
    """Return the questions that prevent a player from entering the tournament with this slug."""
    return [
        each
        for each in report.questions
        if not each.lets_in or (each.slug == tournament and each.passed < each.total)  # the tournament depends on it
    ]


def shortfall(question: QuestionReport) -> str:
    """Say why a question prevents a player from entering: `Q1: 2 of 5 visible examples failed, 1 was not run`."""
    what, total, passed, not_run = "case", question.total, question.passed, question.not_run
    if question.asked is Gate.EXAMPLES and not question.lets_in:
        examples = Counter(case.verdict for case in question.cases if not case.hidden)
        what, total = "visible example", examples.total()
        passed, not_run = examples[Verdict.AC], examples[Verdict.NOT_RUN]
    rest = f", {not_run:,} {'was' if not_run == 1 else 'were'} not run" if not_run else ""
    failed = total - passed - not_run
    word = "did not pass" if question.untold else "failed"
    return f"{label(question.slug)}: {failed:,} of {total:,} {what}{'' if total == 1 else 's'} {word}{rest}"


def unloadable(report: Report) -> CaseResult | None:
    """Return one of the cases if the file cannot be loaded and all cases therefore fail for the same reason; None
    otherwise."""
    cases = [case for question in report.questions for case in question.cases]
    alike = {(case.verdict, case.message, case.traceback) for case in cases}
    whole = all(question.build is None and not question.passed for question in report.questions)
    return cases[0] if whole and len(alike) == 1 and len(report.questions) > 1 and not cases[0].passed else None


def pack(report: Report) -> bytes:
    """Compress a report for the database."""
    return zlib.compress(_ADAPTER.dump_json(report))


def unpack(packed: bytes) -> Report:
    """Decompress a report that `pack` returned."""
    return _ADAPTER.validate_json(zlib.decompress(packed))


KEPT_FAILURES = 20  # failed hidden cases stored for a question
KEPT_OUTPUT = 4000  # characters of output stored for a case


def trim(report: Report) -> Report:
    """Return the report in the form that is stored and shown: with all examples, but only the first failed hidden
    cases."""
    return replace(report, questions=[_trim_question(question) for question in report.questions])


def _trim_question(question: QuestionReport) -> QuestionReport:
    examples = [case for case in question.cases if not case.hidden]
    run = [case for case in examples if case.verdict is not Verdict.NOT_RUN]
    failures = [case for case in question.cases if case.hidden and case.failed]
    not_run = [case for case in examples if case.verdict is Verdict.NOT_RUN]
    kept = (*run, *failures[:KEPT_FAILURES], *not_run)
    return replace(
        question,
        cases=[
            replace(case, output=case.output[:KEPT_OUTPUT], flood=True) if len(case.output) > KEPT_OUTPUT else case
            for case in kept
        ],
    )


def for_student(report: Report) -> Report:
    """Return what a student may see of a stored report. The digest of the questions is removed, since it would help to
    guess hidden cases."""
    return replace(report, questions=[_as_seen(question) for question in report.questions], questions_version="")


def _as_seen(question: QuestionReport) -> QuestionReport:
    if question.shows is Shows.ALL:
        return question
    examples = [case for case in question.cases if not case.hidden]
    verdicts, stopped, shown = question.verdicts, question.stopped, list[CaseResult]()
    match question.shows:
        case Shows.NUMBER:
            verdicts = Counter(case.verdict.value for case in examples) | Counter({Verdict.AC.value: question.passed})
            stopped = next((case.message for case in examples if case.verdict is Verdict.NOT_RUN), "")
        case Shows.TWIN | Shows.SMALLEST if question.twin:
            shown = question.twins
        case Shows.SMALLEST if question.build:  # each run of a program has its own process
            shown = [case for case in question.cases if case.hidden][:1]
    # Sorted, since the original order would reveal more
    return replace(question, cases=examples + shown, verdicts=dict(sorted(verdicts.items())), stopped=stopped)
