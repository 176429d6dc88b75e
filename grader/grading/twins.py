"""Finds what is shown instead of a hidden case that a player fails: its twin, so that the graded cases cannot be
collected, see `grader.authoring.twins`; or the case itself, where the question shows it. Either is asked in a process
of its own, so that what is shown of the answer says nothing about other hidden cases."""

from dataclasses import replace
from typing import Final

from grader.authoring.twins import twin
from grader.definition.paper import Paper, check_of
from grader.definition.question import Shows
from grader.grading.asking import Spent, program_for
from grader.grading.jails import Jails
from grader.grading.questioning import Questioning
from grader.grading.report import CaseResult, QuestionReport, Report
from sandbox.api import Verdict
from tournament.games.api import Case
from tournament.games.judges import key

MOST_S: Final = 10.0
"""What the search for one twin may cost the player, in seconds."""

ONLY_AFTER_OTHERS: Final = (
    "Called first, your function gives the right answer here. It fails after other calls: does it keep something from "
    "one call to the next?"
)

_EVERYWHERE: Final = {Verdict.MISSING, Verdict.SYNTAX, Verdict.NOT_RUN}
"""Verdicts for which no case is needed: the message says it all."""


def with_twins(report: Report, paper: Paper, source: bytes, jails: Jails, filename: str = "player.py") -> Report:
    """The report with what is shown instead of the smallest hidden case that failed, for each question that shows one.
    Raises AuthorError and SandboxError."""
    questions = [
        replace(each, twin=_twin(each, paper, source, jails, filename))
        if each.shows in (Shows.TWIN, Shows.SMALLEST)
        else each
        for each in report.questions
    ]
    return replace(report, questions=questions)


def _twin(report: QuestionReport, paper: Paper, source: bytes, jails: Jails, filename: str) -> CaseResult | None:
    failed = next((case for case in report.cases if case.hidden and case.failed), None)
    question = next((each for each in paper.functions if each.slug == report.slug), None)
    if failed is None or question is None:
        return None
    spent, found = Spent(jails.limits), dict[str, CaseResult]()
    with Questioning(question, paper, program_for(question, paper, source, filename), jails, spent) as player:
        if report.shows is Shows.SMALLEST:
            check = next(each for each in paper.checks[question.slug] if each.hidden and each.call == failed.call)
            alone = player.answer(check)
            return alone if alone.failed else replace(alone, verdict=failed.verdict, message=ONLY_AFTER_OTHERS)
        if failed.verdict in _EVERYWHERE or not question.cases or question.has_doctest_cases:
            return None

        def fails(candidate: Case) -> bool:
            if spent.used_s > MOST_S:
                return False
            result = player.answer(check_of(question, candidate, hidden=True))
            return found.setdefault(key(candidate.args), result).failed

        author, origin = paper.authored[question.slug], (jails.secret, question.slug, source)
        seen = twin(jails.authors(), author, origin, paper.asked[question.slug], fails)
    return found[key(seen.args)] if seen else None
