"""Asks an author's `checker.py` whether what a player returned is right.

It runs in a process of its own for each grading, in a jail that no student's code shares: it sees one question's cases
and one player's answers to them.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final, Self

from grader.author_code.authored import (
    CHECKER,
    NO_GAME,
    SPOILT,
    AuthorError,
    GameModules,
    blame,
    checker_program,
    loaded,
)
from grader.comparing.judging import ACCEPTED, Judgement
from sandbox.api import Fault, Limits, Sandbox, Session, Verdict, call
from sandbox.visible import visible_line
from tournament.games.text import show

LIMITS: Final = Limits(load_s=5.0, call_s=2.0, game_s=60.0)
"""What a checker may use. A game is one grading of its question."""

LONGEST_REASON: Final = 300


class CheckerProcess:
    """A checker, started when it is first asked. Close it after a grading.

    `open_sandbox` gives the jail of authors, and is called only then, as the jail may not be needed. `takes`: how many
    arguments `accepts` has, 3 in a checker of what programs print."""

    def __init__(
        self,
        open_sandbox: Callable[[], Sandbox],
        text: str,
        modules: GameModules = NO_GAME,
        limits: Limits = LIMITS,
        takes: int = 2,
    ) -> None:
        self._open_sandbox = open_sandbox
        self._program = checker_program(text, modules, takes)
        self._limits = limits
        self._stack = ExitStack()
        self._session: Session | None = None

    def __call__(self, args: Sequence[Any], got: Any) -> Judgement:
        """What `accepts(args, got)` says. Raises AuthorError if it fails, or says nothing that counts as an answer, and
        SandboxError: neither is the player's."""
        return _judgement(got, self.says(tuple(args), got))

    def says(self, *asked: Any) -> bool | str:
        """What `accepts` returns for these arguments: whether they are right, or the reason why they are not. Raises
        what a call raises."""
        reply = call(self._opened(), "accepts", asked)
        if isinstance(reply, Fault):
            raise blame(reply, CHECKER, self._limits, _call_text(asked))
        return _said(asked, reply.data)

    def all(self, answers: Sequence[tuple[Sequence[Any], Any]]) -> list[Judgement]:
        """The same for several (args, got) at once, a few dozen of them, which is many times faster."""
        pairs = [(tuple(args), got) for args, got in answers]
        reply = call(self._opened(), "quadrille_accepts_all", (pairs,))
        if isinstance(reply, Fault):  # perhaps only because they are so many
            self.close()
            return [self(*pair) for pair in pairs]
        if not isinstance(reply.data, list) or len(reply.data) != len(pairs):
            raise AuthorError(CHECKER, None, SPOILT)
        return [_judgement(pair[1], _said(pair, said)) for pair, said in zip(pairs, reply.data, strict=True)]

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self._stack.enter_context(loaded(self._open_sandbox(), self._program, self._limits))
        return self._session

    def close(self) -> None:
        """End its process. It may be asked again, and then starts again."""
        self._session = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _judgement(got: Any, said: bool | str) -> Judgement:
    """What a checker's answer means."""
    if said is True:
        return ACCEPTED
    return Judgement(Verdict.WA, said or f"Returned {show(got)}, which is not right.")


def _said(asked: Sequence[Any], said: Any) -> bool | str:
    """An answer of a checker, safe and short. Raises AuthorError for anything else."""
    if isinstance(said, bool):
        return said
    if isinstance(said, str) and said.strip():
        return _shortened(visible_line(said.strip()))
    problem = f"it returns {show(said)}; it must return True, False or the reason why not, as a string."
    raise AuthorError(CHECKER, None, f"{_call_text(asked)}: {problem}")


def _call_text(asked: Sequence[Any]) -> str:
    return f"In accepts({', '.join(map(show, asked))})"


def _shortened(reason: str) -> str:
    return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
