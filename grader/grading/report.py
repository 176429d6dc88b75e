"""The report of a submission: plain dataclasses, and how they are put together, shortened and stored.

A report is stored with all examples and some of the hidden cases, and a student sees less of it. A player can put
everything that its process was given into whatever comes back: values, texts of exceptions, output, and times. So a
student sees the results of processes that got no hidden case. Of the other processes, pages, the API, tests to download
and notices show only this:

- how many hidden cases of a question passed, and what follows from that: points, and whether a gate is open;
- the verdicts of the others, and why some were not run, unless the question shows only the number that failed;
- whether similar cases, which are never among the graded ones, are shown, or the smallest case that fails, if the
  question shows that;
- everything, if the question shows all failing cases.

Gates say how much of each question must pass before a player may enter its assignment's tournaments. Each question has
a default gate, and instructors can choose another. A tournament that depends on a question also requires all of that
question's cases.
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
"""The gates of an assignment. `chosen` has those that differ from the definition's."""


def gates_of(definition: Definition, chosen: Mapping[str, str] | None = None) -> Gates:
    """The gates of an assignment; `chosen` has those that differ from the definition's."""
    return {each.slug: Gate((chosen or {}).get(each.slug, each.gate)) for each in definition.asked}


def for_tournament(gates: Gates, slug: str) -> Gates:
    """The gates of the tournament with this slug. If the tournament depends on a question, all cases of that question
    must pass."""
    return {question: Gate.ALL if question == slug else gate for question, gate in gates.items()}


def in_words(gates: Gates) -> str:
    """The gates in words: `all cases of Q4 and the visible examples of Q1, Q2 and Q3`; "" if nothing must pass."""
    what = {Gate.ALL: "all cases of ", Gate.EXAMPLES: "the visible examples of "}
    slugs = {gate: [label(slug) for slug, each in gates.items() if each is gate] for gate in what}
    return enumerated([what[gate] + enumerated(found) for gate, found in slugs.items() if found])


def enumerated(items: list[str]) -> str:
    """The items as a list in a sentence: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


FLOOD = (
    "Your code printed more than is kept, so the end of its output is not shown. Remove the prints that you used for "
    "testing."
)


class Sought(StrEnum):
    """Why no similar case is shown for failed hidden cases. These names are used in reports and in the API."""

    NONE_FAILS = "none fails"
    """The player passes all similar cases that can be drawn."""
    TOO_LONG = "too long"
    """There was not enough time to try all similar cases."""
    GRADED = "graded"
    """The similar cases that the player fails are themselves graded."""


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """The result of one question. `verdicts` counts all cases, including those that `trim` left out of `cases`; a
    student's report may lack the verdicts of hidden cases. `total` is the number of cases, whether run or not;
    `stopped` says why some were not run, and is empty if all were. `qualifies` says whether anything in the question
    must pass before the player may enter, and `gate` says what. In reports from before gates could be chosen, `gate`
    is None: at that time all cases had to pass. `shows` is what a student sees of failed hidden cases. `twin` and
    `more_twins` are shown instead of these (see `grader.grading.grade`); `sought` says why there is no twin, and is
    "" if none was sought. `build` says how a program was compiled; a program question has no `function`."""

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
        """All cases that are shown instead of failed hidden ones."""
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
        """The number of cases that did not pass and whose verdicts must not be shown."""
        return self.total - sum(self.verdicts.values())

    @property
    def asked(self) -> Gate:
        """What must pass in this question before the player may enter."""
        return self.gate or (Gate.ALL if self.qualifies else Gate.NONE)

    @property
    def lets_in(self) -> bool:
        """Whether everything in this question that must pass before the player may enter has passed."""
        if self.asked is Gate.EXAMPLES:
            return all(case.passed for case in self.cases if not case.hidden)
        return self.asked is Gate.NONE or self.passed == self.total


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a submission. `qualifies`: it passes every gate. `notes` are advice and cost nothing; `line_notes`
    say the same at the lines of the player's file that they are about. `questions_version` (see
    `grader.definition.paper.Paper`) and `product_version` tell what made the report, so that a mark can be justified
    after the questions were fixed; they are empty in reports from before versions were stored. `version` is the number
    of the assignment's version, None outside an assignment."""

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
        """The report as plain data."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(Report)


def assemble(paper: Paper, events: Iterable[Event], notes: Sequence[str] = ()) -> Report:
    """Make the whole report, with the default gates, from the events of a grading, in any order, and notes on the
    source."""
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
    """Make the report of a question. Points are in proportion to the cases passed, out of all cases, including hidden
    ones; cases that were not run count as not passed (see `points_for`). The share of cases passed measures how much of
    the question is right, because cases are spread evenly over the rules; with all or nothing, one forgotten corner
    would cost as much as a missing function. The cases are ordered: the examples, the hidden cases that failed (those
    with the shortest calls or inputs first), the cases that were not run, and the rest."""
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
    """The points of a question, if `passed` of `total` cases passed, less the `cost` of a program's warnings. They are
    rounded down to hundredths, so that nobody who failed a case gets all points."""
    share = Fraction(passed, total) if total else Fraction(1)
    return floor(max(Fraction(str(most)) * share - cost, Fraction(0)) * 100) / 100


def warning_cost(question: FunctionQuestion | ProgramQuestion, build: Build | None) -> Fraction:
    """The points that a program's warnings cost."""
    if build is None or not isinstance(question, ProgramQuestion) or question.warnings is not Warnings.COST:
        return Fraction(0)
    return Fraction(str(question.warning_points)) * build.warnings


