"""Finds the twin of a hidden case that a player fails, see `grader.authoring.twins`: it is shown instead of that case,
so that the graded cases cannot be collected."""

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

MOST_S: Final = 10.0
"""What the search for one twin may cost the player, in seconds."""

_EVERYWHERE: Final = {Verdict.MISSING, Verdict.SYNTAX, Verdict.NOT_RUN}
"""Verdicts for which no case is needed: the message says it all."""


def with_twins(report: Report, paper: Paper, source: bytes, jails: Jails, filename: str = "player.py") -> Report:
    """The report with a twin of the smallest hidden case that failed, for each question that shows one. Raises
    AuthorError and SandboxError."""
    questions = [
        replace(each, twin=_twin(each, paper, source, jails, filename)) if each.shows is Shows.TWIN else each
        for each in report.questions
    ]
    return replace(report, questions=questions)


def _twin(report: QuestionReport, paper: Paper, source: bytes, jails: Jails, filename: str) -> CaseResult | None:
    failed = next((case for case in report.cases if case.hidden and case.failed), None)
    if failed is None or failed.verdict in _EVERYWHERE:
        return None
    question = next((each for each in paper.functions if each.slug == report.slug), None)
    if question is None or not question.cases or question.has_doctest_cases:
        return None
    checks = paper.checks[question.slug]
    case = next(check.case for check in checks if check.hidden and check.call == failed.call)
    spent, found = Spent(jails.limits), list[CaseResult]()
    with Questioning(question, paper, program_for(question, paper, source, filename), jails, spent) as player:

        def fails(candidate: Case) -> bool:
            if spent.used_s > MOST_S:
                return False
            result = player.answer(check_of(question, candidate, hidden=True))
            found[:] = [result]
            return result.failed

        author, origin = paper.authored[question.slug], (paper.key, case, source)
        seen = twin(jails.authors(), author, origin, paper.asked[question.slug], fails)
    return found[0] if seen else None
