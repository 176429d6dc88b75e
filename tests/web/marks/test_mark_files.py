"""Files for a whole course, and marks by hand from a file."""

import csv
import re
from base64 import b64decode
from html import unescape
from io import BytesIO, StringIO

import pytest
from werkzeug.test import TestResponse

from grader.marks.mark import Decision
from grader.marks.scheme import MarkScheme, RubricItem
from grader.marks.tables import StaffDecision
from tests.web.marks.test_gradebook import change_rules, marks, term, totals
from tests.web.school import School
from tournament.store.database import reading
from web.marks.rubric import BadRubricFile, read_rubric_file, rubric_rows
from web.marks.table import Enrolled
from web.site.pages import csv_table

__all__ = ["term"]

COURSE = "/courses/comp10001/gradebook/files/"
HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Warm-up (71),Bo (72),Final exam\n    Points Possible,,,,,1,1,60\n"


def send(school: School, address: str, content: str | bytes) -> TestResponse:
    """Choose a file in a form."""
    given = content.encode() if isinstance(content, str) else content
    data = {"file": (BytesIO(given), "grades.csv")}
    return school.browser("ines").post(address, data, content_type="multipart/form-data")


def fields(shown: TestResponse) -> dict[str, str]:
    """What the form on a page sends: its hidden fields and what is chosen."""
    hidden = re.findall(r'type="hidden" name="(content|filename|was)" value="([^"]*)"', shown.text)
    chosen = re.findall(r'<select[^>]* name="(column-\d+)">.*?value="(\d+)" selected', shown.text)
    return {name: unescape(value) for name, value in (*hidden, *chosen)}


def test_one_file_gets_the_marks_of_all_assignments(term: School) -> None:
    text = (
        HEAD + '"Realname, Ada",1,,ada,T01,,,50\n"Realname, Ben",1,,ben,T01,9,0.5,50\n"Elsewhere, Eve",1,,eve,T01,,,\n'
    )
    shown = send(term, COURSE, text)
    given = fields(shown)
    assert given[f"column-{term.assignment}"] == "5", "it is called like the assignment"
    assert given["column-1"] == "6", "it is called like its short name"
    ines = term.browser("ines")
    ines.post(
        marks(term, f"{term.people['ada']}/").replace(f"/{term.assignment}/", "/1/"),
        {"override": "0.25", "reason": "x"},
    )
    filled = ines.post(COURSE, given)
    assert filled.status_code == 200
    assert "1 row does not match any student in this course" in filled.text
    assert "1 student is not in the file" in filled.text
    file = re.search(r'href="data:text/csv;base64,([^"]+)" download="grades.csv"', filled.text)
    assert file
    assert b64decode(unescape(file[1])).decode() == text.replace("ada,T01,,,", "ada,T01,1,0.25,")
    left_out = ines.post(COURSE, {**given, "column-1": ""})
    assert "It was left out" in left_out.text


def test_published_marks_are_out_of_what_they_were_out_of_when_published(term: School) -> None:
    ines = term.browser("ines")
    ines.post(marks(term, "publication"), {"do": "publish", "confirm": "on"})
    assert change_rules(term, points_worth="50").status_code == 303
    shown = send(term, COURSE, HEAD + '"Realname, Ada",1,,ada,T01,,,50\n')
    assert "(of 1)</span>" in shown.text
    filled = ines.post(COURSE, {**fields(shown), "column-1": ""}).text
    assert "1 student found in the file" in filled
    assert "is out of" not in filled


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"column-1": "5"}, "cannot use the same column"),
        ({"column-1": "", "column-2": "3"}, "at least one assignment"),
        ({"content": "%"}, "was damaged during the upload"),
        ({"content": "bG9naW4sbmFtZSxYCmV2ZSxFdmUsCg==", "column-1": "2"}, "Is it a file from another course?"),
    ],
)
def test_files_that_cannot_be_filled_say_why(term: School, change: dict[str, str], why: str) -> None:
    given = fields(send(term, COURSE, HEAD + '"Realname, Ada",1,,ada,T01,,,50\n'))
    answer = term.browser("ines").post(COURSE, {**given, **change})
    assert (answer.status_code, why in answer.text) == (422, True)


def test_the_file_of_another_course_is_refused_at_once(term: School) -> None:
    answer = send(term, COURSE, HEAD + '"Elsewhere, Eve",1,,eve,T01,,,50\n')
    assert (answer.status_code, "Is it a file from another course?" in answer.text) == (422, True)


# The rubric


def rubric(school: School) -> str:
    return marks(school, "rubric/")


