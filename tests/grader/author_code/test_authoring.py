"""An author's files, run in a jail: what they may do, and the sentence for each thing that they may not."""

from dataclasses import replace
from typing import Any

import pytest

from grader.author_code.authored import LIMITS, Authored, AuthorError, GameModules
from grader.author_code.solving import MOST_CASES, check_solution, draw, make_cases
from grader.comparing.comparators import Printed
from sandbox.api import Sandbox
from sandbox.backends.trusted import TrustedSandbox
from tournament.games.api import Case

SHORT = replace(LIMITS, load_s=0.5, call_s=0.3, game_s=0.5, memory=128 << 20)
GAME = GameModules(
    "bo",
    {
        "plays": "from tournament.games.bo import words\nfrom .words import NAME\ndef double(n): return 2 * n\n",
        "words": "from tournament.games.cards import PACK\nNAME = PACK[0]\n",
        "bots.easy": "from ..plays import double\nfrom game import plays\nassert plays.double is double\n",
        "broken": "1 +\n",
    },
)
NUMBERS = "def cases(rng):\n    for n in range(5):\n        yield (n, rng.randrange(100))\n"
ADD = "def add(a, b):\n    return a + b\n"


def authored(cases: str = NUMBERS, solution: str = ADD, **more: Any) -> Authored:
    return Authored(cases, solution, "add", (2,), "a seed", GAME, limits=SHORT, **more)


def test_cases_follow_from_the_seed_and_the_solution_says_what_is_right(sandbox: Sandbox) -> None:
    heard: list[tuple[str, int]] = []
    cases = make_cases(sandbox, authored(), heard=lambda stage, count: heard.append((stage, count)))
    assert [case.args[0] for case in cases] == [0, 1, 2, 3, 4]
    assert all(case.expected == sum(case.args) for case in cases)
    assert heard == [("drawn", 5), ("solved", 5)]
    assert cases == make_cases(sandbox, authored())
    assert cases != make_cases(sandbox, replace(authored(), seed="another"))


def test_without_a_jail_the_cases_are_the_same(sandbox: Sandbox) -> None:
    """The trusted sandbox runs the files of the built-in assignments on a student's own machine."""
    imports = authored("from game.plays import NAME\n" + NUMBERS.replace("100)", "100) + len(NAME)"))
    with TrustedSandbox() as trusted:
        assert make_cases(trusted, imports) == make_cases(sandbox, imports)


YIELDED = [
    ("yield (1, [2])", Case((1, [2]), None)),
    ("yield {'args': (1, 2), 'title': 'a title'}", Case((1, 2), None, "a title")),
    ("yield {'args': (1, 2)}", Case((1, 2), None)),
    (
        "from tournament.games.api import Case\n    yield Case((1, 2), 'ignored', 'a title')",
        Case((1, 2), None, "a title"),
    ),
    ("from collections import namedtuple\n    yield namedtuple('Two', 'a b')(1, {2: {3}})", Case((1, {2: {3}}), None)),
    ("yield {'args': (1, 2), 'title': '\\x1b[2J'}", Case((1, 2), None, r"\x1b[2J")),
    ("return [(1, 2)]", Case((1, 2), None)),
    ("cards = [1]\n    yield (1, cards)\n    cards.append(2)", Case((1, [1]), None)),
    ("import solution\n    yield 1, solution.add(1, 2)", Case((1, 3), None)),
    ("from game.plays import double, NAME\n    yield double(2), NAME", Case((4, "AS"), None)),
    ("import game.plays, tournament.games.bo.plays as same\n    yield game.plays is same, 1", Case((True, 1), None)),
    ("from game.bots import easy\n    yield easy.double(3), 1", Case((6, 1), None)),
    ("print('x' * 10**6)\n    yield 1, 2", Case((1, 2), None)),
    ("import sys\n    yield 1, sorted(m for m in sys.modules if m.startswith('grader'))", Case((1, []), None)),
]


@pytest.mark.parametrize(("body", "case"), YIELDED)
def test_what_may_be_yielded_and_imported(sandbox: Sandbox, body: str, case: Case) -> None:
    assert draw(sandbox, authored(f"def cases(rng):\n    {body}\n")) == [case]


