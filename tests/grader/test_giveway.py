"""Games give way while many uploads wait to be graded, and are played now and then all the same."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from grader.models import Submission
from tests.grader.factory import Classroom
from tournament.db import Sessions, now, reading, writing
from tournament.giveway import LONG, MANY, SELDOM_S, Pace, served
from tournament.jobs import JobState
from tournament.processes import this_process
from tournament.workers import Worker

ELSEWHERE = "another-boot pid:[1] 1 1"
BOOT = this_process().split(" ")[0]
DOZING = timedelta(seconds=60)
JUST_NOW = -DOZING  # it stays so, however slow the test is


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


def wait(room: Classroom, number: int, for_: timedelta = JUST_NOW) -> None:
    """So many uploads wait, all for so long."""
    for _ in range(number):
        room.upload(room.ada)
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(queued_at=now() - for_))


def grade_one(room: Classroom, process: str, lease: timedelta = DOZING) -> None:
    """Another is being graded by a worker of that process."""
    id_ = room.upload(room.ben)
    with writing(room.sessions) as session:
        session.add(Worker(name="grading", queue="grading", process=process))
        held = {"state": JobState.RUNNING, "owner": "grading", "lease_until": now() + lease}
        session.execute(update(Submission).where(Submission.id == id_).values(held))


def crowded(room: Classroom) -> bool:
    with reading(room.sessions) as session:
        return bool(served(session, now()))


@pytest.mark.parametrize(
    ("number", "for_", "crowd"),
    [
        (0, JUST_NOW, False),
        (MANY, JUST_NOW, False),
        (MANY + 1, JUST_NOW, True),
        (1, LONG + DOZING, True),
    ],
)
def test_a_crowd_are_many_or_one_that_waits_for_long(
    room: Classroom, number: int, for_: timedelta, crowd: bool
) -> None:
    wait(room, number, for_)
    grade_one(room, this_process())
    assert crowded(room) is crowd


def test_nobody_gives_way_to_a_crowd_that_nobody_is_at(room: Classroom) -> None:
    wait(room, MANY + 1)
    assert not crowded(room)
    grade_one(room, this_process(), lease=-DOZING)
    assert not crowded(room), "its worker is dead"


def test_an_upload_that_rests_after_a_fault_of_ours_makes_no_crowd(room: Classroom) -> None:
    wait(room, 1, LONG + DOZING)
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(lease_until=now() + DOZING))
    grade_one(room, this_process())
    assert not crowded(room)


@pytest.mark.parametrize(
    ("process", "gives_way"),
    [(this_process(), True), (f"{BOOT} pid:[1] 1 1", True), (ELSEWHERE, False), ("", False)],
    ids=["here", "in another container", "on another machine", "unknown"],
)
def test_games_are_played_seldom_while_a_crowd_waits_on_this_machine(
    room: Classroom, process: str, gives_way: bool
) -> None:
    wait(room, MANY + 1)
    grade_one(room, process)
    seconds = [0.0]
    pace = Pace(clock=lambda: seconds[0])
    assert pace.plays_now(room.sessions), "the first is never held up"
    seconds[0] = SELDOM_S / 2
    assert pace.plays_now(room.sessions) is not gives_way
    seconds[0] = 2 * SELDOM_S
    assert pace.plays_now(room.sessions), "now and then, whatever waits"


def test_games_are_played_at_once_when_the_crowd_is_gone(room: Classroom) -> None:
    wait(room, MANY + 1)
    grade_one(room, this_process())
    pace = Pace(clock=lambda: 0.0)
    pace.plays_now(room.sessions)
    assert not pace.plays_now(room.sessions)
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(state=JobState.DONE))
    assert pace.plays_now(room.sessions)
