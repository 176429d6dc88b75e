"""More time for one student, given where staff look at that student, and undone."""

import re

import pytest

from grader.store.models import Extension
from tests.web.school import Browser, School
from tournament.store.database import reading

DUE, LATER, LATEST = "2099-01-01 12:00", "2099-01-02 12:00", "2099-01-03 12:00"
IN_WORDS = '<time datetime="2099-01-02T12:00:00+00:00">Fri 2 Jan 2099, 12:00 UTC</time>'
UNDO = re.compile(r'name="until" value="([^"]*)">\s*<input type="hidden" name="reason" value="([^"]*)">')


@pytest.fixture
def ines(school: School) -> Browser:
    browser = school.browser("ines")
    browser.post(f"/assignments/{school.assignment}/settings/", {"due": DUE})
    return browser


@pytest.fixture
def ben(school: School) -> str:
    return f"/assignments/{school.assignment}/people/{school.people['ben']}/"


def kept(school: School) -> tuple[str, str] | None:
    with reading(school.sessions) as session:
        row = session.get(Extension, (school.assignment, school.people["ben"]))
        return (f"{row.until:%Y-%m-%d %H:%M}", row.reason) if row else None


def test_an_extension_is_set_logged_and_taken_back(school: School, ines: Browser, ben: str) -> None:
    assert ines.post(f"{ben}extension", {"until": LATER, "reason": "ill"}).location == f"{ben}#extension"
    assert (
        f"For Ben Realname, the deadline is <strong>{IN_WORDS}</strong>, because of an extension" in ines.get(ben).text
    )
    student = school.browser("ben")
    assert "An instructor has given you more time" in student.get("/notices/").text
    page = student.get("/courses/comp10001/bo/").text
    assert "extended for you" in page
    assert "ill" not in student.get("/notices/").text.partition("<main")[2]
    early = ines.post(f"{ben}extension", {"until": "2098-01-02 12:00"})
    assert early.status_code == 422
    assert "An extension must end after the deadline for everybody else" in early.text
    assert kept(school) == (LATER, "ill")
    ines.post(f"{ben}extension", {"until": ""})
    log = ines.get(f"/assignments/{school.assignment}/settings/").text
    assert f"Extension of ben</th><td>{IN_WORDS} (ill)</td><td>none</td>" in log


def test_each_change_can_be_undone_once_there_and_in_the_list(school: School, ines: Browser, ben: str) -> None:
    listed = f"/assignments/{school.assignment}/extensions/"
    ines.post(f"{ben}extension", {"until": LATER, "reason": "ill"})
    ines.post(f"{ben}extension", {"until": LATEST, "reason": "moved"})
    [former] = UNDO.findall(ines.get(ben).text)
    assert UNDO.findall(ines.get(ben).text) == [], "it is offered once"
    ines.post(f"{ben}extension", {"until": former[0], "reason": former[1]})
    assert kept(school) == (LATER, "ill")
    assert ines.post(f"{ben}extension", {"until": "", "list": "1"}).location == listed
    page = ines.get(listed).text
    assert "The extension has been removed" in page
    [former] = UNDO.findall(page)
    ines.post(f"{ben}extension", {"until": former[0], "reason": former[1], "list": "1"})
    assert kept(school) == (LATER, "ill")
    assert f'{ben}#extension">Ben Realname</a>' in ines.get(listed).text


def test_two_people_do_not_overwrite_each_other(school: School, ines: Browser, ben: str) -> None:
    [opened] = re.findall(r'name="was" value="(\w+)"', ines.get(ben).text)
    ines.post(f"{ben}extension", {"until": LATER, "reason": "ill"})
    answer = ines.post(f"{ben}extension", {"until": LATEST, "reason": "", "was": opened})
    assert (answer.status_code, "Somebody else has changed this since" in answer.text) == (409, True)
    assert kept(school) == (LATER, "ill")


def test_only_students_have_extensions_and_only_of_a_deadline(school: School, ines: Browser, ben: str) -> None:
    own = f"/assignments/{school.assignment}/people/{school.people['ines']}/extension"
    assert ines.post(own, {"until": LATER}).status_code == 409
    ines.post(f"/assignments/{school.assignment}/settings/", {"due": ""})
    answer = ines.post(f"{ben}extension", {"until": LATER})
    assert (answer.status_code, "no deadline that could be extended" in answer.text) == (422, True)
    assert kept(school) is None