def test_marks_by_hand_come_from_a_file_after_a_preview(term: School) -> None:
    change_rules(term, percent="0", rubric="Style = 5\nbonus Extra = 2")
    ines = term.browser("ines")
    file = ines.get(rubric(term) + "rubric.csv").data.decode("utf-8-sig")
    assert file.splitlines()[:2] == [
        '"login","name","student_number","Style","Extra","comment"',
        '"ada","Ada Realname","","","",""',
    ]
    content = "login;style;comment;Pet\nada;4,5;'=Good;cat\nBEN@example.org;;;\ncleo;3;;\n"
    shown = send(term, rubric(term), content)
    for words in ("2 students get", "1 student stays", "no column for “Extra”", "are ignored: Pet", "'=Good"):
        assert words.replace("'=", "=") in unescape(shown.text), words
    assert totals(term)["ada"] == "1", "nothing is saved yet"
    assert ines.post(rubric(term), fields(shown)).status_code == 303
    assert totals(term) == {"ada": "5.5", "ben": "0.5", "cleo": "3"}
    again = ines.post(rubric(term), fields(shown))
    assert (again.status_code, "Somebody else has changed this" in again.text) == (409, True)
    file = ines.get(rubric(term) + "rubric.csv").data.decode("utf-8-sig")
    assert """"ada","Ada Realname","","4.5","","'=Good\"""" in file
    assert "0 students get" in send(term, rubric(term), file).text


def test_a_wrong_line_changes_nothing(term: School) -> None:
    change_rules(term, rubric="Style = 5\nTests = 5")
    content = 'login,Style,Tests,comment\nada,4,1,"two\nlines"\nada,1,,\nben,6,x,\neve,1,,\n'
    answer = send(term, rubric(term), content)
    assert answer.status_code == 422
    for words in (
        "Line 4: Ada Realname is on line 2 too.",
        "Line 5, Ben Realname, Tests: “x” is not a number such as 4.5.",
        "Line 5, Ben Realname, Style: “6” is not a number from 0 to 5.",
        "Line 6: eve: not a student in this course.",
    ):
        assert words in answer.text, words
    with reading(term.sessions) as session:
        assert session.query(StaffDecision).count() == 0


STUDENTS = [Enrolled(1, "ada", "=Ada", "07", "ada@example.org"), Enrolled(2, "ben", "Ben", "08")]
ITEMS = (RubricItem(key="r1", title="=Style", most=5), RubricItem(key="r2", title="Name", most=2, bonus=True))
SCHEME = MarkScheme(rubric=ITEMS)


@pytest.mark.parametrize("remark", ["", "Short", "=1+1", 'a,b;"c"', "two\nlines"])
def test_the_table_that_is_downloaded_is_understood_when_it_comes_back(remark: str) -> None:
    decided = {1: Decision({"r1": 4.5, "r2": 0}, remark), 2: Decision(excused=True, reason="ill")}
    content = csv_table(rubric_rows(SCHEME, STUDENTS, decided)).encode()
    assert read_rubric_file(content, SCHEME, STUDENTS, decided).changes == []
    changes = read_rubric_file(content, SCHEME, STUDENTS, {}).changes
    assert [(each.decision.rubric, each.decision.remark) for each in changes] == [({"r1": 4.5, "r2": 0}, remark)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "The first line of the file is empty"),
        ("Style,comment\n1,2\n", "No column identifies the people"),
        (
            "login,Taste\nada,1\n",
            "Line 1: no column has the name of a rubric item. The items are: =Style; Name.",
        ),
        ("login,=style,'=Style\nada,1,1\n", "Line 1: two columns are called “=Style”."),
        ("login,=Style\n\n", "The file lists nobody."),
        ('login,=Style\n"ada,1\n', "line 2: this is not CSV"),
        ("login,=Style\nada,1e3\n", "is not a number such as 4.5"),
        ("login,=Style\nada,-1\n", "is not a number such as 4.5"),
        (f"login,comment\nada,{'x' * 2001}\n", "comment: This is longer than 2,000 characters."),
        ("login,student_number,=Style\nada,08,1\n", "this matches several students (ada, ben)"),
    ],
)
def test_files_of_marks_by_hand_that_are_refused(content: str, why: str) -> None:
    with pytest.raises(BadRubricFile, match=re.escape(why)):
        read_rubric_file(content.encode(), SCHEME, STUDENTS, {})


def test_a_file_of_5000_students_is_read_at_once() -> None:
    students = [Enrolled(id_, f"s{id_}", f"Student {id_}") for id_ in range(5000)]
    out = StringIO()
    csv.writer(out).writerows([["login", "=Style"], *([each.login, "3"] for each in students)])
    assert len(read_rubric_file(out.getvalue().encode(), SCHEME, students, {}).changes) == 5000
