"""Examples as lecturers write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definition.paper import ExampleError, parse_examples
from tournament.games.api import Case
from tournament.games.judges import key

GOOD = [
    (">>> f(1)\nTrue\n", [Case((1,), True)]),
    (">>> f(1, [2], ('3', None))\n(3, None, (None, None))\n", [Case((1, [2], ("3", None)), (3, None, (None, None)))]),
    (">>> # a title: with, marks\n>>> f()\n0\n", [Case((), 0, "a title: with, marks")]),
    ("# outside the prompt\n>>> f()\n0\n", [Case((), 0, "outside the prompt")]),
    (">>> # too far away\n\n>>> f()\n0\n", [Case((), 0)]),
    (">>> f(\n...   1,\n...   2)\n[1,\n 2]\n", [Case((1, 2), [1, 2])]),
    ("Some words.\n\n    >>> f(-1)\n    -1.5\n\nMore words.\n", [Case((-1,), -1.5)]),
    (">>> f('x')\n'y'\n>>> # next\n>>> f('y')\n'x'\n", [Case(("x",), "y"), Case(("y",), "x", "next")]),
    (">>> print(f(1))\n(5, '5D')\n", [Case((1,), (5, "5D"))]),
    (">>> print(f(1))\nfour of hearts\n", [Case((1,), "four of hearts")]),
    (">>> print(f(1))\nNone\n", [Case((1,), None)]),
    (">>> f(1, c=3, b=2)\n6\n", [Case((1, 2, 3), 6)]),
    (">>> f({'a': {1, 2}}, set())\n{}\n", [Case(({"a": {1, 2}}, set()), {})]),
    ("", []),
]


@pytest.mark.parametrize(("text", "cases"), GOOD)
def test_examples_become_cases(text: str, cases: list[Case]) -> None:
    assert parse_examples(text, "f", ("a", "b", "c")) == cases


def test_what_a_call_prints_may_be_expected() -> None:
    text = ">>> # a title\n>>> f(1)\none\n<BLANKLINE>\n'two'\n>>> f(2)\n"
    assert parse_examples(text, "f", prints=True) == [Case((1,), "one\n\n'two'\n", "a title"), Case((2,), "")]


BAD = [
    (">>>f()\n1\n", 1, "lacks blank"),
    (">>> f()\n1\n\n>>> f()\n", 4, "the line below the call must say what it returns"),
    (">>> f()\n\n1\n", 1, "the line below the call must say what it returns"),
    (">>> f(\n1\n", 1, "this must be a single call"),
    (">>> x = 1\n", 1, "this must be a single call"),
    (">>> f() + 1\n2\n", 1, "this must be a single call"),
    (">>> f()\n1\n>>> g()\n1\n", 3, "must be a call to f, not to g"),
    (">>> f(HAND)\n1\n", 1, "an argument must be written out as a value, not as HAND"),
    (">>> f(*[1])\n1\n", 1, "an argument must be written out"),
    (">>> f(d=1)\n1\n", 1, "the positions of the arguments d are not known"),
    (">>> f(c=1)\n1\n", 1, "the positions of the arguments c are not known"),
    (">>> f(1, a=1)\n1\n", 1, "the positions of the arguments a are not known"),
    (">>> f()\ntrue\n", 1, "write the return value of the call as a Python value, not as: true"),
    (
        ">>> f()\nTraceback (most recent call last):\n  ...\nValueError: no\n",
        1,
        "write the return value of the call as a Python value",
    ),
    ("\n  >>> f()\n 1\n", 3, "inconsistent leading whitespace"),
]


@pytest.mark.parametrize(("text", "line", "problem"), BAD)
def test_a_mistake_names_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(ExampleError, match=f"^Line {line} of the examples: ") as raised:
        parse_examples(text, "f", ("a", "b", "c"))
    assert raised.value.line == line
    assert problem in raised.value.problem


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ExampleError) as raised:
        parse_examples(">>> f(1)\n1\n>>> g(2)\n2\n>>> f(3)\nx y\n", "f")
    assert (raised.value.line, [line for line, _ in raised.value.more]) == (3, [5])


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers(), max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.lists(literals, max_size=3).map(tuple), literals), max_size=3))
def test_whatever_python_writes_is_read_back(calls: list[tuple[tuple[Any, ...], Any]]) -> None:
    text = "".join(f">>> f({', '.join(map(repr, args))})\n{expected!r}\n" for args, expected in calls)
    cases = parse_examples(text, "f")
    assert [(key(case.args), key(case.expected)) for case in cases] == [tuple(map(key, call)) for call in calls]
