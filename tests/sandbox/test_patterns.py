"""Patterns take time in proportion to the text, whatever they are and whatever it holds."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import patterns

SIZE = 100_000
PATTERNS = (
    (rb"(?m)^\s*#include", b"\n"),
    (rb"(?m)^\s*(?:import|from)\s+solution\b", b" "),
    (rb"(a+)+$", b"a"),
    (rb"(a|aa)*b", b"a"),
    (rb".*,.*,.*;", b","),
)


@pytest.mark.parametrize(("pattern", "piece"), PATTERNS)
def test_the_time_of_a_search_grows_with_the_text_alone(pattern: bytes, piece: bytes) -> None:
    """A quadratic one takes minutes for so many bytes."""
    began = process_time()
    assert not patterns.compile(pattern).search(piece * SIZE + b"!")
    assert process_time() - began < 2


@pytest.mark.parametrize("pattern", [r"(?<=a)b", r"a(?!b)", r"(a)\1", r"a*+"])
def test_what_needs_a_second_way_is_refused(pattern: str) -> None:
    with pytest.raises(Exception, match=r"invalid perl operator|invalid escape|bad repetition"):
        patterns.compile(pattern)


@given(st.text(alphabet="ab,é😀\n \ud800", max_size=20))
def test_a_pattern_finds_what_it_finds_in_python(text: str) -> None:
    ours, theirs = (compile_(r"(?m)^(b*)a|(é)|😀+").finditer(text) for compile_ in (patterns.compile, re.compile))
    assert [(each.span(), each.groups()) for each in ours] == [(each.span(), each.groups()) for each in theirs]


@given(st.binary(max_size=20))
def test_bytes_are_searched_as_bytes(content: bytes) -> None:
    assert patterns.compile(rb"[\x80-\xff]+").findall(content) == re.findall(rb"[\x80-\xff]+", content)
