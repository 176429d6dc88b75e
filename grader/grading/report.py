"""The report of a submission: plain dataclasses, and how they are put together, shortened and stored.

It is stored with all examples and some of the hidden cases, and a student sees less of it. A player can put all that
its process was given into whatever comes back: values, texts of exceptions, output, and times. So a student sees what
came out of processes that got no hidden case, and of the other processes only this, here and on pages, in the API, in
tests to download and in notices:

- how many hidden cases of a question passed, and what follows from that: points, and whether a gate is open;
- with which verdicts the others failed, and why some were not run, unless the question shows only their number;
- whether similar cases, which are never among the graded, are shown; or which of them is the smallest that fails, where
  the question shows that;
- everything, where the question shows all that fail.

Gates say how much of each question must pass before a player may enter its assignment's tournaments. Instructors choose
one for each question; there is a default. A tournament that depends on a question of its own also requires all of that
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
"""The gate of each question, by its slug, in the order of the questions."""


def gates_of(definition: Definition, chosen: Mapping[str, str] | None = None) -> Gates:
    """The gates of an assignment; `chosen` has those that differ from the definition's."""
    return {each.slug: Gate((chosen or {}).get(each.slug, each.gate)) for each in definition.asked}


def for_tournament(gates: Gates, slug: str) -> Gates:
    """The gates of the tournament with that slug: all cases of the question on which it depends, if it depends on
    one."""
    return {question: Gate.ALL if question == slug else gate for question, gate in gates.items()}


def in_words(gates: Gates) -> str:
    """`all cases of Q4 and the visible examples of Q1, Q2 and Q3`; empty if nothing is asked for."""
    what = {Gate.ALL: "all cases of ", Gate.EXAMPLES: "the visible examples of "}
    slugs = {gate: [label(slug) for slug, each in gates.items() if each is gate] for gate in what}
    return enumerated([what[gate] + enumerated(found) for gate, found in slugs.items() if found])


def enumerated(items: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


FLOOD = (
    "Your code printed more than is kept, so the end of it is not shown. Take out the prints that you used for testing."
)


class Sought(StrEnum):
    """Why no similar case is shown of hidden ones that failed. These are names in reports and in the API."""

    NONE_FAILS = "none fails"
    """The player passes all that can be drawn."""
    TOO_LONG = "too long"
    """Not all were tried within the time for it."""
    GRADED = "graded"
    """Those that it fails count themselves."""


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """How one question went. `verdicts` counts all cases, including those that `trim` left out of `cases`; a student's
    report may lack those of hidden cases. `total` is the number of cases, run or not; `stopped` says why some were not
    run, and is empty if all were. `qualifies` says whether something of it must pass before the player may enter, and
    `gate` what. In a report made before gates could be chosen, `gate` is None: all cases had to pass then. `shows`:
    what a student sees of the hidden cases that failed; `twin` is shown instead of them, with `more_twins` (see
    `grader.grading.grade`); `sought` says why none is, "" if none was sought.
    `build` says how a program was compiled; a question that asks for one has no `function`."""

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
        """All cases that are shown instead of hidden ones."""
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
        """The number of cases that did not pass and about which nothing more may be said."""
        return self.total - sum(self.verdicts.values())

    @property
    def asked(self) -> Gate:
        """What must pass before the player may enter."""
        return self.gate or (Gate.ALL if self.qualifies else Gate.NONE)

    @property
    def lets_in(self) -> bool:
        """Whether what must pass has passed."""
        if self.asked is Gate.EXAMPLES:
            return all(case.passed for case in self.cases if not case.hidden)
        return self.asked is Gate.NONE or self.passed == self.total


@dataclass(frozen=True, slots=True)
class Report:
    """How a submission went. `qualifies`: it passes every gate. `notes` are advice and cost nothing; `line_notes` say
    at lines of the player's file what they are about. The two versions tell what made the report, so that a mark can be
    defended after the questions were fixed (see `grader.definition.paper.Paper`); they are empty in reports from before
    versions were stored. `version` is the number of the assignment's version; None outside an assignment."""

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
        """Plain data."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(Report)


def assemble(paper: Paper, events: Iterable[Event], notes: Sequence[str] = ()) -> Report:
    """The whole report from the events of a grading, in any order, with notes on the source, and the default gates."""
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
    """Points are in proportion to the cases passed, out of all there are: hidden cases are included, and those that
    were not run count as not passed; see `points_for`. Their share measures how much of the question is right, as they
    are spread evenly over the rules; with all or nothing, one forgotten corner would cost as much as a missing
    function. The examples come first, then the hidden cases that failed, the shortest calls or inputs first, then the
    cases that were not run, then the rest."""
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
    """The points of a question of which so many cases passed, less the `cost` of the warnings of a program. They are
    rounded down to hundredths, so that nobody who failed a case has them all."""
    share = Fraction(passed, total) if total else Fraction(1)
    return floor(max(Fraction(str(most)) * share - cost, Fraction(0)) * 100) / 100


def warning_cost(question: FunctionQuestion | ProgramQuestion, build: Build | None) -> Fraction:
    """The points that the warnings of a program cost."""
    if build is None or not isinstance(question, ProgramQuestion) or question.warnings is not Warnings.COST:
        return Fraction(0)
    return Fraction(str(question.warning_points)) * build.warnings


def gated(report: Report, gates: Gates) -> Report:
    """The report judged by these gates. Nothing has to pass in a question without one."""
    found = [(question, gates.get(question.slug, Gate.NONE)) for question in report.questions]
    questions = [replace(question, gate=gate, qualifies=gate is not Gate.NONE) for question, gate in found]
    return replace(report, questions=questions, qualifies=all(question.lets_in for question in questions))


def barring(report: Report, tournament: str) -> list[QuestionReport]:
    """The questions that keep a player out of the tournament with that slug."""
    return [
        each
        for each in report.questions
        if not each.lets_in or (each.slug == tournament and each.passed < each.total)  # the tournament hangs on it
    ]


def shortfall(question: QuestionReport) -> str:
    """Why a question keeps a player out: `Q1: 2 of 5 visible examples failed, 1 was not run`."""
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
    """A case of a file that failed every case of every question for the same reason: it cannot be loaded."""
    cases = [case for question in report.questions for case in question.cases]
    alike = {(case.verdict, case.message, case.traceback) for case in cases}
    whole = all(question.build is None and not question.passed for question in report.questions)
    return cases[0] if whole and len(alike) == 1 and len(report.questions) > 1 and not cases[0].passed else None


def pack(report: Report) -> bytes:
    """The report in few bytes, for the database."""
    return zlib.compress(_ADAPTER.dump_json(report))


def unpack(packed: bytes) -> Report:
    """The report that `pack` packed."""
    return _ADAPTER.validate_json(zlib.decompress(packed))


KEPT_FAILURES = 20  # failing hidden cases of a question that are stored
KEPT_OUTPUT = 4000  # characters of what a player printed in one case that are stored


def trim(report: Report) -> Report:
    """The report as it is stored and shown: every example, and of the hidden cases only the first that failed."""
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
    """What a student may see of a stored report: not the questions' digest, by which hidden cases could be guessed."""
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
    # In order: the one in which they came tells more
    return replace(question, cases=examples + shown, verdicts=dict(sorted(verdicts.items())), stopped=stopped)
