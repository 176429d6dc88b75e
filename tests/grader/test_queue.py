"""Whose submission is graded next, on both databases."""

from datetime import timedelta

import pytest

from grader.store.models import Submission
from grader.store.queue import crew_of, fair_order, queue_position, seconds_to_wait
from tests.grader.factory import NOON, Classroom
from tests.tournament.factory import claim_next
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import Claim, JobState, finish, held

pytestmark = pytest.mark.both_databases


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


def take(room: Classroom, worker: str = "worker") -> Claim | None:
    return claim_next(room.sessions, Submission, fair_order(), worker)


def done(room: Classroom, claim: Claim | None) -> int:
    assert claim
    with writing(room.sessions) as session:
        submission = held(session, Submission, claim)
        assert submission
        finish(submission)
    return claim.id


def positions(room: Classroom, *ids: int) -> list[int | None]:
    with reading(room.sessions) as session:
        return [queue_position(session, crew_of(session), session.get_one(Submission, id_)) for id_ in ids]


def test_a_students_second_waits_until_everybodys_first_is_done(room: Classroom) -> None:
    ada = [room.upload(room.ada) for _ in range(3)]
    ben = [room.upload(room.ben) for _ in range(2)]
    cyd = [room.upload(room.cyd)]
    assert positions(room, *ada, *ben, *cyd) == [1, 4, 6, 2, 5, 3]
    order = [done(room, take(room)) for _ in range(6)]
    assert order == [ada[0], ben[0], cyd[0], ada[1], ben[1], ada[2]]
    assert take(room) is None


def test_one_who_comes_late_does_not_wait_for_a_students_many(room: Classroom) -> None:
    ada = [room.upload(room.ada) for _ in range(4)]
    assert [done(room, take(room)) for _ in range(2)] == ada[:2]
    ben = [room.upload(room.ben) for _ in range(2)]
    assert positions(room, *ada[2:], *ben) == [3, 4, 1, 2]
    assert [done(room, take(room)) for _ in range(4)] == [*ben, *ada[2:]]


def test_what_was_done_before_anybody_waited_is_forgotten(room: Classroom) -> None:
    for _ in range(3):
        room.upload(room.ada)
        done(room, take(room))
    ada = room.upload(room.ada)
    ben = room.upload(room.ben)
    assert [done(room, take(room)) for _ in range(2)] == [ada, ben]


def test_a_students_own_are_graded_one_at_a_time_in_order(room: Classroom) -> None:
    first, second = room.upload(room.ada), room.upload(room.ada)
    claim = take(room, "one")
    assert claim
    assert claim.id == first
    assert take(room, "other") is None
    assert positions(room, first, second) == [0, 1]
    done(room, claim)
    assert positions(room, first, second) == [None, 1]
    assert done(room, take(room, "other")) == second


def test_the_submission_of_a_dead_worker_is_taken_again(room: Classroom) -> None:
    room.upload(room.ada)
    claim = take(room, "dead")
    with writing(room.sessions) as session:
        submission = session.get_one(Submission, claim.id if claim else 0)
        submission.lease_until = now() - timedelta(seconds=1)
    again = take(room, "alive")
    assert claim
    assert again
    assert (again.id, again.owner, again.attempt) == (claim.id, "alive", 2)
    with writing(room.sessions) as session:
        assert held(session, Submission, claim) is None


def test_the_same_second_is_no_matter(room: Classroom) -> None:
    with writing(room.sessions) as session:
        ids = [room.submit(session, room.ada, at=NOON).id for _ in range(2)]
    assert [done(room, take(room)) for _ in range(2)] == ids


def test_how_long_one_waits_is_told_at_the_pace_of_those_done_while_somebody_waited(room: Classroom) -> None:
    room.upload(room.ada, at=NOON)
    for number in range(12):
        with writing(room.sessions) as session:
            at = NOON + timedelta(seconds=2 * number - 6)  # the first three were done before anybody waited
            submission = room.submit(session, room.ben, at=NOON - timedelta(hours=1))
            submission.state, submission.finished_at = JobState.DONE, at
        if number == 10:
            with reading(room.sessions) as session:
                assert seconds_to_wait(session, crew_of(session), 5) is None, "eight are too few"
    with reading(room.sessions) as session:
        assert seconds_to_wait(session, crew_of(session), 5) == 10
