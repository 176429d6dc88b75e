"""Has `cases.py` draw the cases of a question.

It is run twice, in fresh processes: cases that differ the second time would differ whenever they are made again.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final, NamedTuple

from grader.author_code.authored import SPOILT, Authored, Heard, deaf, loaded
from grader.author_code.errors import AuthorError, blame
from grader.author_code.program import CASES, cases_program
from sandbox.api import Fault, Reply, Sandbox, SentText, Session, Verdict, call
from sandbox.visible import visible_line
from tournament.games.api import Case

MOST_CASES: Final = 10_000
MOST_DATA: Final = 8 << 20
"""Characters of all cases of a question together, as Python writes them."""

_STEP: Final = 500  # cases that are drawn between two reports of progress
_FEW: Final = 10  # cases that are drawn first where few may be enough
_REPLIES: Final = MOST_DATA // (16 << 10) + 2  # any two of them hold more than 32 Ki characters together


def draw(sandbox: Sandbox, authored: Authored, heard: Heard = deaf) -> list[Case]:
    """The cases that `cases.py` yields, without what is right. Raises AuthorError and SandboxError."""
    made = cases_program(SentText(authored.cases), authored.solution, authored.modules)
    with ExitStack() as stack:
        runs = [stack.enter_context(loaded(sandbox, made, authored.limits, seed)) for seed in (1, 2)]
        count = _make_all(runs, authored, heard)
        return list(_taken(authored, runs[0], 0, count))


def draw_some(sandbox: Sandbox, authored: Authored, most: int) -> Generator[Case, None, None]:
    """The first cases that `cases.py` yields, at most that many: drawn a few at a time, as they are needed."""
    made = cases_program(SentText(authored.cases), authored.solution, authored.modules)
    with loaded(sandbox, made, authored.limits) as run:
        count, wanted, done = 0, _FEW, False
        while count < most and not done:
            wanted = min(wanted, most - count)
            _begin(run, authored, wanted)
            step = _checked(_step(authored, run.finish(), wanted))
            yield from _taken(authored, run, count, count + len(step.hashes))
            count, wanted, done = count + len(step.hashes), 4 * wanted, step.done


class _Step(NamedTuple):
    """What a run of `cases.py` says about its last step: see `driver.CaseMaker.make`."""

    hashes: list[int]
    size: int
    done: bool
    problem: str
    line: int


def _make_all(runs: Sequence[Session], authored: Authored, heard: Heard) -> int:
    """Have both runs make all cases, step by step at the same time, and compare them; how many there are."""
    count, done = 0, False
    while not done:
        for run in runs:
            _begin(run, authored, _STEP)
        first, second = (_step(authored, run.finish(), _STEP) for run in runs)
        _compare(first, second, count)
        _checked(first)
        count, done = count + len(first.hashes), first.done
        heard("drawn", count)
        if count > MOST_CASES:
            raise AuthorError(CASES, None, f"It yields more than {MOST_CASES:,} cases. Have it stop sooner.")
    if not count:
        raise AuthorError(CASES, None, "It yields no case at all.")
    return count


def _begin(run: Session, authored: Authored, count: int) -> None:
    run.begin("quadrille_make", (authored.seed, count, authored.arities))


def _step(authored: Authored, reply: Reply, most: int) -> _Step:
    match _value(authored, reply):
        case ([*hashes], int(size), bool(done), str(problem), int(line)) if len(hashes) <= most:
            return _Step(hashes, size, done, problem, line)
    raise AuthorError(CASES, None, SPOILT)


def _value(authored: Authored, reply: Reply) -> Any:
    if isinstance(reply, Fault):
        raise blame(reply, CASES, authored.limits)
    return reply.data


def _checked(step: _Step) -> _Step:
    if step.problem:
        raise AuthorError(CASES, step.line or None, step.problem)
    if step.size > MOST_DATA:
        much = f"more than {MOST_DATA >> 20} MiB of data"
        raise AuthorError(CASES, None, f"The cases hold {much}. Have it yield fewer or smaller cases.")
    return step


def _compare(first: _Step, second: _Step, count: int) -> None:
    if first == second:
        return
    ends = min(len(first.hashes), len(second.hashes))
    pairs = zip(first.hashes, second.hashes, strict=False)
    differs = next((at for at, (one, other) in enumerate(pairs) if one != other), ends)
    problem = f"It yields other cases each time that it is run; case {count + differs + 1} is the first that differs."
    advice = "All that is random must come from the argument rng; the time, id() and SystemRandom may play no part."
    raise AuthorError(CASES, None, f"{problem} {advice}")


def _taken(authored: Authored, run: Session, taken: int, count: int) -> Iterator[Case]:
    """The cases that a run has made, without those that were taken before; as many as can be sent at a time."""
    for _ in range(_REPLIES):
        if taken >= count:
            return
        reply = call(run, "quadrille_take", (taken,))
        if isinstance(reply, Fault) and reply.verdict is Verdict.MALFORMED:
            problem = f"Case {taken + 1} is too large: it holds more than about 100,000 characters."
            raise AuthorError(CASES, None, problem)
        data = _value(authored, reply)
        some = [*map(_case, data)] if isinstance(data, list) else []
        yield from some
        taken += len(some)
    raise AuthorError(CASES, None, SPOILT)


def _case(data: Any) -> Case:
    match data:
        case ([*_] as args, str(title)) if type(args) is tuple:
            return Case(args, None, visible_line(title))
    raise AuthorError(CASES, None, SPOILT)
