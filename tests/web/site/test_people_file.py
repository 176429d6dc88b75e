"""Files of people, as universities export them."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from web.site.models import Role
from web.site.people_file import MOST, BadPeople, Person, decode, read_people, write_people

ADA, BEN = Person("ada", "Ada Lovelace", line=2), Person("ben", "Ben Bo", Role.INSTRUCTOR, "Blue Badger", 3)


@pytest.mark.parametrize(
    "text",
    [
        "login,name,role,pseudonym\nada,Ada Lovelace,,\nben,Ben Bo,instructor,Blue Badger\n",
        "\ufeffLogin;NAME;Role;Pseudonym\r\nada;Ada Lovelace;student;\r\nben;Ben Bo;Instructor;Blue Badger\r\n",
        "pseudonym\tname\trole\tlogin\n\tAda Lovelace\t\tada\nBlue Badger\tBen Bo\tinstructor\tben",
        'login, name, role, pseudonym\rada, "Ada Lovelace"\rben, "Ben Bo", instructor, Blue Badger\r',
    ],
)
def test_a_file_is_read_in_any_of_the_usual_forms(text: str) -> None:
    sheet = read_people(text)
    assert (sheet.people, sheet.wrong, sheet.ignored) == ([ADA, BEN], [], [])


def test_other_columns_and_empty_lines_are_left_out_and_lines_keep_their_numbers() -> None:
    sheet = read_people('Tutor,login,Notes,name\n\n1,ada,a@b.c,"Ada\nLovelace"\n,,,\n2,,d@e.f,Ben\n3,cleo,,Cleo C\n')
    assert sheet.ignored == ["Tutor", "Notes"]
    assert sheet.people == [Person("cleo", "Cleo C", line=7)]
    assert [(each.line, each.why) for each in sheet.wrong] == [
        (3, "the name of ada contains a line break or another invisible character"),
        (6, "the login is missing"),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ada lovelace,Ada", "“ada lovelace” is not a valid login"),
        ("ada:1,Ada", "“ada:1” is not a valid login"),
        ("ada", "the name of ada is missing"),
        ("ada,Ada,boss", "the role of ada is “boss”; write student, tutor, instructor or observer"),
        (f"{'a' * 101},Ada", "the login is longer than 100 characters"),
        (f"ada,{'a' * 101}", "the name of ada is longer than 100 characters"),
        ("ada,Ada,,A\u202eB", "the pseudonym of ada contains"),
    ],
)
def test_a_wrong_line_is_named_and_said_why(line: str, why: str) -> None:
    (wrong,) = read_people(f"login,name,role,pseudonym\n{line}\n").wrong
    assert str(wrong).startswith(f"line 2: {why}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "missing: login, name"),
        ("user;called\nada;Ada", "missing: login, name; found: user, called"),
        ("login,name,Name\n", "names the column name twice"),
        ('login,name\nada,"Ada\nben,Ben\n', "is a quotation mark not closed?"),
        ("login,name\n" + "ada,Ada\n" * (MOST + 1), "more than 5,000 people"),
    ],
)
def test_a_file_without_sense_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadPeople, match=why.replace("?", r"\?")):
        read_people(text)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_accents_survive_in_whatever_way_a_spreadsheet_saved_them(coding: str) -> None:
    assert read_people(decode("login,name\nzoe,Zoë Ångström\n".encode(coding))).people[0].name == "Zoë Ångström"


@pytest.mark.parametrize("content", [b"PK\x03\x04\0\0", b"\x81\x81"])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(BadPeople, match="Save it as CSV"):
        decode(content)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
LOGINS = NAMES.filter(lambda name: not set(name) & set(",:/"))


@example([Person("#ada", "Ada", student_number="#12")])
@given(st.lists(st.builds(Person, LOGINS, NAMES, st.sampled_from(Role), NAMES | st.just("")), max_size=5))
def test_what_is_written_is_read_again(people: list[Person]) -> None:
    read = read_people(write_people(people))
    assert write_people(read.people) == write_people(people)
    assert not read.wrong


@given(st.text(max_size=200) | st.text("login,name;\t\"\n\r '", max_size=60).map("login,name\n".__add__))
def test_whatever_is_pasted_is_read_or_refused(text: str) -> None:
    with suppress(BadPeople):
        assert all(each.login and each.name for each in read_people(text).people)


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Project 1 (7312),Current Score
,,,,,Manual Posting,
    Points Possible,,,,,10.0,(read only)
"Lovelace, Ada",101,99001,ada,COMP10001 / T01,8.5,85
"van der Berg, Ben",102,99002,ben,COMP10001 / T02,,
"Student, Test",103,,0cd8d2a9,COMP10001 / T01,,
"""
MOODLE = """"First name","Last name","ID number",Institution,Department,"Email address","Assignment: Project 1 (Real)"
Ada,Lovelace,99001,,,ada@example.org,8.50
Ben,van der Berg,99002,,,ben@example.org,-
"""
BRIGHTSPACE = """OrgDefinedId,Username,Last Name,First Name,Email,Project 1 Points Grade,End-of-Line Indicator
#99001,#ada,Lovelace,Ada,ada@example.org,8.5,#
#99002,#ben,van der Berg,Ben,ben@example.org,,#
"""
BLACKBOARD = """"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Project [Total Pts: 10 Score] |52"
"Lovelace"\t"Ada"\t"ada"\t"99001"\t"2026-05-01 10:00:00"\t"8.5"
"van der Berg"\t"Ben"\t"ben"\t"99002"\t""\t""
"""


@pytest.mark.parametrize(
    ("content", "email", "section"),
    [
        (CANVAS.encode("utf-8-sig"), False, True),
        (MOODLE.encode(), True, False),
        (MOODLE.replace(",", ";").encode("utf-16"), True, False),
        (BRIGHTSPACE.encode(), True, False),
        (BLACKBOARD.encode("utf-16"), False, False),
    ],
)
def test_what_a_learning_management_system_exports_is_read_as_it_is(content: bytes, email: bool, section: bool) -> None:
    sheet = read_people(decode(content))
    assert not sheet.wrong
    assert [(each.login, each.name, each.student_number) for each in sheet.people] == [
        ("ada", "Ada Lovelace", "99001"),
        ("ben", "Ben van der Berg", "99002"),
    ]
    assert {each.email for each in sheet.people} == ({"ada@example.org", "ben@example.org"} if email else {""})
    assert {each.section for each in sheet.people} == ({"COMP10001 / T01", "COMP10001 / T02"} if section else {""})


def test_an_e_mail_without_an_at_is_refused() -> None:
    (wrong,) = read_people("login,name,email\nada,Ada,nowhere\n").wrong
    assert str(wrong) == "line 2: “nowhere”, the e-mail address of ada, has no @"
