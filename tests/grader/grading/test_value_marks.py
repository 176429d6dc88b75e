"""What is underlined in the text of an expected value and of the one that was returned instead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.comparing.comparators import AnyOf, AnyOrder, Checker, Comparator, Exact, Floats, LikeSequences, Printed
from grader.comparing.judging import compare
from grader.grading.value_marks import Marks, value_marks
from sandbox.api import Verdict

EXACT = Exact()
MARKED: list[tuple[str, str, Comparator]] = [
    ("«True»", "«False»", EXACT),
    ("«True»", "«'True'»", EXACT),
    ("[1, «2», 3]", "[1, «5», 3]", EXACT),
    ("[[1, 'ab«c»'], «(»2, 3«)»]", "[[1, 'ab«d»'], «[»2, 3«]»]", EXACT),
    ("['3H', «'4H'», '5H']", "['3H', '5H']", EXACT),
    ("(3, 4)", "(3, 4, «5, 6»)", EXACT),
    ("«[]»", "[«1»]", EXACT),
    ("«set()»", "«{1}»", EXACT),
    ("{«1», 2}", "{2, «3»}", EXACT),
    ("{1, 2}", "{2, 1}", EXACT),
    ("{«'a': 1», 'b': [«1»]}", "{'b': [«2»], «'c': 1»}", EXACT),
    ("{(1, 2): «3»}", "{(1, 2): «4»}", EXACT),
    ("«'a'»", "«'a b'»", EXACT),
    ("'a, «b»]'", "'a, «c»]'", EXACT),
    ("«None»", "«[1, 2]»", EXACT),
    ("[(1, 2), 3]", "([1, 2], 3)", LikeSequences()),
    ("[(1, 2), «3»]", "([1, 2], «4»)", LikeSequences()),
    ("[(1, 2), («3», «4»)]", "[(«4», «3»), (1, 2)]", AnyOrder(levels=1)),
    ("[(1, 2), (3, 4)]", "[(4, 3), (1, 2)]", AnyOrder(levels=2)),
    ("[1.0, «2.0»]", "[1.0000000001, «3»]", Floats()),
    ("[1, «2», 3]", "[1, «9», 3, …", EXACT),
    ("[1, 2]", "3", AnyOf()),
    ("'a'", "'b'", Printed()),
    ("((1, 2),)", "3", Checker(source="")),
    ("", "3", EXACT),
]


def plain(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def marked(text: str, marks: Marks) -> str:
    for low, high in reversed(marks):
        text = f"{text[:low]}«{text[low:high]}»{text[high:]}"
    return text


@pytest.mark.parametrize(("expected", "got", "comparator"), MARKED)
def test_what_differs_is_marked(expected: str, got: str, comparator: Comparator) -> None:
    ours, theirs = value_marks(plain(expected), plain(got), comparator)
    assert (marked(plain(expected), ours), marked(plain(got), theirs)) == (expected, got)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    hashable = st.integers(0, 3) | st.text("ab'\"\\ ,[", max_size=3)
    lists = st.lists(inner, max_size=3)
    return lists | lists.map(tuple) | st.dictionaries(hashable, inner, max_size=2) | st.sets(hashable, max_size=3)


VALUES = st.recursive(st.none() | st.booleans() | st.integers(-2, 2) | st.text("ab'\"\\,:([", max_size=3), nested)


@given(VALUES, VALUES)
def test_something_is_marked_if_and_only_if_the_values_differ(expected: Any, got: Any) -> None:
    same = compare(expected, got).verdict is Verdict.AC
    ours, theirs = value_marks(repr(expected), repr(got))
    assert (not ours and not theirs) == same
    for text, marks in ((repr(expected), ours), (repr(got), theirs)):
        ends = [at for pair in marks for at in pair]
        assert ends == sorted(ends)
        assert all(0 <= low < high <= len(text) for low, high in marks)


@given(st.text("[](){},:'\"\\ a1…", max_size=30), st.text("[](){},:'\"\\ a1…", max_size=30))
def test_any_text_can_be_marked(expected: str, got: str) -> None:
    for text, marks in zip((expected, got), value_marks(expected, got), strict=True):
        assert all(0 <= low < high <= len(text) for low, high in marks)


def test_values_nested_deeply_are_not_marked() -> None:
    assert value_marks("[" * 1500 + "1" + "]" * 1500, "[2]") == ([], [])
