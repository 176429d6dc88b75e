"""The processor time of grading players with usual mistakes, beside a right one."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import mean
from typing import Final

from psutil import NoSuchProcess, Process

from grader.authoring.course_folder.course import builtin
from grader.authoring.papers import make_paper
from grader.definition.paper import Paper
from grader.grading.grade import full_report
from grader.programs.jails import Jails
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure
from tests.bench.installation import GAME
from tournament.play.games import find_game

BODIES: Final[Mapping[str, str]] = {
    "raises": "raise ValueError(args)",
    "raises_for_some": "return {'2': True, '3': False}[str(args)[2]]",
    "prints_and_raises": "print(args)\n    raise ValueError",
    "counts_and_raises": "global calls\n    calls += 1\n    raise ValueError(calls)",
    "remembers_and_raises": "seen.append(args)\n    return seen[len(args) + len(seen)]",
    "draws_and_raises": "return random.choice(args).lose()",
    "cached": "return {args: 1}",
    "wrong_type": "return 'True'",
    "returns_an_object": "return object()",
    "catches_all": "try:\n        return args[99]\n    except Exception:\n        pass",
    "returns_nothing": "print(True)",
    "yields": "yield True",
    "prints_much": "print('x\\n' * 1000)\n    return True",
    "calls_itself": "return {name}(*args)",
    "mutates": "for each in args:\n        if isinstance(each, list):\n            each.clear()\n    return True",
    "asks_the_user": "return input()",
    "exits": "sys.exit()",
    "ends_its_process": "os._exit(1)",
    "too_much_memory": "return [0] * 10 ** 10",
    "grows": "found = []\n    while True:\n        found.append('x' * 100_000)",
    "slow": "time.sleep(0.02)\n    return True",
    "loops": "while True:\n        pass",
}
"""What every function does; these have the parameters `*args`."""

FILES: Final[Mapping[str, str]] = {
    "wrong_name": "def match(a, b):\n    return True\n",
    "syntax_error": "def match(a, b)\n    return True\n",
    "foreign_module": "import numpy\n",
    "loops_at_import": "while True:\n    pass\n",
}
COSTLY: Final = frozenset(("calls_itself", "ends_its_process", "grows", "slow", "loops", "loops_at_import"))
"""What goes a thousand calls deep in each case, needs a fresh process for each, or takes the time or memory that it may
take: without a target."""
RUNS: Final = 10  # of the right player, whose time for one is near the resolution of the kernel's counts
MODULES: Final = {"os._": "os", "sys.": "sys", "time.": "time", "random.": "random"}


def measure() -> Iterator[Figure | str]:
    """`mistakes.<what>`: seconds of processor time, in this process and in the jail. Raises SandboxUnavailable."""
    with open_sandbox() as sandbox, open_sandbox() as authors:
        paper, jails = make_paper(builtin(GAME), authors), Jails(lambda: sandbox, lambda: authors)
        right = find_game(GAME).folder.joinpath("reference.py").read_bytes()
        reference = mean(_seconds(paper, right, jails) for _ in range(RUNS))
        for name, source in sources(paper).items():
            yield f"mistakes: {name}"
            yield Figure(f"mistakes.{name}", _seconds(paper, source.encode(), jails), "s", reference)


def sources(paper: Paper) -> Mapping[str, str]:
    """A file with each mistake."""
    made = dict(FILES)
    for what, body in BODIES.items():
        imports = "".join(f"import {module}\n" for sign, module in MODULES.items() if sign in body)
        asked = [question.function for question in paper.functions]
        made[what] = f"{imports}calls, seen = 0, []\n" + "".join(
            f"def {name}(*args):\n    {body.replace('{name}', name)}\n" for name in asked
        )
    return made


def _seconds(paper: Paper, source: bytes, jails: Jails) -> float:
    before = used_s()
    full_report(paper, source, jails)
    return used_s() - before


def used_s() -> float:
    """What this process and its jails have used, with the players that have ended."""
    used = 0.0
    for process in (own := Process(), *own.children(recursive=True)):
        with suppress(NoSuchProcess):  # then its jail has what it used
            times = process.cpu_times()
            used += times.user + times.system + (times.children_user + times.children_system if process != own else 0)
    return used
