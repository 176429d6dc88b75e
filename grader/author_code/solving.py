"""Asks `solution.py` what is right, just as a student's player is asked."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final, Self

from grader.author_code.authored import Authored, Heard, deaf, loaded
from grader.author_code.drawing import draw
from grader.author_code.errors import AuthorError, blame
from grader.author_code.program import SOLUTION, solution_program
from grader.comparing.judging import Judging, judge_of
from sandbox.api import Fault, Limits, Sandbox, Session, Verdict
from tournament.games.api import Case
from tournament.games.judges import key
from tournament.games.text import show

EXACT: Final = judge_of("exact", {})
TIGHT: Final = 0.5
"""The share of its limit that a call or a run of the solution may take: students' are slower, and times vary with the
load."""

_STEP: Final = 500  # cases that are solved between two reports of progress


class Solution:
    """A solution in a process of its own; it must be entered. `seed` is of its `random`."""

    def __init__(self, sandbox: Sandbox, authored: Authored, seed: int = 1) -> None:
        self._sandbox = sandbox
        self._authored = authored
        self._seed = seed
        self._limits = replace(authored.limits, call_s=authored.call_s, reply=Limits().reply)
        functions = {authored.function: authored.arities}
        self._program = solution_program(authored.solution, functions, authored.modules)
        self._stack = ExitStack()
        self.took_s = 0.0  # by the last call

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def _open(self) -> None:
        self._session: Session = self._stack.enter_context(
            loaded(self._sandbox, self._program, self._limits, self._seed)
        )
        self._printed = len(self._session.output()[0])  # characters that belong to earlier calls

    def begin(self, case: Case) -> None:
        """Ask; `finish` must follow."""
        self._session.begin(self._authored.function, case.args)

    def finish(self, case: Case) -> Any:
        """What is right for that case. Raises AuthorError."""
        reply = self._session.finish()
        if isinstance(reply, Fault):
            raise blame(reply, SOLUTION, self._limits, f"In the case {described(self._authored, case)}")
        self.took_s = reply.cpu_s
        return self._print(case) if self._authored.prints else reply.data

    def answer(self, case: Case) -> Any:
        """Begin and finish."""
        self.begin(case)
        return self.finish(case)

    def _print(self, case: Case) -> str:
        """What was printed in this case."""
        text, flood = self._session.output()
        if flood:
            most = f"more than {self._limits.output >> 10} KiB, which is all that is kept of what a player prints"
            raise AuthorError(SOLUTION, None, f"In the case {described(self._authored, case)}: it prints {most}.")
        printed, self._printed = text[self._printed :], len(text)
        if len(text) > self._limits.output // 2:
            self._stack.close()
            self._open()
        return printed


def solve(sandbox: Sandbox, authored: Authored, cases: Sequence[Case], heard: Heard = deaf) -> list[Case]:
    """The cases with what the solution answers, asked twice. Raises AuthorError and SandboxError."""
    solved = []
    with Solution(sandbox, authored) as first, Solution(sandbox, authored, seed=2) as second:
        for number, case in enumerate(cases, start=1):
            first.begin(case)
            second.begin(case)
            answer, other = first.finish(case), second.finish(case)
            if answer != other:
                raise _fickle(authored, case, answer, other)
            if (took_s := min(first.took_s, second.took_s)) > authored.call_s * TIGHT:
                raise _slow(authored, case, took_s)
            solved.append(replace(case, expected=answer))
            if number % _STEP == 0 or number == len(cases):
                heard("solved", number)
    return solved


def _slow(authored: Authored, case: Case, took_s: float) -> AuthorError:
    problem = f"it takes {took_s:.2g} s of the {authored.call_s:g} s that a call may take, and may take half of them"
    advice = "Raise call_s, or make the case smaller: students' functions are slower."
    return AuthorError(SOLUTION, None, f"In the case {described(authored, case)}: {problem}. {advice}")


def _fickle(authored: Authored, case: Case, answer: Any, other: Any) -> AuthorError:
    problem = (
        f"In the case {described(authored, case)}: it answers {show(answer)} in one run and {show(other)} in another."
    )
    return AuthorError(SOLUTION, None, f"{problem} Leave nothing to chance: random, time and id() may play no part.")


def check_solution(sandbox: Sandbox, authored: Authored, examples: Sequence[Case], agrees: Judging = EXACT) -> None:
    """Check that the solution answers what the examples say; `agrees` is what `solution_judge_of` of
    `grader.comparing.judging` makes of the comparator. Raises AuthorError and SandboxError."""
    for number, (example, solved) in enumerate(zip(examples, solve(sandbox, authored, examples), strict=True), start=1):
        judgement = agrees(example, solved.expected, solved.expected if authored.prints else "")
        if judgement.verdict is not Verdict.AC:
            problem = f"It fails example {number}, {described(authored, example)}: {judgement.message}"
            raise AuthorError(SOLUTION, None, f"{problem} Correct the solution or the example.")


def described(authored: Authored, case: Case) -> str:
    """The call of a case, short enough for a sentence."""
    return f"{authored.function}({', '.join(map(show, case.args))})"


def make_cases(
    sandbox: Sandbox, authored: Authored, examples: Sequence[Case] = (), agrees: Judging = EXACT, heard: Heard = deaf
) -> list[Case]:
    """The hidden cases with what is right, made by `cases.py` and a solution that passes the examples; in this order,
    no case twice. Raises AuthorError, and SandboxError for what is our own fault."""
    check_solution(sandbox, authored, examples, agrees)
    drawn: dict[str, Case] = {}
    for case in draw(sandbox, authored, heard):
        drawn.setdefault(key(case.args), case)
    return solve(sandbox, authored, [*drawn.values()], heard)
