"""`quadrille regrade`, run as a user runs it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.orm import sessionmaker

from deploy.cli.results.recounting import as_data, sentences
from deploy.settings import load
from grader.grading.report import pack
from grader.regrade.batches import store_regrade
from grader.regrade.difference import summary
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from grader.store.queue import regrade_order
from tests.deploy.commands import quadrille
from tests.deploy.place import migrated
from tests.tournament.factory import claim_next, make_player, make_tournament, make_user
from tests.web.reports import bad, good
from tournament.store import jobs
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState
from web.site.models import Course, Membership, Role


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sessions(data: Path) -> Iterator[Sessions]:
    """An installation with two graded submissions of one student."""
    engine = migrated(load(data).database)
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        assignment = session.get_one(Assignment, make_tournament(session).assignment_id)
        session.get_one(Course, assignment.course_id).slug = "course"
        student = make_user(session)
        member = Membership(user_id=student, course_id=assignment.course_id, role=Role.STUDENT, pseudonym="Heron")
        of = {"assignment_id": assignment.id, "author_id": student, "wants_entry": False, "entry_name": "Heron"}
        session.add(member)
        for _ in range(2):
            row = Submission(player_id=make_player(session), filename="p.py", state=JobState.DONE, **of)
            row.report, row.qualifies, row.points = pack(bad()), False, bad().points
            session.add(row)
    yield sessions
    engine.dispose()


@pytest.mark.parametrize(("options", "number"), [((), 1), (("--all",), 2)])
def test_it_is_queued_and_says_where_to_look(
    data: Path, sessions: Sessions, options: tuple[str, ...], number: int
) -> None:
    done = quadrille("regrade", "course/bo", "--reason", "Case 7", "--data", str(data), *options)
    assert done.returncode == 0
    assert "will be graded again, new uploads first" in done.stdout
    assert "/regrades/1/" in done.stdout
    with reading(sessions) as session:
        assert session.query(Regrade).count() == number
        batch = session.query(RegradeBatch).one()
        assert (batch.reason, batch.asked_by) == ("Case 7", None)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("course/uno", "--reason", "Case 7"), "there is no assignment 'course/uno'; available: course/bo"),
        (("course/bo", "--reason", " "), "Give a reason of 1 to 500 characters"),
    ],
)
def test_what_cannot_be_meant_is_refused(data: Path, sessions: Sessions, arguments: tuple[str, ...], says: str) -> None:
    done = quadrille("regrade", *arguments, "--data", str(data))
    assert done.returncode == 2
    assert says in done.stderr


def test_it_tells_programs_and_people_what_has_changed(data: Path, sessions: Sessions) -> None:
    told = quadrille("regrade", "course/bo", "--reason", "Case 7", "--json", "--data", str(data))
    asked = json.loads(told.stdout)
    assert (asked["batch"], asked["total"], asked["left"], asked["changes"]) == (1, 1, 1, [])
    claim = claim_next(sessions, Regrade, regrade_order())
    assert claim
    with writing(sessions) as session:
        regrade = jobs.held(session, Regrade, claim)
        assert regrade
        store_regrade(session, lambda _: None, regrade, good())
    with reading(sessions) as session:
        found = summary(session, session.get_one(RegradeBatch, 1))
        assert as_data(1, found)["by_question"] == {"q1": {"gained": 1, "lost": 0}}
        assert list(sentences(1, found)) == ["0 as before, 1 result changed.", "Q1: 1 gained, 0 lost."]
