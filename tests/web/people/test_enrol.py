"""Adding people on the site: looked at first, done once, passwords seen once."""

import re
from base64 import b64decode
from html import unescape
from io import BytesIO

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from tests.web.school import Browser, School
from web.site.models import Membership, User

FILE = "login;name;section\r\nada;Ada;1\r\notto;Otto;1\r\neve;Eve Évans;2\r\nBen;Ben;2\r\n"


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/people/add/"


def people(school: School) -> tuple[int | None, int | None]:
    with school.write() as session:
        users, members = (session.scalar(select(func.count()).select_from(kind)) for kind in (User, Membership))
        return users, members


def confirm(browser: Browser, path: str, shown: TestResponse, **more: str) -> TestResponse:
    """Send the form of a preview as a browser would."""
    text = re.search(r'name="people" value="([^"]*)"', shown.text)
    was = re.search(r'name="was" value="([^"]*)"', shown.text)
    assert text
    assert was
    return browser.post(f"{path}confirm", {"people": unescape(text[1]), "was": was[1], **more})


def test_the_groups_of_moodle_can_become_sections(school: School, path: str) -> None:
    text = 'First name,Last name,Email address,Groups\nEve,Évans,eve@example.org,"T01, L01"\n'
    ines, offer = school.browser("ines"), "Use these groups as sections"
    shown = ines.post(path, {"people": text})
    assert (offer in shown.text, "<td></td><td>T01, L01</td>" in shown.text) == (True, True)
    shown = ines.post(path, {"people": text, "groups": "sections"})
    assert (offer in shown.text, "<td>T01; L01</td><td></td>" in shown.text) == (False, True)
    assert 'name="groups" value="sections"' in shown.text
    assert confirm(ines, path, shown, groups="sections").status_code == 303, "she is invited"
    with school.write() as session:
        eve = session.scalars(select(Membership).join(User).where(User.login == "eve")).one()
        assert (eve.section, eve.group) == ("T01; L01", "")


@pytest.mark.both_databases
def test_a_file_is_looked_at_confirmed_and_its_passwords_are_seen_once(school: School, path: str) -> None:
    ines, before = school.browser("ines"), people(school)
    shown = ines.post(path, {"file": (BytesIO(FILE.encode("cp1252")), "class.csv")}, content_type="multipart/form-data")
    for words in (
        "line 5: there is an account “ben”",
        "New accounts: 1",
        "Existing accounts: 1",
        "Already in the course, to be updated: 1",
        "Add 2 people, update 1 member, skip 1 wrong line",
    ):
        assert words in shown.text, words
    assert people(school) == before, "nothing is done yet"
    back = ines.post(path, {"do": "change", "people": "login,name\nzed,Zed Z"}).text
    assert "login,name\nzed,Zed Z</textarea>" in back, "what was pasted can be corrected"
    done = confirm(ines, path, shown)
    assert (done.status_code, done.headers["Cache-Control"]) == (200, "no-store")
    file = re.search(r'href="data:text/csv;charset=utf-8;base64,([^"]+)" download="comp10001-passwords.csv"', done.text)
    assert file
    header, line = b64decode(file[1]).decode("utf-8-sig").replace('"', "").splitlines()
    name, login, password = line.split(",")
    assert (header, name, login) == ("name,login,password", "Eve Évans", "eve")
    assert f"<code>{password}</code>" in done.text
    assert people(school) == (before[0] + 1 if before[0] else 0, before[1] + 2 if before[1] else 0)
    assert (
        "People added</th><td>–</td><td>eve, otto</td>" in ines.get(f"/assignments/{school.assignment}/settings/").text
    )
    eve = Browser(school.app)
    assert eve.sign_in("eve", password).status_code == 303
    assert eve.get("/").location == "/account/choose-password?next=/"


def test_doing_it_twice_changes_nothing(school: School, path: str) -> None:
    ines = school.browser("ines")
    shown = ines.post(path, {"people": FILE})
    confirm(ines, path, shown)
    before = people(school)
    again = confirm(ines, path, shown)
    assert (again.status_code, "Somebody has changed the course" in again.text) == (409, True)
    assert "There is nobody to add" in again.text
    assert people(school) == before


def test_whoever_has_an_account_only_joins(school: School, path: str) -> None:
    ines = school.browser("ines")
    answer = confirm(ines, path, ines.post(path, {"login": "otto", "name": "Otto", "role": "student"}))
    assert answer.status_code == 303
    assert "1 person has been added" in ines.get(answer.location).text
    assert "You are now in Foundations" in school.browser("otto").get("/notices/").text


def test_one_person_is_added_by_a_form(school: School, path: str) -> None:
    ines = school.browser("ines")
    form = {"login": "eve", "name": 'Eve "Evie", Évans', "role": "instructor", "pseudonym": "Guide"}
    assert "1 account created" in confirm(ines, path, ines.post(path, form)).text
    with school.write() as session:
        eve = session.scalars(select(Membership).join(User).where(User.login == "eve")).one()
        assert (eve.user.name, eve.role.value, eve.pseudonym) == ('Eve "Evie", Évans', "instructor", "Guide")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"login": "eve adams", "name": "Eve"}, "“eve adams” is not a valid login; it must be one word"),
        ({"login": "eve", "name": ""}, "The name of eve is missing."),
        ({"people": ""}, "Choose a file or paste its contents."),
        ({"people": "user,name\nada,Ada\n"}, "missing: login; found: user, name."),
        ({"people": 'login,name\nada,"Ada\n'}, "Is a quotation mark not closed?".lower()),
    ],
)
def test_what_makes_no_sense_is_said_and_kept_in_the_form(
    school: School, path: str, form: dict[str, str], words: str
) -> None:
    answer = school.browser("ines").post(path, form)
    assert (answer.status_code, words in answer.text) == (422, True)
    assert str(next(iter(form.values()))).split("\n")[0] in answer.text


def test_a_file_that_is_no_text_is_refused(school: School, path: str) -> None:
    file = (BytesIO(b"PK\x03\x04\0\0"), "class.xlsx")
    answer = school.browser("ines").post(path, {"file": file}, content_type="multipart/form-data")
    assert (answer.status_code, "Save it as CSV" in answer.text) == (422, True)
