"""A process goes on after an exception exactly if nothing can tell it from a fresh one, perhaps once it is put back."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sandbox.api import Fault, Limits, Program, Sandbox, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapSandbox

UNCHANGED = [
    "def f(n): raise ValueError(n)",
    "def f(n): return f(n)",
    "def f(n): exit()",
    "import sys\ndef f(n): sys.exit(n)",
    "def f(n): return map(str, [])",
    "def f(n):\n  print(n)\n  raise ValueError",
    "print('loaded')\ndef f(n):\n  print('x' * 40_000)\n  raise ValueError",
    "from functools import lru_cache\n@lru_cache\ndef f(n): raise KeyError({}[n])",
    "from functools import lru_cache\n@lru_cache\ndef g(n): pass\ndef f(n): return g([n])",
    "from collections import Counter, defaultdict, namedtuple\nimport math\nP = namedtuple('P', 'x y')\n"
    "def f(n): return defaultdict(int), Counter([n]), P(n, n).z, math.pi",
    "from dataclasses import dataclass\n@dataclass\nclass A:\n  x: int = 0\nb = A(3)\ndef f(n): return A(n).y",
    "class A:\n  __slots__ = ('x',)\n  def __init__(self): self.x = []\nb = A()\ndef f(n): return b.x[n]",
    "class Bad(Exception): pass\nbiggest, RANKS = max, {'A': [1, 2], 'B': (3, {4})}\ndef f(n): raise Bad(RANKS[n])",
    "from typing import Optional\nT = tuple[int, ...]\ndef f(n: Optional[T]) -> list[int]: return n.x",
    "from enum import Enum\nclass Suit(Enum):\n  HEART = 'H'\ndef f(n): return Suit(n)",
    "import re\nCARD = re.compile('[A-Z]')\ndef f(n): return CARD.match(n)",
    "from random import choice\ndef f(n): return choice([]), n",
    "def outer():\n  found = []\n  def f(n): return found[n]\n  return f\nf = outer()",
]
GENERATOR = "def g():\n  try:\n    yield 1\n  finally:\n    c[0] += 1\n"
PUT_BACK = [
    "c = 0\ndef f(n):\n  global c\n  c += 1\n  raise ValueError(c)",
    "c = []\ndef f(n):\n  c.append(n)\n  raise ValueError(c)",
    "c = {}\ndef f(n):\n  c[n] = 1\n  raise ValueError(c)",
    "def f(n, c=[]):\n  c.append(n)\n  raise ValueError(c)",
    "def f(n, *, c={}):\n  c[n] = 1\n  raise ValueError(c)",
    "def f(n):\n  f.c = getattr(f, 'c', 0) + 1\n  raise ValueError(f.c)",
    "class A:\n  def __init__(self): self.c = 0\na = A()\ndef f(n):\n  a.c += 1\n  raise ValueError(a.c)",
    "c = []\nadd = c.append\ndef f(n):\n  add(n)\n  raise ValueError(c)",
    "import random\ndef f(n): raise ValueError(random.random())",
    "import random\ndef f(n): raise ValueError(random.Random().random())",
    "import random\ndef f(n): raise ValueError(random.gauss(0, 1))",
    "from random import shuffle\nc = [*range(9)]\ndef f(n):\n  shuffle(c)\n  raise ValueError(c)",
    "def f(n):\n  globals()['c'] = globals().get('c', 0) + 1\n  raise ValueError(c)",
    "def f(n): return [0] * 10 ** 9",
    "class A:\n  c = []\n  @classmethod\n  def add(cls):\n    cls.c.append(1)\n    raise ValueError(cls.c)\n"
    "def f(n): A.add()",
    "c, d = 0, [1]\ndef f(n):\n  global c, d\n  e, c = c, d\n  del d\n  raise ValueError(e)",
    "c = {'a': 1}\ndef f(n):\n  c['b'] = c.pop('a')\n  raise ValueError",
    "c = {'a': 1, 'b': 1}\ndef f(n):\n  c['a'] = c.pop('a')\n  raise ValueError([*c])",
    "c = [[3, 1], {'a': [2]}]\ndef f(n):\n  c[0].sort()\n  c[1]['a'] += [n]\n  c.reverse()\n  raise ValueError(c)",
    "c = set()\ndef f(n):\n  c.add(n)\n  raise ValueError(c)",
    "class A:\n  pass\na = A()\ndef f(n):\n  a.c = getattr(a, 'c', 0) + 1\n  raise ValueError(a.c)",
    f"c = [0]\n{GENERATOR}def f(n):\n  each = g()\n  next(each)\n  raise ValueError(c)",
    f"c = [0]\n{GENERATOR}def f(n):\n  for _ in g():\n    return object()",
]  # fmt: skip
CHANGED = [
    "class E(Exception):\n  def __str__(self): return str(c)\n"
    f"c = [0]\n{GENERATOR}def f(n):\n  each = g()\n  next(each)\n  raise E(each)",
    f"c = [0]\n{GENERATOR}def f(n):\n  each = [g()]\n  next(each[0])\n  each.append(each)\n  raise ValueError(c)",
    "c = ([], {'a': {1}})\ndef f(n):\n  c[1]['a'].add(n + 5)\n  raise ValueError(c)",
    "class A:\n  c = 0\ndef f(n):\n  A.c += 1\n  raise ValueError(A.c)",
    "class A:\n  __slots__ = ('c',)\na = A()\na.c = 0\ndef f(n):\n  a.c += 1\n  raise ValueError(a.c)",
    "class A(list): pass\na = A()\ndef f(n):\n  a.append(n)\n  raise ValueError(a)",
    "def outer():\n  c = 0\n  def f(n):\n    nonlocal c\n    c += 1\n    raise ValueError(c)\n  return f\nf = outer()",
    "from collections import deque\nc = deque()\ndef f(n):\n  c.append(n)\n  raise ValueError(c)",
    "from functools import *\n@cache\ndef g(): return []\ndef f(n):\n  g().append(n)\n  raise ValueError(g())",
    "c = iter(range(99))\ndef f(n): raise ValueError(next(c))",
    "c = (each for each in range(99))\ndef f(n): raise ValueError(next(c))",
    "import itertools\nc = itertools.count()\ndef f(n): raise ValueError(next(c))",
    "c = bytearray()\ndef f(n):\n  c.append(n)\n  raise ValueError(c)",
    "import random\nr = random.Random(3)\ndef f(n): raise ValueError(r.random())",
    "import sys\ndef f(n):\n  n = sys.getrecursionlimit()\n  sys.setrecursionlimit(n - 1)\n  raise ValueError(n)",
    "from sys import setrecursionlimit as s, getrecursionlimit as g\ndef f(n):\n  s(g() - 1)\n  raise ValueError(g())",
    "import os\ndef f(n):\n  os.environ['C'] = os.environ.get('C', '') + 'x'\n  raise ValueError(os.environ['C'])",
    "c = 0\ndef f(n):\n  exec('c += 1', globals())\n  raise ValueError(c)",
    "def f(n):\n  __import__('builtins').c = n\n  raise ValueError(n)",
    "def f(n):\n  class A:\n    def __del__(self): pass\n  A()\n  raise ValueError",
    "async def f(n): pass",
    "from collections import OrderedDict\nc = OrderedDict(a=1, b=1)\ndef f(n):\n"
    "  c.move_to_end('a')\n  raise ValueError(c)",
    "from functools import lru_cache\n@lru_cache\ndef g(n): return [n]\ndef f(n):\n"
    "  g(0).append(n)\n  raise ValueError(g(0))",
    "class A:\n  c = 0\nd = vars(A)\ndef f(n):\n  setattr(A, 'c', A.c + 1)\n  raise ValueError(d['c'])",
    "c = {3}\ndef f(n):\n  c.add(n + 5)\n  raise ValueError(c)",
    "c = [[n] for n in range(9999)]\ndef f(n): raise ValueError(c[n])",
]  # fmt: skip


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with BubblewrapSandbox() as opened:
        yield opened


def asked(sandbox: Sandbox, source: str, lasting: bool) -> tuple[list[Any], int]:
    """What each of three calls comes to and prints, and how many processes that takes: a fresh one after each fault
    that is not harmless."""
    program = Program(source.encode(), {"f": (1,)}, lasting=lasting)
    results, starts, session = list[Any](), 0, None
    for number in range(3):
        if session is None:
            starts += 1
            session = sandbox.open(program, Limits(call_s=1.0), 1)
        assert not isinstance(session, Fault), session
        reply = call(session, "f", (number,))
        assert isinstance(reply, Fault)
        results.append((reply.verdict, reply.message, reply.traceback, reply.line, session.output()))
        if not reply.harmless:
            session.close()
            session = None
    if session:
        session.close()
    return results, starts


@pytest.mark.parametrize(
    ("source", "starts"),
    [*((each, 1) for each in (*UNCHANGED, *PUT_BACK)), *((each, 3) for each in CHANGED)],
)
def test_faults_are_the_same_as_in_fresh_processes(sandbox: Sandbox, source: str, starts: int) -> None:
    apart, _ = asked(sandbox, source, lasting=False)
    together, processes = asked(sandbox, source, lasting=True)
    assert (together, processes) == (apart, starts)


def test_a_process_goes_on_only_where_that_was_asked_for(sandbox: Sandbox) -> None:
    assert asked(sandbox, UNCHANGED[0], lasting=False)[1] == 3


def several(sandbox: Sandbox, source: str) -> Sequence[Any]:
    session = sandbox.open(Program(source.encode(), {"f": (1,)}, lasting=True), Limits(), 1)
    assert not isinstance(session, Fault), session
    replies = session.calls("f", [(number,) for number in range(6)])
    later = call(session, "f", (7,))
    session.close()
    return [*replies, later]


def test_several_calls_go_on_after_harmless_faults(sandbox: Sandbox) -> None:
    fault, several_replies = (Verdict.RTE, True), []
    for _ in range(20):  # on a busy machine, the calls of a batch end early, perhaps after the first
        *several_replies, later = several(sandbox, "c = []\ndef f(n):\n  c.append(n)\n  return len(c), n // (n % 3)")
        found = [(each.verdict, each.harmless) if isinstance(each, Fault) else each.data for each in several_replies]
        assert found == [fault, (1, 1), (2, 1), fault, (1, 4), (2, 2)][: len(found)]
        assert later.data[1] == 7
        if len(several_replies) > 1:
            break
    assert len(several_replies) > 1


def test_several_calls_end_at_a_fault_that_leaves_a_trace(sandbox: Sandbox) -> None:
    *_, last, later = several(sandbox, "c = iter(range(99))\ndef f(n): return 1 // (1 - next(c))")
    assert isinstance(last, Fault)
    assert not last.harmless
    assert later == last
