"""Case sets as data: what comes back is what was packed, types included; other bytes are refused."""

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.papers import NotACaseSet, pack_cases, unpack_cases
from tests.plain import plain_values
from tournament.games.api import Case
from tournament.games.judges import key

pytestmark = pytest.mark.full

values = plain_values()
cases = st.builds(Case, st.lists(values, max_size=3).map(tuple), values, st.text(max_size=9))


def exactly(some: Any) -> list[tuple[str, str, str]]:
    return [(key(case.args), key(case.expected), case.title) for case in some]


@given(st.lists(cases, max_size=3))
def test_every_value_comes_back_with_its_type(some: list[Case]) -> None:
    assert exactly(unpack_cases(pack_cases(some))) == exactly(some)


@pytest.mark.parametrize(
    "value", [10**5000, -(1 << 20_000), 1e999, -0.0, 0.1, {(1, "2"): {3.0}}, "\ud800", True, 1], ids=map(str, range(9))
)
def test_unusual_values_come_back(value: Any) -> None:
    (back,) = unpack_cases(pack_cases([Case((value,), value)]))
    assert (key(back.args), repr(type(back.expected))) == (key((value,)), repr(type(value)))


def test_not_a_number_comes_back() -> None:
    assert str(unpack_cases(pack_cases([Case((), float("nan"))]))[0].expected) == "nan"


def test_the_order_of_a_dictionary_is_kept() -> None:
    assert [*unpack_cases(pack_cases([Case((), {"b": 1, "a": 2})]))[0].expected] == ["b", "a"]


@pytest.mark.parametrize("value", [b"bytes", 1j, frozenset(), object(), ...])
def test_only_plain_data_is_packed(value: Any) -> None:
    with pytest.raises(TypeError, match="a case cannot hold a value of type"):
        pack_cases([Case((), [value])])


@pytest.mark.parametrize(
    "text",
    ["", "[", "7", "[1]", '[[{"t":[]},1]]', '[[[],1,""]]', '[[{"t":[]},1,2]]', '[[{"x":1},1,""]]', "[[{},1,2]]",
     '[[{"t":[]},{"s":[[]]},""]]', '[[{"t":[]},{"d":[1]},""]]', '[[{"t":[]},{"i":"x"},""]]', "[" * 100_000],
)  # fmt: skip
def test_other_data_is_refused(text: str) -> None:
    with pytest.raises(NotACaseSet):
        unpack_cases(zlib.compress(text.encode()))


def test_other_bytes_are_refused() -> None:
    whole = pack_cases([Case((1,), 2)])
    for data in (b"", b"\x80\x04N.", whole[:-3], zlib.compress(bytes(65 << 20))):
        with pytest.raises(NotACaseSet):
            unpack_cases(data)
