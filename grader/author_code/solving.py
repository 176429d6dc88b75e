"""Generates a question's cases with `cases.py` and calls `solution.py` for the right answers, in the same way as a
student's player is called. Both files run twice, in new processes, to detect cases that differ between runs.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final, NamedTuple, Self

from grader.author_code.authored import (
    CASES,
    SOLUTION,
    SPOILT,
    Authored,
    AuthorError,
    Heard,
    blame,
    cases_program,
    deaf,
    loaded,
    solution_program,
)
from grader.comparing.judging import Judging, judge_of
from sandbox.api import Fault, Limits, Reply, Sandbox, SentText, Session, Verdict, call
from sandbox.visible import visible_line
from tournament.games.api import Case
from tournament.games.judges import key
from tournament.games.text import show

MOST_CASES: Final = 10_000
MOST_DATA: Final = 8 << 20  # total characters of a question's cases, as Python literals
_STEP: Final = 500  # cases drawn or solved between two progress reports
_FEW: Final = 10  # cases that are drawn first if a few may be enough
MOST_DRAWN_S: Final = 10.0  # CPU time for drawing some of the cases
_REPLIES: Final = MOST_DATA // (16 << 10) + 2  # any two replies together contain more than 32 Ki characters


def draw(sandbox: Sandbox, authored: Authored, heard: Heard = deaf) -> list[Case]:
    """Return the cases that `cases.py` yields, without the right answers. Raises AuthorError and SandboxError."""
    made = cases_program(SentText(authored.cases), authored.solution, authored.modules)
    with ExitStack() as stack:
        runs = [stack.enter_context(loaded(sandbox, made, authored.limits, seed)) for seed in (1, 2)]
        count = _make_all(runs, authored, heard)
        return list(_taken_cases(authored, runs[0], 0, count))


def draw_some(sandbox: Sandbox, authored: Authored) -> Generator[Case, None, bool]:
    """Yield the cases of `cases.py`, drawn a few at a time, until drawing has taken `MOST_DRAWN_S`. Returns whether
    these were all cases. Raises AuthorError and SandboxError."""
    made = cases_program(SentText(authored.cases), authored.solution, authored.modules)
    with loaded(sandbox, made, authored.limits) as run:
        count, wanted, took_s = 0, _FEW, 0.0
        while count < MOST_CASES and took_s < MOST_DRAWN_S:
            reply = call(run, "quadrille_make", (authored.seed, wanted, authored.arities))
            took_s += reply.cpu_s
            step = _checked_step(_step(authored, reply, wanted))
            yield from _taken_cases(authored, run, count, count + len(step.hashes))
            count, wanted = count + len(step.hashes), min(4 * wanted, _STEP)
            if step.done:
                return True
    return False


class _Step(NamedTuple):
    """The report of `cases.py` on one step; see `driver.CaseMaker.make`."""

    hashes: list[int]
    size: int
    done: bool
    problem: str
    line: int


def _make_all(runs: Sequence[Session], authored: Authored, heard: Heard) -> int:
    """Generate all cases in both runs in parallel, and compare the runs after each step. Returns the number of
    cases."""
    count, done = 0, False
    while not done:
        for run in runs:
            run.begin("quadrille_make", (authored.seed, _STEP, authored.arities))
        first, second = (_step(authored, run.finish(), _STEP) for run in runs)
        _compare(first, second, count)
        _checked_step(first)
        count, done = count + len(first.hashes), first.done
        heard("drawn", count)
        if count > MOST_CASES:
            raise AuthorError(CASES, None, f"It yields more than {MOST_CASES:,} cases. Make it stop sooner.")
    if not count:
        raise AuthorError(CASES, None, "It yields no case at all.")
    return count


def _step(authored: Authored, reply: Reply, most: int) -> _Step:
    match _value_of(authored, reply):
        case ([*hashes], int(size), bool(done), str(problem), int(line)) if len(hashes) <= most:
            return _Step(hashes, size, done, problem, line)
    raise AuthorError(CASES, None, SPOILT)


def _value_of(authored: Authored, reply: Reply) -> Any:
    if isinstance(reply, Fault):
        raise blame(reply, CASES, authored.limits)
    return reply.data


def _checked_step(step: _Step) -> _Step:
    if step.problem:
        raise AuthorError(CASES, step.line or None, step.problem)
    if step.size > MOST_DATA:
        much = f"more than {MOST_DATA >> 20} MiB of data"
        raise AuthorError(CASES, None, f"The cases contain {much}. Yield fewer or smaller cases.")
    return step


def _compare(first: _Step, second: _Step, count: int) -> None:
    if first == second:
        return
    ends = min(len(first.hashes), len(second.hashes))
    pairs = zip(first.hashes, second.hashes, strict=False)
    differs = next((at for at, (one, other) in enumerate(pairs) if one != other), ends)
    problem = f"It yields different cases each time it runs; case {count + differs + 1} is the first that differs."
    advice = "All random choices must use the argument rng, and nothing may depend on the time, id() or SystemRandom."
    raise AuthorError(CASES, None, f"{problem} {advice}")


def _taken_cases(authored: Authored, run: Session, taken: int, count: int) -> Iterator[Case]:
    """Yield the cases of a run from number `taken` to `count`. Each request returns as many cases as fit into one
    reply."""
    for _ in range(_REPLIES):
        if taken >= count:
            return
        reply = call(run, "quadrille_take", (taken,))
        if isinstance(reply, Fault) and reply.verdict is Verdict.MALFORMED:
            problem = f"Case {taken + 1} is too large: it contains more than about 100,000 characters."
            raise AuthorError(CASES, None, problem)
        data = _value_of(authored, reply)
        some = [*map(_case_of, data)] if isinstance(data, list) else []
        yield from some
        taken += len(some)
    raise AuthorError(CASES, None, SPOILT)


def _case_of(data: Any) -> Case:
    match data:
        case ([*_] as args, str(title)) if type(args) is tuple:
            return Case(args, None, visible_line(title))
    raise AuthorError(CASES, None, SPOILT)


EXACT: Final = judge_of("exact", {})
TIGHT: Final = 0.5
"""The share of the time limit that a call or a run of the solution may use. It is less than 1 because students' code is
slower, and because times vary."""


class Solution(ExitStack):
    """A solution in a process of its own, for use in a `with` statement. `seed` seeds the solution's module
    `random`."""

    def __init__(self, sandbox: Sandbox, authored: Authored, seed: int = 1) -> None:
        super().__init__()
        self._sandbox = sandbox
        self._authored = authored
        self._seed = seed
        self._limits = replace(authored.limits, call_s=authored.call_s, reply=Limits().reply)
        functions = {authored.function: authored.arities}
        self._program = solution_program(authored.solution, functions, authored.modules)
        self.took_s = 0.0  # CPU time of the last call

    def __enter__(self) -> Self:
        self._open()
        return self

    def _open(self) -> None:
        run = loaded(self._sandbox, self._program, self._limits, self._seed)
        self._session = self.enter_context(run)
        self._printed = len(self._session.output()[0])  # characters printed by earlier calls

    def begin(self, case: Case) -> None:
        """Start the solution's call for a case; call `finish` next."""
        self._session.begin(self._authored.function, case.args)

    def finish(self, case: Case) -> Any:
        """Return the solution's answer to the case. Raises AuthorError and SandboxError."""
        reply = self._session.finish()
        if isinstance(reply, Fault):
            raise blame(reply, SOLUTION, self._limits, f"In the case {described(self._authored, case)}")
        self.took_s = reply.cpu_s
        return self._print(case) if self._authored.prints else reply.data

    def answer(self, case: Case) -> Any:
        """Call `begin` and `finish`, and return the answer."""
        self.begin(case)
        return self.finish(case)

    def _print(self, case: Case) -> str:
        text, flood = self._session.output()
        if flood:
            most = f"more than {self._limits.output >> 10} KiB, which is the most that is kept of a player's output"
            raise AuthorError(SOLUTION, None, f"In the case {described(self._authored, case)}: it prints {most}.")
        printed, self._printed = text[self._printed :], len(text)
        if len(text) > self._limits.output // 2:
            self.close()
            self._open()
        return printed