BAD_CASES = [
    ("while True:\n        pass", 2, "more than the 0.3 s of computing time allowed"),
    ("import time\n    time.sleep(9)\n    yield", None, "does it sleep or wait?"),
    ("keep = []\n    while True:\n        keep.append([0] * 100_000)", None, "128 MiB of memory"),
    ("for n in range(10**6):\n        yield n, n", None, f"more than {MOST_CASES:,} cases"),
    ("for n in range(200):\n        yield n, 'x' * 50_000", None, "more than 8 MiB of data"),
    ("yield 1, 'x' * 200_000", None, "Case 1 is too large"),
    ("import socket\n    socket.socket()\n    yield", 3, "use the network"),
    ("open('/etc/passwd')\n    yield", 2, "without a network, other files or other programs"),
    ("open('notes.txt', 'w')\n    yield", 2, "An author's file runs in a jail"),
    ("import os\n    os.fork()\n    yield", 3, "An author's file runs in a jail"),
    ("import os\n    os._exit(0)\n    yield", None, "ended the whole program"),
    ("import time\n    yield 1, time.time_ns()", None, "case 1 is the first that differs"),
    ("import os\n    yield 1, 2\n    yield 3, os.urandom(9).hex()", None, "case 2 is the first that differs"),
    ("import random\n    yield 1, random.random()", None, "must use the argument rng"),
    ("yield 1, 2\n    yield [1, 2]", 3, "Case 2 is a list, and must be a tuple of arguments"),
    ("yield 1, 2, 3", 2, "Case 1 has 3 arguments, but the function takes 2."),
    ("yield 1, object()", 2, "Case 1 contains an object; only numbers, strings"),
    ("yield 1, float('nan')", 2, "Case 1 contains the number nan"),
    ("yield 1, 10**5000", 2, "Case 1 contains an integer of thousands of digits"),
    ("loop = []\n    loop.append(loop)\n    yield 1, loop", 4, "Case 1 contains a value that contains itself"),
    ("yield {'title': 'no arguments'}", 2, 'Case 1 is a dictionary without the key "args"'),
    ("yield {'args': (1, 2), 'title': 3}", 2, "Case 1 has an int as its title"),
    ("print(1)", 1, "is a yield statement missing?"),
    ("return\n    yield", None, "It yields no case at all."),
    ("yield 1 / 0, 2", 2, "It raised ZeroDivisionError on line 2"),
    ("import game.ploys\n    yield", 2, "the game has no module ploys; it has bots.easy, broken, plays, words"),
    ("import game.broken\n    yield", 2, "SyntaxError"),
    ("import grader.author_code\n    yield", 2, "It imports grader on line 2"),
    ("import builtins\n    builtins.tuple = list\n    yield 1, 2", None, ""),
    ("import _authoring\n    _authoring.CaseMaker.make = None\n    yield 1, object()", 4, "contains an object"),
    (
        "import _authoring\n    _authoring._checked_case = lambda *a: ('x', 5)\n    yield 1, 2",
        None,
        "how Quadrille's own code works",
    ),
]


@pytest.mark.parametrize(("body", "line", "problem"), BAD_CASES)
def test_a_bad_generator_gets_a_sentence(sandbox: Sandbox, body: str, line: int | None, problem: str) -> None:
    with pytest.raises(AuthorError) as raised:
        draw(sandbox, authored(f"def cases(rng):\n    {body}\n"))
    assert problem in raised.value.problem
    assert raised.value.file == "cases.py"
    assert line is None or raised.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("def cases(rng)\n", 1, "not a Python program"),
        ("x = '\ud800'\n", None, "not a Python program"),
        ("#" * 300_000, None, "larger than the limit of 256 KiB"),
        ("def casses(rng):\n    yield\n", None, "does not define the function cases"),
        ("def cases():\n    yield\n", None, "will be called with 1 argument"),
        ("\nraise ValueError('no')\n", 2, "It raised ValueError on line 2: 'no'"),
        ("\n\nwhile True:\n    pass\n", 3, "took more than the 0.5 s"),
        ("from numpy import array\n", 1, "only the standard library and the assignment's game (as game) are available"),
    ],
)
def test_a_generator_that_cannot_be_loaded(sandbox: Sandbox, text: str, line: int | None, problem: str) -> None:
    with pytest.raises(AuthorError, match=r"^cases\.py") as raised:
        draw(sandbox, authored(text))
    assert problem in raised.value.problem
    assert line is None or raised.value.line == line


