"""Insight: what the pictures of a class count, and the lists behind their parts."""

import re
from datetime import timedelta

import pytest

from grader.models import Assignment, Submission
from tests.web.evening import play_evening
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/insight/"


def steps(school: School, path: str) -> list[str]:
    """The numbers of the funnel, as in its file."""
    lines = school.browser("ines").get(f"{path}funnel.csv").text.strip("\ufeff").splitlines()
    return [line.rsplit(",", 1)[0] for line in lines[1:]]


@pytest.mark.both_databases
def test_the_funnel_counts_students_and_each_step_lists_them(school: School, path: str) -> None:
    school.graded("ada", good())
    school.graded("ada", good())
    school.graded("ben", bad())
    school.change(Entry, school.enter("ada"), state=EntryState.OUT)
    school.browser("ada")
    counted = dict(each.split(",") for each in steps(school, path))
    assert counted.pop("signed in") in "0123"
    assert counted == {"enrolled": "3", "uploaded": "2", "qualifying": "1", "entered": "1", "surviving": "0"}
    listed = school.browser("ines").get(f"{path}funnel/2/").text
    assert "2 students" in listed
    assert f"/people/{school.people['ben']}/" in listed
    assert f"/people/{school.people['cleo']}/" not in listed


@pytest.mark.both_databases
def test_every_link_of_every_picture_leads_to_a_page(school: School, path: str) -> None:
    school.enter("ben")
    play_evening(school, school.enter("ada"))
    points = {"q1": 1.0}
    school.graded("ada", good(), question_points=points, finished_at=now() - timedelta(hours=1))
    first = school.graded("ben", bad(), question_points={"q1": 0.0})
    school.change(Submission, first, queued_at=now() - timedelta(hours=9))
    school.change(Assignment, school.assignment, due_at=now() + timedelta(minutes=1))
    browser = school.browser("ines")
    shown = browser.get(path).text
    for name in ("uploads", "funnel", "questions", "points", "waits", "leaders"):
        assert f'id="picture-{name}"' in shown, name
        assert browser.get(f"{path}{name}.csv").status_code == 200
    assert "deadline" in shown
    links = set(re.findall(rf'href="({path}[^"]+/\d+/|/entries/\d+/)"', shown))
    assert len(links) > 10
    assert [each for each in links if browser.get(each).status_code != 200] == []


def test_students_at_risk(school: School, path: str) -> None:
    school.graded("ben", bad())
    school.change(Assignment, school.assignment, due_at=now() + timedelta(hours=3))
    browser = school.browser("ines")
    assert "/people/" in browser.get(f"{path}risk/0/").text
    assert f"/people/{school.people['ben']}/" in browser.get(f"{path}risk/1/").text
    assert "0 students: the latest entry" in " ".join(browser.get(path).text.split()).replace("</a>", "")
    school.change(Assignment, school.assignment, due_at=now() + timedelta(days=9))
    assert "Nobody" in browser.get(f"{path}risk/0/").text


def test_an_unpublished_assignment_has_nothing_to_count(school: School, path: str) -> None:
    school.change(Assignment, school.assignment, version=0)
    assert school.browser("ines").get(path).status_code == 404


def test_a_part_that_is_no_longer_there_says_so(school: School, path: str) -> None:
    answer = school.browser("ines").get(f"{path}uploads/77/")
    assert answer.status_code == 404
    assert "has changed" in answer.text
