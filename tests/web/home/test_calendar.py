"""Deadlines as a calendar at a private address: each person's own, and nothing that they may not see."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar

from grader.assignment.deadline import extend
from grader.definition.local_times import LocalTime
from grader.store.models import Assignment
from tests.web.school import School
from web.site.models import Course, Membership, Role, User

ADDRESS = re.compile(r"/calendar/[\w.-]+\.ics")
DUE = datetime(2027, 3, 28, 23, 30, tzinfo=UTC)  # in Berlin summer time has begun that day


def address(school: School, login: str) -> str:
    found = ADDRESS.search(school.browser(login).get("/account/").text)
    assert found
    return found[0]


def events(school: School, path: str) -> dict[str, Any]:
    answer = school.app.test_client().get(path)
    assert (answer.status_code, answer.content_type) == (200, "text/calendar; charset=utf-8")
    return {str(each["summary"]): each for each in Calendar.from_ical(answer.data).walk("VEVENT")}


@pytest.fixture
def due(school: School) -> None:
    with school.write() as session:
        assignment, course = session.get_one(Assignment, school.assignment), session.get_one(Course, school.course)
        assignment.due_at, assignment.title, course.time_zone = DUE, "Bo", "Europe/Berlin"


@pytest.mark.usefixtures("due")
def test_it_needs_no_sign_in_and_has_the_moment_in_utc_and_in_words(school: School) -> None:
    (event,) = events(school, address(school, "ben")).values()
    assert str(event["summary"]) == "Bo: deadline (Foundations)"
    assert event["dtstart"].dt == DUE
    assert "01:30" in str(event["description"])
    assert "UTC+02:00" in str(event["description"])
    assert str(event["url"]).endswith("/courses/comp10001/bo/")


@pytest.mark.usefixtures("due")
def test_an_extension_and_dates_of_a_section_are_in_the_calendar_of_those_whose_they_are(school: School) -> None:
    later = DUE + timedelta(days=2)
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        extend(session, assignment, school.people["ada"], LocalTime(later, session.get_one(Course, school.course).zone))
    assert [each["dtstart"].dt for each in events(school, address(school, "ada")).values()] == [later]
    assert [each["dtstart"].dt for each in events(school, address(school, "ben")).values()] == [DUE]


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize("hidden", ["later", "archived", "no member", "no deadline"])
def test_what_a_person_may_not_see_is_not_in_it(school: School, hidden: str) -> None:
    path = address(school, "ben")
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        if hidden == "later":
            assignment.visible_from = datetime(2099, 1, 1, tzinfo=UTC)
        elif hidden == "no deadline":
            assignment.due_at = None
        elif hidden == "archived":
            assignment.archived = True
        else:
            session.delete(session.get_one(Membership, (school.people["ben"], school.course)))
    assert events(school, path) == {}


@pytest.mark.usefixtures("due")
def test_instructors_see_the_deadline_of_the_class(school: School) -> None:
    with school.write() as session:
        assert session.get_one(Membership, (school.people["ines"], school.course)).role is Role.INSTRUCTOR
    assert [each["dtstart"].dt for each in events(school, address(school, "ines")).values()] == [DUE]


@pytest.mark.usefixtures("due")
def test_programs_ask_whether_it_has_changed(school: School) -> None:
    path, program = address(school, "ben"), school.app.test_client()
    first = program.get(path)
    again = {"If-None-Match": first.headers["ETag"]}
    assert program.get(path, headers=again).status_code == 304
    head = program.head(path)
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", first.headers["ETag"])
    with school.write() as session:
        session.get_one(Assignment, school.assignment).due_at = DUE + timedelta(hours=1)
    assert program.get(path, headers=again).status_code == 200


def test_a_renewed_address_and_those_of_others_are_worth_nothing(school: School) -> None:
    path = address(school, "ben")
    ben = school.browser("ben")
    assert ben.post("/account/calendar", {}, "/account/").status_code == 303
    assert address(school, "ben") != path
    assert address(school, "ada") not in (path, address(school, "ben"))
    program = school.app.test_client()
    changed = path.replace("/calendar/", "/calendar/x")
    for wrong in (path, changed, "/calendar/.ics", "/calendar/[1,0].ics"):
        assert program.get(wrong).status_code == 404
    assert program.get(address(school, "ben")).status_code == 200
    assert program.get("/account/").status_code == 303, "it signs nobody in"


@pytest.mark.usefixtures("due")
def test_a_title_adds_no_lines(school: School) -> None:
    with school.write() as session:
        title = "Bo\r\nEND:VEVENT\nBEGIN:VALARM;,x"
        session.get_one(Assignment, school.assignment).title = title
    text = school.app.test_client().get(address(school, "ben")).text
    assert text.count("\r\nEND:VEVENT") == 1
    assert "\r\nBEGIN:VALARM" not in text


def test_an_instructor_who_views_as_a_student_sees_no_address(school: School) -> None:
    ines = school.browser("ines")
    page = f"/assignments/{school.assignment}/people/{school.people['ada']}/"
    assert ines.post(f"{page}view", {}, page).status_code == 303
    assert ines.get("/account/").status_code == 403


def test_what_is_not_valid_does_not_use_up_what_its_owner_may_ask(school: School) -> None:
    path, program = address(school, "ben"), school.app.test_client()
    statuses = [program.get(f"/calendar/{number}.ics").status_code for number in range(121)]
    assert statuses == [404] * 120 + [429]
    assert [program.get(path).status_code for _ in range(121)] == [200] * 120 + [429]
    assert program.get(address(school, "ada")).status_code == 200


def test_an_address_is_not_that_of_another_account_with_the_same_number(school: School) -> None:
    path = address(school, "ben")
    with school.write() as session:
        session.get_one(User, school.people["ben"]).created_at += timedelta(days=1)
    assert school.app.test_client().get(path).status_code == 404


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize(("own", "of_course"), [("de", ""), ("", "de"), ("de", "en")])
def test_it_is_in_the_language_of_its_owner_or_else_of_the_course(school: School, own: str, of_course: str) -> None:
    path, program = address(school, "ben"), school.app.test_client()
    english = program.get(path).headers["ETag"]
    with school.write() as session:
        session.get_one(User, school.people["ben"]).language = own
        session.get_one(Course, school.course).language = of_course
    (event,) = events(school, path).values()
    assert str(event["summary"]) == "Bo: Abgabefrist (Foundations)"
    assert "29. März 2027" in str(event["description"])
    assert program.get(path).headers["ETag"] != english
