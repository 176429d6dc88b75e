"""Files of people, as universities export them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.models import Role
from web.people.people_file import MOST, BadPeople, Person, decode, read_people, write_people

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
    sheet = read_people('Section,login,E-mail,name\n\n1,ada,a@b.c,"Ada\nLovelace"\n,,,\n2,,d@e.f,Ben\n3,cleo,,Cleo C\n')
    assert sheet.ignored == ["Section", "E-mail"]
    assert sheet.people == [Person("cleo", "Cleo C", line=7)]
    assert [(each.line, each.why) for each in sheet.wrong] == [
        (3, "the name of ada contains a line break or another invisible character"),
        (6, "there is no login"),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ada lovelace,Ada", "“ada lovelace” is not a login"),
        ("ada:1,Ada", "“ada:1” is not a login"),
        ("ada", "the name of ada is missing"),
        ("ada,Ada,boss", "the role of ada is “boss”; write student or instructor"),
        (f"{'a' * 101},Ada", "the login is longer than 100 letters"),
        (f"ada,{'a' * 101}", "the name of ada is longer than 100 letters"),
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
        ("user;full name\nada;Ada", "missing: login, name; it names user, full name"),
        ("login,name,Name\n", "names the column name twice"),
        ('login,name\nada,"Ada\nben,Ben\n', "is a quotation mark not closed?"),
        ("login,name\n" + "ada,Ada\n" * (MOST + 1), "5,001 people, but only 5,000"),
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


@given(st.lists(st.builds(Person, LOGINS, NAMES, st.sampled_from(Role), NAMES | st.just("")), max_size=5))
def test_what_is_written_is_read_again(people: list[Person]) -> None:
    read = read_people(write_people(people))
    assert write_people(read.people) == write_people(people)
    assert not read.wrong


@given(st.text(max_size=200) | st.text("login,name;\t\"\n\r '", max_size=60).map("login,name\n".__add__))
def test_whatever_is_pasted_is_read_or_refused(text: str) -> None:
    with suppress(BadPeople):
        assert all(each.login and each.name for each in read_people(text).people)
