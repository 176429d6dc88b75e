"""The list of courses: how each assignment stands."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event

from grader.store.models import Assignment, Extension, Submission
from tests.tournament.factory import publish_examples
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import EntryState, Trial
from web.site.models import Membership


def home(school: School, login: str = "ada") -> str:
    return school.browser(login).get("/").text


def button(school: School) -> tuple[str, str]:
    """The text and the address of the button of the first assignment."""
    address, text = re.findall(r'<a class="button[^"]*" href="([^"]+)">([^<]+)<', home(school))[0]
    return text, address


def test_not_submitted(school: School) -> None:
    assert "not submitted" in home(school)
    assert "ada-the-pseudonym" in home(school), "the name that others see"


def test_waiting_and_graded(school: School) -> None:
    id_ = school.upload("ada")
    assert "being graded" in home(school)
    school.change(Submission, id_, state=JobState.PARKED)
    assert "an internal error" in home(school)
    school.graded("ada", bad())
    assert "does not qualify yet" in home(school)
    school.graded("ada", good())
    assert "It has not entered the tournament" in home(school)


@pytest.mark.both_databases
def test_entered(school: School) -> None:
    school.enter("ada", games=100, wins=25)
    school.enter("ben", games=100, wins=30)
    assert "rank 2 of 2" in home(school)
    assert "100 games, 25.0% won" in home(school)


def test_out(school: School) -> None:
    school.enter("ada", games=10, faults=10, state=EntryState.OUT)
    assert "lost 10 games by an invalid play" in home(school)


@pytest.mark.both_databases
def test_instructors_see_what_waits(school: School) -> None:
    school.upload("ada")
    assert "1 submission waiting, 0 ranked players" in home(school, "ines")


def test_no_course(school: School) -> None:
    with school.write() as session:
        session.delete(session.get_one(Membership, (school.people["ada"], school.course)))
    assert "You are not in a course yet" in home(school)


def test_each_state_of_the_work_has_one_button(school: School) -> None:
    assert button(school) == ("Upload a player", "/courses/comp10001/bo/#upload-heading")
    first = school.upload("ada")
    assert button(school) == ("See the report", f"/submissions/{first}/")
    school.change(Submission, first, state=JobState.CANCELLED)
    assert button(school) == ("Upload again", "/courses/comp10001/bo/#upload-heading")
    second = school.graded("ada", good())
    assert button(school) == ("Enter it", f"/submissions/{second}/")
    with school.write() as session:
        player = session.get_one(Submission, second).player_id
        session.add(
            Trial(
                assignment_id=school.assignment, player_id=player, game="bo", games=8, state=JobState.DONE, offence=b"-"
            )
        )
    assert button(school) == ("See what went wrong", f"/submissions/{second}/")
    entry = school.enter("ada", ago=timedelta(hours=1))
    assert button(school) == ("Watch its games", f"/entries/{entry}/")
    third = school.graded("ada", bad())
    assert "Version 1 keeps playing" in home(school)
    assert button(school) == ("See the report", f"/submissions/{third}/")


def test_who_is_out_is_led_to_the_games_that_show_why(school: School) -> None:
    entry = school.enter("ada", games=10, faults=10, state=EntryState.OUT)
    assert button(school) == ("See why it was disqualified", f"/entries/{entry}/?faults=1")


def add_assignment(school: School, slug: str, **values: object) -> int:
    with school.write() as session:
        assignment = Assignment(course_id=school.course, slug=slug, title=slug, game="bo", **values)
        publish_examples(session, assignment)
        return int(assignment.id)


def test_assignments_are_sorted_by_the_persons_own_deadline(school: School) -> None:
    day = timedelta(days=1)
    school.change(Assignment, school.assignment, title="never")
    add_assignment(school, "later", due_at=now() + 5 * day)
    add_assignment(school, "sooner", due_at=now() + 2 * day)
    add_assignment(school, "past", due_at=now() - 2 * day)
    add_assignment(school, "long-past", due_at=now() - 9 * day)
    extended = add_assignment(school, "extended", due_at=now() - day)
    with school.write() as session:
        session.add(Extension(assignment_id=extended, user_id=school.people["ada"], until=now() + 3 * day))
    titles = re.findall(r"<h3>.*?/courses/comp10001/([a-z-]+)/", home(school))
    assert titles == ["sooner", "extended", "later", "bo", "past", "long-past"]
    assert home(school).index('id="past"') < home(school).index(">past</a>")
    assert "your extended deadline" in home(school)


def test_the_page_asks_the_database_as_little_as_it_can(school: School) -> None:
    """None for each entry or submission; one for the trial of a latest upload that qualifies and has not entered."""
    statements: list[str] = []
    browser = school.browser("ada")
    school.enter("ada", ago=timedelta(hours=1))
    engine = school.sessions.kw["bind"]
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    counts = []
    for _ in range(3):
        browser.get("/")
        statements.clear()
        browser.get("/")
        counts.append(len(statements))
        school.graded("ada", good())
        school.graded("ben", good())
    assert counts[0] + 1 == counts[1] == counts[2] <= 10