def gated(report: Report, gates: Gates) -> Report:
    """The report with these gates applied. In a question without a gate, nothing has to pass."""
    found = [(question, gates.get(question.slug, Gate.NONE)) for question in report.questions]
    questions = [replace(question, gate=gate, qualifies=gate is not Gate.NONE) for question, gate in found]
    return replace(report, questions=questions, qualifies=all(question.lets_in for question in questions))


def barring(report: Report, tournament: str) -> list[QuestionReport]:
    """The questions that keep a player out of the tournament with this slug."""
    return [
        each
        for each in report.questions
        if not each.lets_in or (each.slug == tournament and each.passed < each.total)  # the tournament depends on it
    ]


def shortfall(question: QuestionReport) -> str:
    """How a question keeps a player out: `Q1: 2 of 5 visible examples failed, 1 was not run`."""
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
    """Return a case of a file that cannot be loaded, and therefore fails every case for the same reason; None for other
    files."""
    cases = [case for question in report.questions for case in question.cases]
    alike = {(case.verdict, case.message, case.traceback) for case in cases}
    whole = all(question.build is None and not question.passed for question in report.questions)
    return cases[0] if whole and len(alike) == 1 and len(report.questions) > 1 and not cases[0].passed else None


def pack(report: Report) -> bytes:
    """The report in compressed form, for the database."""
    return zlib.compress(_ADAPTER.dump_json(report))


def unpack(packed: bytes) -> Report:
    """Read what `pack` returned."""
    return _ADAPTER.validate_json(zlib.decompress(packed))


KEPT_FAILURES = 20  # failing hidden cases of a question that are stored
KEPT_OUTPUT = 4000  # characters of what a player printed in one case that are stored


def trim(report: Report) -> Report:
    """The report in the form that is stored and shown: with every example, but only the first failed hidden cases."""
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
    """What a student may see of a stored report. The digest of the questions is removed, since it would help to guess
    hidden cases."""
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
        case Shows.SMALLEST if question.build:  # each run of a program is a process of its own
            shown = [case for case in question.cases if case.hidden][:1]
    # Sorted, since their original order would reveal more
    return replace(question, cases=examples + shown, verdicts=dict(sorted(verdicts.items())), stopped=stopped)
