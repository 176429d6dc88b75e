"""What an author wrote for a question, and how its files are started in a jail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from grader.author_code.errors import blame
from grader.author_code.program import NO_GAME, GameModules, provided_texts
from sandbox.api import Fault, Limits, Program, Sandbox, Session

LIMITS: Final = Limits(load_s=5.0, call_s=20.0, game_s=20.0, wall_factor=2.0, memory=512 << 20, reply=160 << 10)
"""What an author's file may use. A game is all that it does for one question."""

FORMAT: Final = 1
"""The version of the format of case sets; another one makes all of them again."""

SPOILT: Final = "It changes how our own code works in its jail. Leave Python's and our own modules as they are."
"""The problem of a file that makes our driver answer what it never would."""

Heard = Callable[[str, int], None]
"""`heard(stage, count)`: that many cases have been `drawn` or `solved` by now."""


def deaf(_stage: str, _count: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Authored:
    """What an author wrote for one question, and what it takes to run it.

    `function` is what the solution must define, called with as many arguments as `arities` say (any number if that is
    empty), for at most `call_s` seconds of computing time each, as long as a student's player. `seed` is for the
    generator. `prints`: what the function prints is right, instead of what it returns."""

    cases: str
    solution: str
    function: str
    arities: tuple[int, ...]
    seed: str
    modules: GameModules = NO_GAME
    call_s: float = 1.0
    prints: bool = False
    limits: Limits = LIMITS

    @property
    def key(self) -> str:
        """The name of the case set: the same only if everything that the cases depend on is."""
        made_by = (self.cases, self.solution, self.function, self.arities, self.seed, self.prints)
        parts = (FORMAT, made_by, self.modules.slug, sorted(provided_texts(self.modules).items()))
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


@contextmanager
def loaded(sandbox: Sandbox, program: Program, limits: Limits, seed: int = 1) -> Iterator[Session]:
    """An author's file in a process of its own. Raises AuthorError if it cannot be loaded."""
    session = sandbox.open(program, limits, seed)
    if isinstance(session, Fault):
        raise blame(session, program.filename, limits)
    try:
        yield session
    finally:
        session.close()
