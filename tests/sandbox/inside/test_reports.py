"""Whether a player's function takes as many arguments as it will get."""

import inspect
from typing import Any

import pytest

from sandbox.api import Fault, Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.inside.reports import missing_report

SHAPES = [
    "def f(a, b): pass",
    "def f(*args): pass",
    "def f(a, *args, **more): pass",
    "def f(a, b=1, *, c=2): pass",
    "def f(a, *, c): pass",
    "def f(*args, c): pass",
    "@lru_cache\ndef f(a, b): pass",
    "@lru_cache(maxsize=None)\ndef f(*args): pass",
    "@timed\ndef f(a, b): pass",
    "@timed\n@lru_cache\ndef f(a, b=1): pass",
    "@lru_cache\n@timed\ndef f(*args): pass",
    "def f(*args): pass\nf.__signature__ = Signature()",
    "def f(*args): pass\nf.__wrapped__ = len",
    "class f:\n  def __init__(self, a): pass",
    "f = partial(lambda a, b: a, 1)",
]
BEFORE = """
from functools import lru_cache, partial, wraps
from inspect import Signature

def timed(function):
    @wraps(function)
    def inner(*args, **named):
        return function(*args, **named)
    return inner

"""


@pytest.mark.parametrize("count", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_a_function_is_accepted_exactly_if_its_signature_takes_the_arguments(shape: str, count: int) -> None:
    space: dict[str, Any] = {}
    exec(BEFORE + shape, space)
    try:
        inspect.signature(space["f"]).bind(*[None] * count)
        takes = True
    except TypeError:
        takes = False
    assert (missing_report(space, {"f": (count,)}) is None) is takes


@pytest.mark.parametrize("shape", [each for each in SHAPES[:10] if ", c)" not in each])
def test_usual_functions_load_without_the_module_inspect(shape: str) -> None:
    source = BEFORE.replace("from inspect import Signature", "import sys") + shape
    source = source.replace("): pass", "): return 'inspect' in sys.modules")
    with BubblewrapSandbox() as sandbox:
        session = sandbox.open(Program(source.encode(), {"f": (2,)}), Limits(), 1)
        assert not isinstance(session, Fault), session
        reply = call(session, "f", (1, 2))
        session.close()
    assert isinstance(reply, Value), reply
    assert reply.data is False
