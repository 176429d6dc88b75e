"""Games give way while many uploads wait to be graded, and are played now and then all the same."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from grader.store.models import Submission
from tests.grader.factory import Classroom
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Worker
from tournament.work.turns import LONG, MANY, SELDOM_S, PlayingPace, served
from tournament.work.workers import this_process

ELSEWHERE = "another-boot pid:[1] 1 1"
BOOT = this_process().split(" ")[0]
DOZING = timedelta(seconds=60)
JUST_NOW = -DOZING  # it stays so, however slow the test is


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


def wait(room: Classroom, number: int, for_: timedelta = JUST_NOW) -> None:
    """So many uploads wait, all for so long."""
    with writing(room.sessions) as session:
        for _ in range(number):
            room.submit(session, room.ada)
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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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
    pace = PlayingPace(clock=lambda: seconds[0])
    assert not pace.gives_way(room.sessions), "the first is never held up"
    pace.played(1.0, gave_way=True, may_rest=False)
    seconds[0] = SELDOM_S / 2
    assert pace.gives_way(room.sessions) is gives_way
    seconds[0] = 2 * SELDOM_S
    assert not pace.gives_way(room.sessions), "now and then, whatever waits"


def test_games_are_played_at_once_when_the_crowd_is_gone(room: Classroom) -> None:
    wait(room, MANY + 1)
    grade_one(room, this_process())
    pace = PlayingPace(clock=lambda: 0.0)
    pace.played(1.0, gave_way=True, may_rest=False)
    assert pace.gives_way(room.sessions)
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(state=JobState.DONE))
    assert not pace.gives_way(room.sessions)


def test_a_final_plays_half_of_the_time_while_a_crowd_waits_and_all_of_it_otherwise(room: Classroom) -> None:
    """Its turns take 0.4 s here; ladders have theirs now and then."""

    def plays() -> dict[str, float]:
        seconds, spent = [100.0], {"final": 0.0, "ladder": 0.0}
        pace = PlayingPace(clock=lambda: seconds[0])
        while seconds[0] < 160.0:
            crowd = pace.gives_way(room.sessions)
            kind = "ladder" if pace.seldom_enough() else "final"
            seconds[0] += pace.rest_s() if crowd and kind == "final" else 0.0
            seconds[0] += 0.4
            spent[kind] += 0.4
            pace.played(0.4, gave_way=kind == "ladder", may_rest=kind == "final")
        return spent

    wait(room, MANY + 1)
    grade_one(room, this_process())
    assert 27 <= plays()["final"] <= 33
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(state=JobState.DONE))
    assert plays()["final"] > 55
