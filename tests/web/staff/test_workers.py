"""What instructors see of the workers."""

from datetime import timedelta

import pytest

from tests.web.school import School
from tournament.store.database import now
from tournament.store.tables import Worker
from tournament.work.workers import FORGOTTEN


def page(school: School) -> str:
    return school.browser("ines").get(f"/assignments/{school.assignment}/manage/").text


def worker(school: School, name: str, trouble: str = "", silent_for: timedelta = timedelta()) -> None:
    with school.write() as session:
        session.add(Worker(name=name, queue="ladder", seen_at=now() - silent_for, trouble=trouble))


def test_without_a_worker_the_page_says_what_that_means(school: School) -> None:
    assert "nothing is graded and no games are played" in page(school)


@pytest.mark.both_databases
def test_workers_are_listed_with_their_trouble(school: School) -> None:
    worker(school, "hall:1")
    worker(school, "hall:2", "the sandbox fails its self-test: a player that opens a socket gets <OK>")
    worker(school, "hall:3", silent_for=timedelta(minutes=5))
    worker(school, "hall:4", silent_for=FORGOTTEN + timedelta(minutes=1))
    text = page(school)
    assert "out of service</span> It is not accepting work" in text
    assert "a player that opens a socket gets &lt;OK&gt;" in text
    assert "It has not been seen for 5 min" in text
    assert text.index("hall:2") < text.index("hall:1")
    assert "hall:4" not in text


def test_students_see_no_workers(school: School) -> None:
    worker(school, "hall:1")
    for login in ("ada", "otto"):
        assert "hall:1" not in school.browser(login).get(f"/assignments/{school.assignment}/manage/").text
