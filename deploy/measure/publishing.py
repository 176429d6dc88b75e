"""`quadrille bench publish`: from a definition with many hidden cases to its published version."""

from collections.abc import Iterator
from random import Random
from time import perf_counter
from typing import Any

from sqlalchemy.orm import sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.installation import empty_assignment, installation
from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.drafts.check import check
from grader.grading.jails import Jails
from grader.publishing.case_sets import store_sets
from grader.publishing.versions import publish
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tournament.store.database import connect, writing

COUNT = 5000
CASES = """
def cases(rng):
    for number in range(COUNT):
        yield number, [rng.choice("A23456789JQK") + rng.choice("SHDC") for _ in range(rng.randint(1, 12))]
"""
SOLUTION = """
def chosen(number, hand):
    return sorted(hand)[number % len(hand)]
"""


def measure() -> Iterator[Figure]:
    """`publish.time`: seconds from a checked text to the published version of an assignment with 5,000 hidden cases:
    drawn and solved twice in a jail, compared, stored and published. Beside it the same cases made once by plain
    Python. Raises SandboxUnavailable."""
    texts = {"cases": CASES.replace("COUNT", str(COUNT)), "solution": SOLUTION}
    question = FunctionQuestion(slug="q1", title="Chosen", function="chosen", parameters=("number", "hand"), **texts)
    definition = Definition(title="Benchmark", questions=(question,))
    with installation() as settings, open_sandbox() as sandbox:
        sessions = sessionmaker(connect(settings.database))
        started = perf_counter()
        checked = check(definition, Jails(sandbox, lambda: sandbox))
        if checked.problems or checked.counts != {"q1": COUNT}:
            raise SandboxError(f"the benchmark's own assignment is refused: {checked.problems}")
        with writing(sessions) as session:
            store_sets(session, checked.case_sets)
            publish(session, empty_assignment(session), definition, by=None, base=0)
        taken = perf_counter() - started
    yield Figure("publish.time", taken, "s", _plain(texts))


def _plain(texts: dict[str, str]) -> float:
    """The seconds that the same cases take without a jail."""
    started, space = perf_counter(), dict[str, Any]()
    for text in texts.values():
        exec(text, space)  # noqa: S102 - our own, above
    cases = [(args, space["chosen"](*args)) for args in space["cases"](Random("publish"))]
    return (perf_counter() - started) if len(cases) == COUNT else 0.0
