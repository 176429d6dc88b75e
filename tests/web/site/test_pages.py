"""Text in files that a spreadsheet opens: it is never a formula, and our own files are read back as they were."""

import csv
from io import StringIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from web.site.pages import csv_lines, neutral, original

CELLS = st.text(alphabet="=+-@＝＋;,\t|\r\n '\"\u3000aé1", max_size=12)


@given(CELLS)
@example("x;=cmd|' /C calc'!A0")
def test_no_part_of_a_cell_is_a_formula_whatever_separates_them(text: str) -> None:
    parts = "".join("\n" if each in ";,\t|\r" else each for each in neutral(text)).split("\n")
    assert not [part for part in parts if part.lstrip(' "\u3000').startswith(tuple("=+-@＝＋"))]


@given(CELLS)
def test_a_file_of_ours_is_read_back_as_it_was(text: str) -> None:
    assert original(neutral(text)) == text


@pytest.mark.parametrize("text", ["Ada", "", "a=1", "x; y", "O'Brien, Zoë", "a@b.example"])
def test_other_text_is_left_alone(text: str) -> None:
    assert neutral(text) == original(text) == text


@pytest.mark.parametrize("separator", [",", "\t"])
def test_every_cell_is_quoted(separator: str) -> None:
    file = csv_lines([("Ada; =1", -5, 0.25)], separator)
    assert file == separator.join(['"Ada;\' =1"', '"-5"', '"0.25"']) + "\r\n"
    assert next(csv.reader(StringIO(file), delimiter=separator))[0] == "Ada;' =1"
