"""Marks in the files of learning management systems, in their real layouts: one column changes, nothing else does."""

import codecs
import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.marks.lms import (
    LAYOUTS,
    BadMarkFile,
    MarkColumn,
    fill,
    fill_columns,
    fillable,
    guess,
    open_sheet,
    plain_title,
    written,
)
from web.marks.sheet import read_sheet
from web.marks.table import Enrolled
from web.site.people_file import BadPeople, decode

ADA = Enrolled(1, "ada", "Ada Lovelace", "99001", "ada@example.org", "T01")
BEN = Enrolled(2, "ben", "Ben van der Berg", "99002", "ben@example.org", "T02")
CLEO = Enrolled(3, "cleo", "=HYPERLINK(1)", "99003", "cleo@example.org")
STUDENTS = [ADA, BEN, CLEO]
MARKS = MarkColumn("Project 1", 20, {1: 17.5, 2: None, 3: 12}, {2})
EXAM = MarkColumn("Final exam", 60, {1: 55})

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,"Essay, short (7311)",Project 1 (7312),Current Score
,,,,,Manual Posting,,
    Points Possible,,,,,5.0,20.0,(read only)
"Lovelace, Ada",101,99001,ada,COMP10001 / T01,4.0,{ada},85
"van der Berg, Ben",102,99002,ben,"COMP10001 / T01
and T02",,{ben},
"Elsewhere, Eve",104,99009,eve,COMP10001 / T02,,3,
"Student, Test",103,,0cd8d2a9,COMP10001 / T01,,,
"""
MOODLE = """"First name";"Last name";"ID number";"Institution";"Email address";"Assignment: Project 1 (Real)";"Last"
"Ada";"Lovelace";"";"";"ada@example.org";"{ada}";"1"
"Ben";"van ""der"" Berg";"99002";"";"";"{ben}";"1"
"Eve";"Elsewhere";"";"";"eve@example.org";"3";"1"
"""
BRIGHTSPACE = """OrgDefinedId,Username,Last Name,First Name,Email,Project 1 Points Grade,End-of-Line Indicator
#99001,#ada,Lovelace,Ada,,{ada},#
#99002,#ben,van der Berg,Ben,,{ben},#
#99009,#eve,Elsewhere,Eve,,3,#
"""
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Project 1 [Total Pts: 20 Score] |52"\n'
    '"Lovelace"\t"Ada"\t"ada"\t"99001"\t"2026-05-01"\t"{ada}"\n'
    '"van der Berg"\t"Ben"\t"ben"\t"99002"\t""\t"{ben}"\n'
    '"Elsewhere"\t"Eve"\t"eve"\t"99009"\t""\t"3"\n'
)
PLAIN = "login,name,Project 1\nada,Ada,{ada}\nben,Ben,{ben}\neve,Eve,3\n"
BOM16 = codecs.BOM_UTF16_LE


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "bom", "coding", "excused"),
    [
        (CANVAS, b"", "utf-8", "EX"),
        (CANVAS, codecs.BOM_UTF8, "utf-8", "EX"),
        (MOODLE, b"", "utf-8", "1"),
        (MOODLE.replace(";", "\t"), BOM16, "utf-16-le", "1"),
        (MOODLE.replace(";", ","), codecs.BOM_UTF16_BE, "utf-16-be", "1"),
        (BRIGHTSPACE, b"", "utf-8", "1"),
        (BLACKBOARD, BOM16, "utf-16-le", "1"),
        (PLAIN.replace(",", ";"), codecs.BOM_UTF8, "utf-8", "1"),
    ],
)
def test_a_file_comes_back_with_one_column_filled_and_all_else_as_it_was(
    text: str, bom: bytes, coding: str, excused: str, newline: str
) -> None:
    def made(**marks: str) -> bytes:
        return bom + text.format(**marks).replace("\n", newline).encode(coding)

    found = fill(made(ada="", ben="1"), STUDENTS, MARKS)
    assert found.content == made(ada="17.5", ben=excused), "who has no mark keeps what is there"
    assert [each.login for each in found.matched] == ["ada", "ben"]
    assert [each.login for each in found.absent] == ["cleo"]
    assert len(found.unmatched) == 1
    assert "not a student in this course" in found.unmatched[0]


def test_a_new_column_is_added_at_the_end_but_before_the_end_of_line_indicator() -> None:
    added = MarkColumn("Project 2", 30, {1: 25})
    lines = fill(BRIGHTSPACE.encode(), STUDENTS, added, add=True).content.decode().splitlines()
    assert lines[0].endswith(",Project 1 Points Grade,Project 2,End-of-Line Indicator")
    assert lines[1:3] == ["#99001,#ada,Lovelace,Ada,,{ada},25,#", "#99002,#ben,van der Berg,Ben,,{ben},,#"]
    rows = [*csv.reader(StringIO(fill(CANVAS.encode(), STUDENTS, added, add=True).content.decode()))]
    assert [row[-1] for row in rows] == ["Project 2", "", "30", "25", "", "", ""]
    assert {len(row) for row in rows} == {9}


@pytest.mark.parametrize(
    ("column", "title", "why"),
    [
        ("", "Project 9", "No column of this file is called “Project 9”.*The columns are: login; name; Project 1; a"),
        ("b", "Project 1", "No column of this file is called “b”"),
    ],
)
def test_a_column_that_is_not_there(column: str, title: str, why: str) -> None:
    with pytest.raises(BadMarkFile, match=why):
        fill(b"login,name,Project 1,a\nada,Ada,,\n", STUDENTS, MarkColumn(title, 1, {}), column)


def test_another_column_can_be_named() -> None:
    found = fill(b"login,name,Project 1,a\nada,Ada,1,2\n", STUDENTS, MARKS, "a")
    assert found.content == b"login,name,Project 1,a\nada,Ada,1,17.5\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"login,name,Project 1\neve,Eve,\n", "Is it a file from another course"),
        (b"login,name,Project 1,project 1\nada,Ada,,\n", None),
        (b"login,name,Project 1 (Real),Project 1 (77)\nada,Ada,,\n", "Several columns"),
        (b"PK\x03\x04\0\0\xff", "is not text"),
        (b'login,name,Project 1\nada,"Ada,\n', "line 2: this is not CSV; is a quotation mark not closed"),
        (b'login,name,Project 1\nada,"Ada"x,\n', "line 2: this is not CSV"),
        (b"", "The first line of the file is empty"),
    ],
)
def test_files_that_cannot_be_filled(content: bytes, why: str | None) -> None:
    if why is None:
        assert fill(content, STUDENTS, MARKS).columns == ["Project 1"], "the exact name decides"
        return
    with pytest.raises(BadMarkFile, match=why):
        fill(content, STUDENTS, MARKS)


def test_somebody_who_could_be_two_is_left_alone() -> None:
    found = fill(b"login,email,name,Project 1\nada,ben@example.org,Ada,5\ncleo,,C,\n", STUDENTS, MARKS)
    assert b"ada,ben@example.org,Ada,5" in found.content
    assert found.unmatched == [
        "Row 2, Ada: this matches several students (ada, ben); correct their e-mails and student numbers"
    ]


def test_a_title_that_a_spreadsheet_would_take_for_a_formula_is_defused() -> None:
    title = MarkColumn("=1+1", 20, {1: 5})
    assert fill(b"login,name\nada,Ada\n", STUDENTS, title, add=True).content == b"login,name,'=1+1\nada,Ada,5\n"


def test_a_title_with_letters_that_the_file_cannot_hold_is_refused() -> None:
    with pytest.raises(BadMarkFile, match="Save the file as UTF-8"):
        fill("login,name\nada,Zoë\n".encode("cp1252"), STUDENTS, MarkColumn("Übung 漢", 20, {1: 5}), add=True)


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_file_made_from_nothing_is_understood_when_it_comes_back(kind: str) -> None:
    made = written(LAYOUTS[kind], STUDENTS, MARKS)
    assert "\t=" not in decode(made)
    assert ",=HYPERLINK" not in decode(made)
    found = fill(made, STUDENTS, MarkColumn("Project 1", 20, {1: 3, 2: 4, 3: 5}))
    assert len(found.matched) == 3
    assert not found.unmatched


TWO_COLUMNS = [  # of Project 1 and the exam, in each layout
    CANVAS.replace("Essay, short (7311)", "Exam (7311)").replace(",4.0,", ",{exam},"),
    MOODLE.replace('"Last"', '"Quiz: Exam (Real)"').replace('"{ada}";"1"', '"{ada}";"{exam}"'),
    BRIGHTSPACE.replace("End", "Exam Points Grade,End").replace("{ada},#", "{ada},{exam},#").replace("},#", "},,#"),
    BLACKBOARD.replace('"Last Access"', '"Exam [Total Pts: 60 Score] |53"').replace('"2026-05-01"', '"{exam}"'),
    "login,name,Project 1,Exam\nada,Ada,{ada},{exam}\nben,Ben,{ben}\neve,Eve,3,4\n",
]


@pytest.mark.parametrize("text", TWO_COLUMNS, ids=["canvas", "moodle", "brightspace", "blackboard", "plain"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_several_columns_are_filled_and_all_else_stays(text: str, newline: str) -> None:
    def made(**marks: str) -> bytes:
        return text.replace("{exam},{exam}", "{exam},").format(**marks).replace("\n", newline).encode()

    sheet = open_sheet(made(ada="", ben="", exam="9"))
    columns = fillable(sheet)
    wanted = {guess(columns, "Project 1", "p1"): MARKS, guess(columns, "Final exam", "exam"): EXAM}
    assert None not in wanted
    found = fill_columns(sheet, STUDENTS, {at: marks for at, marks in wanted.items() if at is not None})
    excused = "EX" if text.startswith("Student") else ""
    assert found.content == made(ada="17.5", ben=excused, exam="55")
    assert [each.login for each in found.matched] == ["ada", "ben"]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (CANVAS, 20),
        (CANVAS.replace("20.0", "10.0"), 10),
        (CANVAS.replace(",", ";").replace("20.0", "2,5"), 2.5),
        (CANVAS.replace("20.0", '"1,000"'), None),
        (CANVAS.replace("20.0", "(read only)"), None),
        (CANVAS.replace("    Points Possible,,,,,5.0,20.0,(read only)\n", ""), None),
        (BRIGHTSPACE.replace("Grade", "Grade <Numeric MaxPoints:10>"), 10),
        (BRIGHTSPACE.replace("Grade", "Grade <Numeric MaxPoints:7.5 Weight:20 Category:Work>"), 7.5),
        (BRIGHTSPACE, None),
        (BLACKBOARD, 20),
        (BLACKBOARD.replace("Pts: 20", "Pts: up to 1"), 1),
        (MOODLE, None),
        (PLAIN, None),
    ],
)
@pytest.mark.parametrize("ours", [20, 20.004, 100])
def test_a_column_that_is_out_of_something_else_is_named(text: str, most: float | None, ours: float) -> None:
    found = fill(text.format(ada="", ben="").encode(), STUDENTS, MarkColumn("Project 1", ours, {1: 17.5}))
    assert [each[1:] for each in found.unlike] == ([] if most in (None, round(ours)) else [(most, ours)])
    assert b"17.5" in found.content, "as it is"


def test_only_columns_that_the_file_had_are_compared() -> None:
    added = fill(CANVAS.encode(), STUDENTS, MarkColumn("Project 2", 30, {1: 25}), add=True)
    sheet = open_sheet(CANVAS.encode())
    both = fill_columns(sheet, STUDENTS, {5: EXAM, 6: MARKS})
    assert (added.unlike, both.unlike) == ([], [("Essay, short (7311)", 5.0, 60)])


def test_a_short_line_gets_all_its_cells() -> None:
    sheet = open_sheet(b"login,name,A,B,C\nada,Ada\n\nben\n")
    marks = [MarkColumn(title, 9, {1: value, 2: value}) for title, value in (("A", 1), ("C", 3))]
    found = fill_columns(sheet, STUDENTS, {2: marks[0], 4: marks[1]})
    assert found.content == b"login,name,A,B,C\nada,Ada,1,,3\n\nben,,1,,3\n"


def test_columns_that_say_who_somebody_is_are_not_offered() -> None:
    assert [*fillable(open_sheet(BRIGHTSPACE.encode())).values()] == ["Project 1 Points Grade"]
    assert guess({3: "Exam (1)", 4: "Exam (2)"}, "Exam", "e") is None, "nobody knows which"
    assert guess({3: "Exam (1)", 4: "Exam"}, "Exam") == 4


@pytest.mark.parametrize(
    "name",
    ["Project 1 (7312)", "Quiz: Project 1 (Real)", "Project 1 Points Grade <Numeric MaxPoints:20>", "project 1 "],
)
def test_what_systems_add_to_a_title_is_left_out(name: str) -> None:
    assert plain_title(name) == "project 1"


@given(st.lists(st.lists(st.text("a\"',; \t\r\né", max_size=6), min_size=2, max_size=4), min_size=1, max_size=5))
def test_cells_are_those_that_the_standard_library_reads(rows: list[list[str]]) -> None:
    out = StringIO()
    rows = [["a", "b", "c", "d"], *rows]
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    sheet = read_sheet(out.getvalue().encode())
    assert [[cell.value for cell in row] for row in sheet.rows] == rows
    assert sheet.replaced({}) == out.getvalue().encode()


@given(st.binary(max_size=60) | st.text("a\"',;\t\r\n ", max_size=40).map(str.encode))
def test_whatever_is_uploaded_is_read_or_refused(content: bytes) -> None:
    try:
        sheet = read_sheet(content)
    except BadPeople:
        return
    assert sheet.replaced({}) == content
