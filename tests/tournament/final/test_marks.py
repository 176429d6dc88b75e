"""Marks from survival and rank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.final.settings import BadMarks, band_of, equal_bands, mark_boundaries, parse_table, show_table


@pytest.mark.parametrize(
    ("survivors", "marks"),
    [
        (1, [1.0]),
        (2, [1.0, 0.5]),
        (10, [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]),
        (20, [mark / 10 for mark in range(10, 0, -1) for _ in range(2)]),
        (12, [1.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.4, 0.3, 0.2, 0.1]),
    ],
)
def test_ten_equal_bands(survivors: int, marks: list[float]) -> None:
    bands = equal_bands()
    assert [bands[band_of(bands, rank, survivors)].mark for rank in range(1, survivors + 1)] == marks


def test_equal_ranks_share_the_better_bin() -> None:
    bands = equal_bands(2)
    assert [bands[band_of(bands, rank, 4)].mark for rank in (1, 2, 2, 2)] == [1.0] * 4
    assert [bands[band_of(bands, rank, 4)].mark for rank in (1, 2, 3, 3)] == [1.0, 1.0, 0.5, 0.5]


@given(st.integers(1, 40), st.integers(1, 300))
def test_equal_bands_hold_equally_many(bands: int, survivors: int) -> None:
    table = equal_bands(bands)
    chosen = [band_of(table, rank, survivors) for rank in range(1, survivors + 1)]
    sizes = [chosen.count(index) for index in range(bands)]
    assert max(sizes) - min(sizes) <= 1
    assert chosen == sorted(chosen)


def test_an_instructors_own_table() -> None:
    bands = parse_table("top 3 = 20\n\n top 25%: 15.5\ntop 1/2=10\nREST = 4\n")
    assert [bands[band_of(bands, rank, 20)].mark for rank in (1, 3, 4, 5, 6, 10, 11, 20)] == [
        20, 20, 15.5, 15.5, 10, 10, 4, 4,
    ]  # fmt: skip
    assert parse_table(show_table(bands)) == bands
    assert parse_table(show_table(equal_bands())) == equal_bands()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The last line must be"),
        ("top 3 = 1", "The last line must be"),
        ("top 3 = 1\nrest", "Line 2, 'rest', does not look like"),
        ("top many = 1\nrest = 0", "Line 1, 'top many = 1', does not look like"),
        ("top 3 = one\nrest = 0", "Line 1: 'one' is not a number"),
        ("top 3 = 0.5\nrest = 0.6", "Line 2 gives worse ranks a better mark than the line before"),
        ("top 3 = 1\ntop 2 = 0.5\nrest = 0", "Line 2, “top 2”, covers nobody"),
        ("top 10% = 1\ntop 1/10 = 0.5\nrest = 0", "Line 2, “top 1/10”, covers nobody"),
        ("top 0 = 1\nrest = 0", "Line 1, “top 0”, covers nobody"),
        ("top 110% = 1\nrest = 0", "a share must be more than 0% and at most 100%"),
        ("top 1/0 = 1\nrest = 0", "neither a rank nor a share"),
        ("rest = 1\ntop 3 = 0.5\nrest = 0", "“rest” must be the last line"),
        ("rest = nan", "a mark must be from 0 to"),
        ("rest = inf", "a mark must be from 0 to"),
        ("rest = -1", "a mark must be from 0 to"),
        ("rest = 0.12345", "four decimals"),
        ("\n".join(f"top {rank} = 1" for rank in range(1, 101)) + "\nrest = 0", "at most 100 lines"),
    ],
)
def test_tables_that_make_no_sense_are_refused(text: str, problem: str) -> None:
    with pytest.raises(BadMarks) as caught:
        parse_table(text)
    assert problem in str(caught.value)


@pytest.mark.parametrize("number", [0, -1, 101])
def test_there_are_1_to_100_bands(number: int) -> None:
    with pytest.raises(BadMarks):
        equal_bands(number)


def test_the_lines_lie_between_the_marks() -> None:
    assert mark_boundaries(equal_bands(2), [0.9, 0.2, 0.6, 0.3], [1, 4, 2, 3]) == [pytest.approx(0.45)]
    assert mark_boundaries(equal_bands(2), [0.5, 0.5], [1, 1]) == []
    assert mark_boundaries(equal_bands(), [0.5], [1]) == []