def solve(sandbox: Sandbox, authored: Authored, cases: Sequence[Case], heard: Heard = deaf) -> list[Case]:
    """Return the cases with the solution's answers, each of which is calculated twice. Raises AuthorError and
    SandboxError."""
    solved = []
    with Solution(sandbox, authored) as first, Solution(sandbox, authored, seed=2) as second:
        for number, case in enumerate(cases, start=1):
            first.begin(case)
            second.begin(case)
            answer, other = first.finish(case), second.finish(case)
            took_s, problem = min(first.took_s, second.took_s), ""
            if answer != other:
                problem = f"it answers {show(answer)} in one run and {show(other)} in another. "
                problem += "The result must not depend on random, time or id()."
            elif took_s > authored.call_s * TIGHT:
                problem = (
                    f"it takes {took_s:.2g} s, but may take at most half of the {authored.call_s:g} s allowed for a "
                )
                problem += "call. Raise call_s, or make the case smaller, because students' functions are slower."
            if problem:
                raise AuthorError(SOLUTION, None, f"In the case {described(authored, case)}: {problem}")
            solved.append(replace(case, expected=answer))
            if number % _STEP == 0 or number == len(cases):
                heard("solved", number)
    return solved


def check_solution(sandbox: Sandbox, authored: Authored, examples: Sequence[Case], agrees: Judging = EXACT) -> None:
    """Check that the solution returns the answers of the examples. `agrees` is the `agreement` of the comparator (see
    `grader.comparing.comparators`). Raises AuthorError and SandboxError."""
    wrong = list[str]()
    for number, (example, solved) in enumerate(zip(examples, solve(sandbox, authored, examples), strict=True), start=1):
        judgement = agrees(example, solved.expected, solved.expected if authored.prints else "")
        if judgement.verdict is not Verdict.AC:
            problem = f"It fails example {number}, {described(authored, example)}: {judgement.message}"
            wrong.append(f"{problem} Correct the solution or the example.")
    if wrong:
        error = AuthorError(SOLUTION, None, wrong[0])
        error.more = [(None, each) for each in wrong[1:]]
        raise error


def described(authored: Authored, case: Case) -> str:
    """Return the call of a case, short enough to fit into a sentence."""
    return f"{authored.function}({', '.join(map(show, case.args))})"


def make_cases(
    sandbox: Sandbox, authored: Authored, examples: Sequence[Case] = (), agrees: Judging = EXACT, heard: Heard = deaf
) -> list[Case]:
    """Return the hidden cases with the right answers, in the order of `cases.py` and without duplicates. Raises
    AuthorError and SandboxError."""
    check_solution(sandbox, authored, examples, agrees)
    drawn: dict[str, Case] = {}
    for case in draw(sandbox, authored, heard):
        drawn.setdefault(key(case.args), case)
    return solve(sandbox, authored, [*drawn.values()], heard)
