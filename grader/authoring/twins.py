"""Twins: cases like a hidden one that a player fails, to be shown instead of it.

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

from grader.authoring.authored import Authored
from grader.authoring.drawing import draw_some
from grader.authoring.solving import Solution
from sandbox.api import Sandbox
from tournament.games.api import Case
from tournament.games.judges import key

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