BAD_SOLUTIONS = [
    ("x = 1", None, "does not define the function add"),
    ("def add(a):\n    return a", None, "will be called with 2 arguments, but takes only 1"),
    ("def add(a, b):\n    while b == b:\n        pass", 2, "In the case add(0, "),
    ("def add(a, b):\n    return 1 / a", 2, "ZeroDivisionError"),
    ("def add(a, b):\n    return object()", None, "In the case add(0, "),
    ("def add(a, b):\n    return 'x' * 70_000", None, "the limit is 65,536"),
    (
        "import random\ndef add(a, b):\n    return random.random()",
        None,
        "in another. The result must not depend on random",
    ),
    (
        "import time\ndef add(a, b):\n    return time.time_ns()",
        None,
        "in another. The result must not depend on random",
    ),
    ("def add(a, b):\n    return open('/data')", 2, "An author's file runs in a jail"),
    ("def add(a, b):\n    return [0] * 10**9", 2, "128 MiB of memory"),
    ("from solution import add", 1, "solution"),
    (
        "import time\ndef add(a, b):\n    t = time.process_time()\n    while time.process_time() < t + .2: pass",
        None,
        "s, but may take at most half of the 0.3 s allowed for a call",
    ),
]


@pytest.mark.parametrize(("text", "line", "problem"), BAD_SOLUTIONS)
def test_a_bad_solution_gets_a_sentence(sandbox: Sandbox, text: str, line: int | None, problem: str) -> None:
    with pytest.raises(AuthorError) as raised:
        make_cases(sandbox, authored(solution=text, call_s=0.3))
    assert problem in raised.value.problem
    assert (raised.value.file, line is None or raised.value.line) == ("solution.py", line is None or line)


def test_a_solution_must_pass_the_examples(sandbox: Sandbox) -> None:
    check_solution(sandbox, authored(), [Case((1, 2), 3), Case(("a", "b"), "ab")])
    with pytest.raises(AuthorError, match=r"It fails example 2, add\(1, 2\): Returned 3, expected 4\. Correct"):
        check_solution(sandbox, authored(), [Case((1, 1), 2), Case((1, 2), 4)])


def test_what_the_solution_prints_may_be_what_is_right(sandbox: Sandbox) -> None:
    tells = authored(solution="print('loaded')\ndef add(a, b):\n    print(a, b)\n", prints=True)
    assert [case.expected for case in make_cases(sandbox, tells)][:2] == [f"{n} {b}\n" for n, b in first_two(sandbox)]
    check_solution(sandbox, tells, [Case((1, 2), "1 2")], Printed().agreement())
    floods = authored(solution="def add(a, b):\n    print('x' * 70_000)\n", prints=True)
    with pytest.raises(AuthorError, match="it prints more than 64 KiB"):
        make_cases(sandbox, floods)


def first_two(sandbox: Sandbox) -> list[tuple[Any, ...]]:
    return [case.args for case in draw(sandbox, authored())[:2]]


def test_there_may_be_as_many_cases_as_the_limit_says(sandbox: Sandbox) -> None:
    whole = authored(f"def cases(rng):\n    for n in range({MOST_CASES}):\n        yield n, n\n")
    assert len(draw(sandbox, replace(whole, limits=LIMITS))) == MOST_CASES


def test_a_case_that_comes_twice_is_asked_once(sandbox: Sandbox) -> None:
    cases = make_cases(sandbox, authored("def cases(rng):\n    yield 1, 2\n    yield True, 2\n    yield 1, 2\n"))
    assert [repr(case.args) for case in cases] == ["(1, 2)", "(True, 2)"]


def test_the_key_of_a_case_set_follows_from_all_that_it_depends_on() -> None:
    one = authored()
    others = [
        replace(one, cases=ADD), replace(one, solution=NUMBERS), replace(one, function="f"), replace(one, arities=(3,)),
        replace(one, seed="b"), replace(one, prints=True), replace(one, modules=GameModules("bo", {"plays": ""})),
    ]  # fmt: skip
    assert len({each.key for each in (one, *others)}) == 1 + len(others)
    assert one.key == authored().key == replace(one, call_s=9.0).key
