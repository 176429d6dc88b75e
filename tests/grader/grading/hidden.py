"""Players that want to carry hidden cases out, and an assignment whose hidden cases can be exchanged."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import pytest

from grader.definition.model import Definition
from grader.definition.paper import Paper, paper
from grader.definition.question import FunctionQuestion, Shows
from grader.grading import questioning
from grader.grading.grade import full_report
from grader.grading.report import Report
from grader.programs.jails import Jails
from grader.programs.shown import CaseResult
from grader.submissions.work import Progress
from sandbox.api import Limits, Sandbox
from tournament.games.api import Case

SETS: Final = {"odd": range(1001, 9999, 900), "even": range(1002, 9999, 900)}
"""The hidden arguments of every question, in the one version of the assignment and in the other."""

KINDS: Final = [each for each in Shows if each is not Shows.ALL]
"""There is a question for each of these settings."""

GENERATOR: Final = "def cases(rng):\n    for _ in range(300):\n        yield (rng.randrange(10_000),)\n"
EXAMPLES: Final = (2, 3, 24, 35)

PLAYER: Final = """\
import marshal, os, sys, time

KEPT = set()

def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def known(n):
    '''The arguments of all calls that this process has heard of, those of later ones included.'''
    KEPT.add(n)
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value) is list:
                KEPT.update(marshal.loads(each)[0] for each in value if type(each) is bytes)
        frame = frame.f_back
    return sorted(KEPT)

def answer(n):
    all = known(n)
    odd = any(each % 2 for each in all if each > 1000)
    BODY
"""

PLAYERS: Final = {
    "returns it": "return repr(all)",
    "raises it": "raise ValueError(repr(all))",
    "raises at a line of its choice": "if odd: return 1 // 0\n    return 1 // 0",
    "raises what it chooses": "raise ValueError if odd else KeyError",
    "prints it": "print(all)\n    return 0",
    "prints too much": "print('x' * 200_000 if odd else '')\n    return 0",
    "passes": "return 2 * n if odd and n > 1000 else 0",
    "chooses the type": "return '' if odd else 0",
    "computes": "compute(.04 if odd else 0)\n    return 0",
    "sleeps": "time.sleep(.04 if odd else 0)\n    return 0",
    "runs out of time": "compute(9 if odd else 0)\n    return 0",
    "uses the budget up": "compute(.15 if odd else 0)\n    return 0",
    "ends its process": "if odd: os._exit(1)\n    return 0",
}
"""What each does with what it knows, on one line or more. None answers an example right."""

LIMITS: Final = Limits(load_s=1, grading_s=0.9)


def player(does: str) -> bytes:
    """The file of a player, with a function for each question."""
    return (PLAYER.replace("BODY", does) + "\n" + "".join(f"{_name(each)} = answer\n" for each in KINDS)).encode()


def definition() -> Definition:
    """The assignment."""
    return Definition(title="Doubles", questions=tuple(map(_question, KINDS)))


def _name(shows: Shows) -> str:
    return f"double_{shows.value}"


def _question(shows: Shows) -> FunctionQuestion:
    name = _name(shows)
    return FunctionQuestion(
        slug=shows.value,
        title="Twice as much",
        function=name,
        parameters=("n",),
        examples="".join(f">>> {name}({n})\n{2 * n}\n" for n in EXAMPLES),
        cases=GENERATOR,
        solution=f"def {name}(n):\n    return 2 * n\n",
        shows=shows,
        call_s=0.2,
    )


def asked(hidden: str) -> Paper:
    """The paper with one of the two sets of hidden cases, called the same and equally long."""
    cases = [Case((n,), 2 * n, "") for n in SETS[hidden]]
    return paper(definition(), {each.value: cases for each in KINDS})


def graded(sandbox: Sandbox, source: bytes, hidden: str) -> tuple[Report, list[dict[str, Any]]]:
    """The whole report, and everything that the page may have shown meanwhile. How many cases a process is asked at
    once, which these players show, depends on no slow call: a busy machine would make the difference."""
    questions = asked(hidden)
    progress = Progress(questions)
    told = [progress.to_json()]

    def hear(result: CaseResult) -> None:
        progress.hear(result)
        if told[-1] != (now := progress.to_json()):
            told.append(now)

    jails = Jails(lambda: sandbox, lambda: sandbox, limits=LIMITS, secret="of the installation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questioning, "_QUICK_S", inf)
        return full_report(questions, source, jails, hear), told


def without_times(data: Any) -> Any:
    """Plain data without the times of the cases in it, which differ each time."""
    if isinstance(data, Mapping):
        return {key: 0.0 if key == "cpu_ms" else without_times(each) for key, each in data.items()}
    return [without_times(each) for each in data] if isinstance(data, list) else data


def assert_same(one: str, other: str) -> None:
    """Fail at the first difference. A plain `assert` would take seconds to compare texts this long, even where a test
    expects the failure."""
    if one != other:
        at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        shown = slice(max(0, at - 200), at + 200)
        raise AssertionError(f"{one[shown]!r} is not {other[shown]!r}")
