"""The report of a submission: a tree of plain dataclasses, and how it is put together, shortened and stored."""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from sandbox.api import Verdict
from tournament.games.api import Game, Question

KEPT_FAILURES = 20
"""Failing hidden cases of a question that are stored."""

KEPT_OUTPUT = 4000
"""Characters of what a player printed in one case that are stored."""

FLOOD = (
    "Your code printed more than is kept, and what came after is not shown: take out prints that you used for testing."
)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case went.

    `call`, `expected` and `got` are texts as Python writes them; `got` is empty if nothing was returned. `message` is
    a sentence for the author, empty if all is well. `output` is what the player printed meanwhile; `flood` says that
    some of it was not kept. `traceback` and `line` are of the author's own file.
    """

    question: str
    title: str
    call: str
    expected: str
    got: str
    verdict: Verdict
    message: str
    cpu_ms: float
    hidden: bool
    output: str = ""
    flood: bool = False
    traceback: str = ""
    line: int | None = None

    @property
    def passed(self) -> bool:
        """Whether the case counts as passed."""
        return self.verdict is Verdict.AC


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """How one question went. `verdicts` counts all cases, also those that `trim` left out of `cases`."""

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


@dataclass(frozen=True, slots=True)
class Report:
    """How a submission went. `qualifies`: it may enter the tournament. `notes` are advice, and cost nothing. The two
    versions say with what it was made, see `grader.version`; empty in a report made before they were kept."""

    qualifies: bool
    points: float
    max_points: float
    questions: list[QuestionReport]
    notes: list[str] = field(default_factory=list)
    questions_version: str = ""
    product_version: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(Report)


def assemble(game: Game[Any], results: Iterable[CaseResult], notes: Sequence[str] = ()) -> Report:
    """The whole report from the results of `grade`, in any order, with notes on the source."""
    by_question: dict[str, list[CaseResult]] = {question.slug: [] for question in game.questions}
    for result in results:
        by_question[result.question].append(result)
    questions = [_question_report(question, by_question[question.slug]) for question in game.questions]
    floods = any(case.flood for cases in by_question.values() for case in cases)
    return Report(
        qualifies=all(
            report.passed == report.total
            for report, question in zip(questions, game.questions, strict=True)
            if question.qualifies
        ),
        points=round(sum(report.points for report in questions), 2),
        max_points=sum(question.points for question in game.questions),
        questions=questions,
        notes=[*notes, FLOOD] if floods else [*notes],
    )


def _question_report(question: Question, cases: Sequence[CaseResult]) -> QuestionReport:
    """Points are in proportion to the cases passed, hidden ones included, and rounded to hundredths.

    The hidden cases are many and spread evenly over what the rules say, so that their share measures how much of the
    question is right; all or nothing would make one forgotten corner cost as much as a missing function.
    """
    passed = sum(case.passed for case in cases)
    share = passed / len(cases) if cases else 1.0
    return QuestionReport(
        slug=question.slug,
        title=question.title,
        function=question.function,
        passed=passed,
        total=len(cases),
        points=round(question.points * share, 2),
        max_points=question.points,
        qualifies=question.qualifies,
        verdicts=dict(Counter(case.verdict.value for case in cases)),
        cases=_ordered(cases),
    )


def _ordered(cases: Sequence[CaseResult]) -> list[CaseResult]:
    """The examples, then the hidden cases that failed, those with the shortest calls first, then the rest."""
    examples = [case for case in cases if not case.hidden]
    failures = [case for case in cases if case.hidden and not case.passed]
    passes = [case for case in cases if case.hidden and case.passed]
    return [*examples, *sorted(failures, key=lambda case: len(case.call)), *passes]


def unloadable(report: Report) -> CaseResult | None:
    """A case of a file that failed every case of every question for one reason: it cannot be loaded."""
    cases = [case for question in report.questions for case in question.cases]
    alike = {(case.verdict, case.message, case.traceback) for case in cases}
    return cases[0] if len(alike) == 1 and len(report.questions) > 1 and not cases[0].passed else None


def trim(report: Report) -> Report:
    """The report as it is stored and shown: every example, and of the hidden cases only the first that failed."""
    return replace(report, questions=[_trim_question(question) for question in report.questions])


def _trim_question(question: QuestionReport) -> QuestionReport:
    examples = [case for case in question.cases if not case.hidden]
    failures = [case for case in question.cases if case.hidden and not case.passed]
    return replace(question, cases=[_trim_output(case) for case in (*examples, *failures[:KEPT_FAILURES])])


def _trim_output(case: CaseResult) -> CaseResult:
    if len(case.output) <= KEPT_OUTPUT:
        return case
    return replace(case, output=case.output[:KEPT_OUTPUT], flood=True)


def pack(report: Report) -> bytes:
    """The report in few bytes, for the database."""
    return zlib.compress(_ADAPTER.dump_json(report))


def unpack(packed: bytes) -> Report:
    """The report that `pack` packed."""
    return _ADAPTER.validate_json(zlib.decompress(packed))
