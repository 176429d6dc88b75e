"""People join a course with a code that its instructors give out."""

from datetime import timedelta

import pytest

from tests.web.school import School
from tournament.store.database import now
from web.people.members import LENGTH, LETTERS
from web.site.models import JoinCode, Membership


@pytest.fixture
def code(school: School) -> str:
    """The code that Ines makes on the page of people."""
    path = f"/assignments/{school.assignment}/people/"
    assert school.browser("ines").post(f"{path}code", {"days": "7", "section": " Mon  9"}).status_code == 303
    return in_force(school)


def in_force(school: School) -> str:
    with school.write() as session:
        return session.get_one(JoinCode, school.course).code


def joined(school: School, code: str, login: str = "otto") -> tuple[int, str]:
    answer = school.browser(login).post("/join/", {"code": code})
    return answer.status_code, answer.text


@pytest.mark.both_databases
@pytest.mark.parametrize("typed", ["{}", " {} "])
def test_whoever_has_the_code_joins_in_its_section(school: School, code: str, typed: str) -> None:
    assert (len(code), {*code} <= {*LETTERS}) == (LENGTH, True)
    hyphened = f"{code[:5]}-{code[5:]}".lower()
    assert joined(school, typed.format(hyphened))[0] == 303
    with school.write() as session:
        member = session.get_one(Membership, (school.people["otto"], school.course))
        assert (member.role, member.section) == ("student", "Mon 9")
        assert member.pseudonym
    assert "joined with a code" in school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text


def test_a_link_fills_the_code_in(school: School, code: str) -> None:
    assert f'value="{code}"' in school.browser("otto").get(f"/join/?code={code}").text


@pytest.mark.parametrize(
    ("login", "typed", "why"),
    [
        ("otto", "ABCDE", "No course has this code"),
        ("otto", "", "No course has"),
        ("ada", "{}", "You are in Foundations"),
    ],
)
def test_who_does_not_join(school: School, code: str, login: str, typed: str, why: str) -> None:
    status, text = joined(school, typed.format(code), login)
    assert (status, why in text) == (409, True)


def test_an_expired_code_is_told_from_an_unknown_one(school: School, code: str) -> None:
    school.change(JoinCode, school.course, expires_at=now() - timedelta(seconds=1))
    assert "has expired" in joined(school, code)[1]
    assert "The last code expired" in school.browser("ines").get(f"/assignments/{school.assignment}/people/").text


def test_the_removed_do_not_come_back(school: School, code: str) -> None:
    path = f"/assignments/{school.assignment}/people/{school.people['ada']}/remove"
    assert school.browser("ines").post(path, {"confirm": "on"}).status_code == 303
    assert "removed you" in joined(school, code, "ada")[1]


def test_a_code_is_replaced_and_ended(school: School, code: str) -> None:
    ines, path = school.browser("ines"), f"/assignments/{school.assignment}/people/code"
    ines.post(path, {"days": "1"})
    assert joined(school, code)[0] == 409
    second = in_force(school)
    assert second != code
    ines.post(path, {"do": "end"})
    assert joined(school, second)[0] == 409


def test_guessing_is_limited(school: School) -> None:
    otto = school.browser("otto")
    assert [otto.post("/join/", {"code": f"GUESS{each}"}).status_code for each in range(11)][-1] == 429
