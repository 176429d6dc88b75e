"""The list of courses: how each assignment stands."""

import pytest

from grader.models import Submission
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.jobs import JobState
from tournament.store.tables import EntryState
from web.models import Membership


def home(school: School, login: str = "ada") -> str:
    return school.browser(login).get("/").text


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
