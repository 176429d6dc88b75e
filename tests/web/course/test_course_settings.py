"""The settings of a course: reachable before it has an assignment, saved at once, and never over somebody else's."""

import re

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from grader.store.models import Assignment, Change
from tests.web.school import Browser, School
from web.site.models import Course

SETTINGS = "/courses/comp10001/settings/"
USUAL = {"title": "Foundations", "term": "", "language": "", "time_zone": "UTC"}


def change_course(browser: Browser, **changed: str) -> TestResponse:
    """Send the form of the course with these fields changed."""
    was = re.search(r'name="was" value="([^"]*)"', browser.get(SETTINGS).text)
    assert was
    return browser.post(SETTINGS, {**USUAL, "was": was[1], **changed})


def test_a_course_is_renamed_and_its_log_says_so(school: School) -> None:
    ines = school.browser("ines")
    assert change_course(ines, title="Foundations of Computing", term="Semester 1").status_code == 303
    with school.write() as session:
        course = session.get_one(Course, school.course)
        assert (course.title, course.term, course.slug) == ("Foundations of Computing", "Semester 1", "comp10001")
        logged = session.scalars(
            select(Change).where(Change.course_id == school.course, Change.assignment_id.is_(None))
        ).all()
        assert {(each.setting, each.former, each.value) for each in logged} >= {
            ("Title of the course", "Foundations", "Foundations of Computing")
        }
    assert "Foundations of Computing" in school.browser("ada").get("/").text


@pytest.mark.parametrize(
    ("changed", "told"),
    [({"title": ""}, "title"), ({"time_zone": "Melbourne"}, "Did you mean Australia/Melbourne?")],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_changed(
    school: School, changed: dict[str, str], told: str
) -> None:
    answer = change_course(school.browser("ines"), **{"term": "Spring", **changed})
    assert answer.status_code == 422
    assert told in answer.text
    assert 'value="Spring"' in answer.text
    with school.write() as session:
        assert session.get_one(Course, school.course).term == ""


def test_what_somebody_else_saved_meanwhile_is_shown_and_not_overwritten(school: School) -> None:
    ines = school.browser("ines")
    was = re.search(r'name="was" value="([^"]*)"', ines.get(SETTINGS).text)
    assert was
    change_course(ines, title="Computing 1")
    answer = ines.post(SETTINGS, {**USUAL, "was": was[1], "term": "Spring"})
    assert answer.status_code == 409
    assert "Now: Computing 1" in answer.text
    assert 'value="Spring"' in answer.text
    with school.write() as session:
        assert session.get_one(Course, school.course).title == "Computing 1"


def test_it_is_reachable_before_the_first_assignment(school: School) -> None:
    ines = school.browser("ines")
    assert ines.post(f"/assignments/{school.assignment}/delete", {"confirm": "on"}).status_code == 303
    with school.write() as session:
        assert session.scalars(select(Assignment)).all() == []
    assert f'href="{SETTINGS}"' in ines.get("/courses/comp10001/").text
    assert change_course(ines, time_zone="Australia/Melbourne").status_code == 303
