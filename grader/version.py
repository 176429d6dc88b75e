"""The versions with which a report was made, so that a mark can be defended after the questions were fixed."""

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from grader.cases import checks
from tournament.games.api import Game, Question


def product_version() -> str:
    """The version of Quadrille."""
    return version("quadrille")


def questions_version(game: Game[Any]) -> str:
    """Eight characters that change with what the questions ask and accept, what they are worth, and how long a call may
    take. The same in every process."""
    return sha256("".join(_asked(question) for question in game.questions).encode()).hexdigest()[:8]


@cache
def _asked(question: Question) -> str:
    cases = [(check.hidden, check.call, check.expected) for check in checks(question)]
    accepts = getattr(question.accepts, "__qualname__", repr(question.accepts))
    kept = (question.slug, question.function, question.arities, question.points, question.call_s, question.qualifies)
    return sha256(repr((kept, accepts, cases)).encode()).hexdigest()
