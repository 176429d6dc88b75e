"""Finds what is shown instead of a hidden case that a player fails: its twin, so that the graded cases cannot be
collected; or the case itself, where the question shows it. Either is asked in a process of its own, so that what is
shown of the answer says nothing about other hidden cases.

A twin comes from the same generator with another seed. That follows from a secret, the question and the player's file,
so that the same file gets the same twin whenever it is graded, and no two files need get the same. Which cases a player
is asked on the way does not depend on which are graded, or it would know all of them where there are few cases.
"""

from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import Final

from grader.author_code.authored import Authored
from grader.author_code.drawing import draw_some
from grader.author_code.solving import Solution
from grader.definition.paper import Paper, check_of
from grader.definition.question import Shows
from grader.grading.asking import Spent, program_for
from grader.grading.jails import Jails
from grader.grading.questioning import Questioning
from grader.grading.report import CaseResult, QuestionReport, Report
from sandbox.api import Sandbox, Verdict
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


TRIES: Final = 200
FAILED: Final = 3
"""After so many cases that the player fails, graded or not, no more is asked."""


def twin(
    sandbox: Sandbox,
    authored: Authored,
    origin: tuple[str, str, bytes],
    graded: Collection[str],
    fails: Callable[[Case], bool],
) -> Case | None:
    """A case that the player also fails: the first of at most `FAILED` among `TRIES`; None if all of them are graded.

    `origin` is what the other seed follows from: the secret, the question's slug, and the player's file.
    `graded` has the `judges.key(args)` of each case that counts or is shown anyway: those are no twins. `fails(case)`
    puts a case to the player, in the player's own jail. Raises AuthorError and SandboxError."""
    candidates = draw_some(sandbox, replace(authored, seed=twin_seed(*origin)), TRIES)
    with closing(candidates) as drawn, Solution(sandbox, authored) as solution:
        asked = (replace(case, expected=solution.answer(case)) for case in drawn)
        failed = [*islice(filter(fails, asked), FAILED)]
    return next((case for case in failed if key(case.args) not in graded), None)


def twin_seed(secret: str, slug: str, source: bytes) -> str:
    """The seed of a twin's generator."""
    return "quadrille twin " + sha256(repr((secret, slug, sha256(source).hexdigest())).encode()).hexdigest()
