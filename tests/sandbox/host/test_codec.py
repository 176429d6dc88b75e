"""What the guest encodes the host decodes to the same data; everything else is refused, whatever the bytes are."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.host.codec import Malformed, decode, decode_several
from sandbox.inside.wire import MAX_DEPTH, MAX_INT_BITS, Unsendable, encode, interned

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
HASHABLE = st.recursive(SCALARS, lambda inner: st.lists(inner).map(tuple), max_leaves=5)
PLAIN = st.recursive(
    SCALARS | st.sets(HASHABLE),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(HASHABLE, inner),
    max_leaves=8,
)


def typed(value: Any) -> Any:
    """A form in which 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    match value:
        case list() | tuple():
            return type(value), [typed(item) for item in value]
        case set():
            return set, sorted(map(repr, map(typed, value)))
        case dict():
            return dict, [(typed(key), typed(item)) for key, item in value.items()]
    return type(value), repr(value)


@given(PLAIN)
def test_plain_data_comes_through_with_its_types_and_interning_changes_nothing_else(data: object) -> None:
    assert typed(decode(encode(data).encode())) == typed(data) == typed(interned(data))


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_data_or_malformed(body: bytes) -> None:
    try:
        data = decode(body)
    except Malformed:
        return
    assert typed(decode(encode(data).encode())) == typed(data)


JSON = st.recursive(
    st.sampled_from(["null", "true", "1", "-0.5", '"t"', '"s"', "{}", "NaN", "-Infinity", "1e999", '"\\ud800"']),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: "[" + ",".join(items) + "]")
        | st.tuples(st.sampled_from("tsdx"), inner).map(lambda pair: f'{{"{pair[0]}":{pair[1]}}}')
        | st.tuples(inner, inner).map(lambda pair: f'{{"t":{pair[0]},"s":{pair[1]}}}')
    ),
)


@given(JSON)
def test_any_json_is_data_or_malformed(body: str) -> None:
    try:
        data = decode(body.encode())
    except Malformed:
        return
    assert typed(decode(encode(data).encode())) == typed(data)


REFUSED = [
    b"", b" 1", b"1 ", b"01", b"nul", b"'a'", b"\xff", b'"\xed\xa0\x80"', b'"\\ud800"', b'"a\x00b"', b"NaN",
    b"Infinity", b"-Infinity", b"1e999", b"[1,]", b"[1][1]", b"{}", b'{"a":1}', b'{"t":1}', b'{"t":[],"s":[]}',
    b'{"s":[[1]]}', b'{"s":[{"d":[]}]}', b'{"d":[1]}', b'{"d":[[1,2,3]]}', b'{"d":["ab"]}', b'{"d":[[[1],2]]}',
    b"9" * 4000, b"-" + b"9" * 4000, b"9" * 60_000, b"[" * 60_000, b"[" * 50 + b"]" * 50, b'{"t":[' * 50 + b"]}" * 50,
    b'{"a":' * 10_000,
]  # fmt: skip


@pytest.mark.parametrize("body", REFUSED, ids=lambda body: repr(body[:20]))
def test_what_is_no_encoded_data_is_refused(body: bytes) -> None:
    with pytest.raises(Malformed):
        decode(body)


UNSENDABLE = [
    object(), map(str, []), print, b"bytes", frozenset(), 1j, ..., math.nan, -math.inf, [math.inf], {1: {(object(),)}},
    range(3), 1 << MAX_INT_BITS, [int], type,
]  # fmt: skip


@pytest.mark.parametrize("value", UNSENDABLE, ids=lambda value: repr(value)[:9])
def test_what_is_no_plain_data_is_not_sent(value: object) -> None:
    with pytest.raises(Unsendable):
        encode(value)


def test_the_depth_allowed_is_the_same_on_both_sides() -> None:
    value: Any = 0
    for _ in range(MAX_DEPTH):
        value = [value]
    assert decode(encode(value).encode()) == value
    with pytest.raises(Unsendable):
        encode([value])
    with pytest.raises(Malformed):
        decode(b"[" + encode(value).encode() + b"]")


def test_the_largest_integer_is_the_same_on_both_sides() -> None:
    for value in ((1 << MAX_INT_BITS) - 1, -((1 << MAX_INT_BITS) - 1)):
        assert decode(encode(value).encode()) == value


def test_strings_that_come_out_are_interned() -> None:
    first, second = decode(b'["2C","2C"]')
    assert first is second is "2C"  # noqa: F632


@pytest.mark.parametrize(
    "body", ["[1,2,3]", "[[],3]", "[3,[]]", "[[true],[1]]", '[["0"],[1]]', "[[],[],[]]", "{}", "[[]"]
)
def test_replies_to_several_calls_are_refused_in_any_other_shape(body: str) -> None:
    with pytest.raises(Malformed):
        decode_several(body.encode())


def test_replies_to_several_calls_say_which_are_faults() -> None:
    assert decode_several(b'[[1],[{"t":[3]},{"d":[]},4]]') == ({1}, [(3,), {}, 4])
