"""Finished submissions are graded again, on both databases; most of it with reports that are made up."""

from dataclasses import replace
from datetime import timedelta
from importlib.metadata import version

import pytest
from sqlalchemy import select

from grader.assignment.deadline import choose
from grader.assignment.failed_cases import ReportedUpload, failures
from grader.entering.entering import enter
from grader.grading.report import Report, pack
from grader.regrade.batches import (
    NoReason,
    NothingToGrade,
    all_graded,
    ask,
    cancel,
    see_to_ends,
    store_regrade,
    that_count,
    try_again,
    unqualified,
    why_given_up,
    withdraw_unqualified,
)
from grader.regrade.difference import reports_of, summary
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from grader.store.queue import regrade_order
from grader.submissions.submit import report_of
from grader.submissions.work import grade_next, send_if_due
from sandbox.api import Sandbox
from tests.grader.entering.test_entering import report
from tests.grader.factory import NOON, REFERENCE, Classroom
from tests.papers import examples_only
from tests.tournament.factory import claim_next
from tests.tournament.worker import until, victim
from tournament.ladder.ladder import cooldown_ends
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, Claim, JobState, fail
from tournament.store.notices import notices
from tournament.store.tables import Entry, EntryState

pytestmark = pytest.mark.both_databases

GOOD, BAD = report("bo", ""), report("bo", "q4")
WHY = "Case 7 of Q4 was wrong."


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


def graded(room: Classroom, author: int, found: Report, enters: bool = False, **more: object) -> int:
    """A submission as it stands after grading; one that qualifies and `enters` has entered."""
    id_ = room.upload(author, enters=enters, **more)
    with writing(room.sessions) as session:
        row = session.get_one(Submission, id_)
        row.state, row.finished_at, row.report = JobState.DONE, row.queued_at, pack(found)
        row.qualifies, row.points = found.qualifies, found.points
        session.flush()
        if enters and found.qualifies:
            enter(session, room.sent.append, row, at=row.queued_at)
    return id_


def again(room: Classroom, *ids: int, reason: str = WHY) -> int:
    """Ask for these to be graded again; the batch's id. Cyd teaches."""
    wanted = select(Submission.id).where(Submission.id.in_(ids))
    with writing(room.sessions) as session:
        return ask(session, room.sent.append, room.assignment, wanted, reason, room.cyd).id


def take(room: Classroom) -> Claim | None:
    return claim_next(room.sessions, Regrade, regrade_order())


def store(room: Classroom, claim: Claim | None, found: Report) -> bool:
    assert claim
    with writing(room.sessions) as session:
        regrade = jobs.held(session, Regrade, claim)
        if regrade is not None:
            store_regrade(session, room.sent.append, regrade, found)
    see_to_ends(room.sessions)
    return regrade is not None


def regraded(room: Classroom, *ids: int, found: Report) -> int:
    """These, graded again with this result."""
    batch = again(room, *ids)
    for _ in ids:
        assert store(room, take(room), found)
    return batch


def told(room: Classroom, user: int) -> list[tuple[str, str]]:
    with reading(room.sessions) as session:
        return [(each.subject, each.text) for each in notices(session, user)]


def stands(room: Classroom, id_: int) -> tuple[bool | None, float | None]:
    """What counts of a submission."""
    with reading(room.sessions) as session:
        row = session.get_one(Submission, id_)
        assert row.state is JobState.DONE
        found = report_of(row, whole=True)
        assert found
        assert (row.qualifies, row.points) == (found.qualifies, found.points)
        return row.qualifies, row.points


def entries(room: Classroom) -> list[tuple[int | None, EntryState]]:
    with reading(room.sessions) as session:
        return [(entry.author_id, entry.state) for entry in session.scalars(select(Entry).order_by(Entry.id))]


# Asking


def test_a_reason_is_wanted_and_something_to_grade(room: Classroom) -> None:
    id_ = graded(room, room.ada, BAD)
    for reason in ("", " \n ", "x" * 501):
        with pytest.raises(NoReason):
            again(room, id_, reason=reason)
    again(room, id_)
    assert room.sent[-1] == "grader.grade"
    with pytest.raises(NothingToGrade):
        again(room, id_)


def test_which_are_graded_again(room: Classroom) -> None:
    old = graded(room, room.ada, GOOD, enters=True, at=NOON)
    forgotten, last = graded(room, room.ada, BAD), graded(room, room.ada, BAD)
    bens = graded(room, room.ben, BAD)
    room.upload(room.ben)  # it waits for its first grading
    graded(room, room.cyd, BAD)
    with reading(room.sessions) as session:
        members = [room.ada, room.ben]
        assignment = session.get_one(Assignment, room.assignment)
        assert set(session.scalars(that_count(session, assignment, members))) == {
            old,
            last,
            bens,
        }
        assert set(session.scalars(all_graded(room.assignment, members))) == {old, forgotten, last, bens}


def test_the_batch_with_the_least_left_comes_first(room: Classroom) -> None:
    many = [graded(room, room.ada, BAD) for _ in range(3)]
    one = graded(room, room.ben, BAD)
    again(room, *many)
    again(room, one)
    order = []
    while claim := take(room):
        with reading(room.sessions) as session:
            order.append(session.get_one(Regrade, claim.id).submission_id)
        store(room, claim, BAD)
    assert order == [one, *many]


# What becomes of it


def test_the_newest_report_counts_and_every_former_one_is_kept(room: Classroom) -> None:
    first = replace(BAD, questions_version="of old")
    id_ = graded(room, room.ada, first)
    one = regraded(room, id_, found=BAD)
    two = regraded(room, id_, found=GOOD)
    assert stands(room, id_) == (True, GOOD.points)
    with reading(room.sessions) as session:
        submission = session.get_one(Submission, id_)
        kept = reports_of(session, submission)[0]
        assert [each.batch.id if each.batch else None for each in kept] == [two, one, None]
        assert [each.points for each in kept] == [GOOD.points, BAD.points, BAD.points]
        assert (kept[0].made_at, kept[-1].made_at) == (submission.regraded_at, submission.finished_at)
        assert kept[0].replaced_by is None
        assert kept[-1].replaced_by is not None
        assert kept[-1].replaced_by.former == pack(first)


def test_only_those_are_told_whose_result_changed_and_each_once(room: Classroom) -> None:
    adas = [graded(room, room.ada, BAD) for _ in range(2)]
    bens = graded(room, room.ben, GOOD)
    regraded(room, *adas, bens, found=GOOD)
    ((subject, text),) = told(room, room.ada)
    assert subject == "2 of your submissions were graded again, and their results changed"
    assert (
        f"The reason given: {WHY} Submission {adas[1]} (player.py): Q4: 1 of 1 cases passed; previously, 0 of 1 did."
        in text
    )
    assert "you can enter it from its page" in text
    assert told(room, room.ben) == []
    assert told(room, room.cyd) == [("The regrade has ended: 2 changed, 1 as before", WHY)]
    see_to_ends(room.sessions)
    assert len(told(room, room.ada)) == len(told(room, room.cyd)) == 1


def test_the_summary_counts_and_says_who_gained_and_lost_what(room: Classroom) -> None:
    gains, loses, same, waits = (
        graded(room, author, found)
        for author, found in ((room.ada, BAD), (room.ben, GOOD), (room.ben, BAD), (room.ben, BAD))
    )
    batch = again(room, gains, loses, same, waits)
    for found in (GOOD, BAD, BAD):
        store(room, take(room), found)
    with reading(room.sessions) as session:
        found = summary(session, session.get_one(RegradeBatch, batch))
        assert (found.total, found.left, found.same, found.failed, found.cancelled) == (4, 1, 1, 0, 0)
        assert [each.submission.id for each in found.changes] == [gains, loses]
        assert found.by_question == {"q4": (1, 1)}
        assert [(each.difference.gained, each.difference.lost) for each in found.changes] == [
            ([room.tournament], []),
            ([], [room.tournament]),
        ]
        assert found.seconds_left is None, "three are too few for an estimate"


# Entries


def test_what_asked_to_enter_and_qualifies_at_last_enters_as_of_its_upload(room: Classroom) -> None:
    due = now() - timedelta(hours=1)
    id_ = graded(room, room.ada, BAD, enters=True, at=due - timedelta(minutes=1))
    regraded(room, id_, found=GOOD)
    assert entries(room) == [(room.ada, EntryState.ACTIVE)]
    assert "has entered it, as you asked when you uploaded it" in told(room, room.ada)[0][1]
    assert "tournament.pair" in room.sent
    with reading(room.sessions) as session:
        assert cooldown_ends(session, room.tournament, room.ada, now()) is None
        assignment = session.get_one(Assignment, room.assignment)
        assignment.due_at = due
        (entrant,) = choose(session, assignment, {room.ada}, now()).entrants
        assert entrant.player_id == session.get_one(Submission, id_).player_id


@pytest.mark.parametrize("since", ["nothing asked for", "an upload", "an entry"])
def test_it_is_left_to_the_student_where_it_would_replace_what_they_chose(room: Classroom, since: str) -> None:
    if since == "an entry":
        older = graded(room, room.ada, GOOD, at=NOON)
    id_ = graded(room, room.ada, BAD, enters=since != "nothing asked for", at=NOON)
    if since == "an upload":
        graded(room, room.ada, BAD)
    if since == "an entry":
        with writing(room.sessions) as session:
            enter(session, room.sent.append, session.get_one(Submission, older), at=NOON + timedelta(hours=1))
    before = entries(room)
    regraded(room, id_, found=GOOD)
    assert entries(room) == before
    assert "you can enter it from its page" in told(room, room.ada)[0][1]
    with writing(room.sessions) as session:
        assert enter(session, room.sent.append, session.get_one(Submission, id_)).state is EntryState.ACTIVE


def test_an_entry_that_does_not_qualify_any_more_stays_until_an_instructor_decides(room: Classroom) -> None:
    adas, bens = (graded(room, author, GOOD, enters=True) for author in (room.ada, room.ben))
    batch = regraded(room, adas, bens, found=BAD)
    assert [state for _, state in entries(room)] == [EntryState.ACTIVE] * 2
    assert "It continues to play there until your instructor decides what to do" in told(room, room.ada)[0][1]
    with writing(room.sessions) as session:
        row = session.get_one(RegradeBatch, batch)
        found = unqualified(session, row)
        assert [submission.id for submission, _ in found] == [adas, bens]
        assert withdraw_unqualified(session, row, [found[0][1].id, 999], room.cyd) == 1
        assert [submission.id for submission, _ in unqualified(session, row)] == [bens]
    assert entries(room) == [(room.ada, EntryState.WITHDRAWN), (room.ben, EntryState.ACTIVE)]
    assert "was withdrawn by your instructor" in told(room, room.ada)[0][0]
    regraded(room, bens, found=GOOD)
    with reading(room.sessions) as session:
        assert unqualified(session, session.get_one(RegradeBatch, batch)) == []


# Our own faults


def test_our_fault_leaves_the_former_report_standing_and_can_be_tried_again(room: Classroom) -> None:
    id_ = graded(room, room.ada, BAD)
    batch = again(room, id_)
    for _ in range(MAX_ATTEMPTS):
        with writing(room.sessions) as session:
            session.query(Regrade).one().lease_until = None  # the rest after a failure is over
        claim = take(room)
        assert claim
        with writing(room.sessions) as session:
            fail(session.get_one(Regrade, claim.id), "SandboxError: the jail has gone")
    see_to_ends(room.sessions)
    assert stands(room, id_) == (False, BAD.points)
    assert told(room, room.ada) == []
    assert told(room, room.cyd) == [("The regrade has ended: 1 not graded again because of an internal error", WHY)]
    with writing(room.sessions) as session:
        try_again(session, room.sent.append, session.get_one(RegradeBatch, batch))
    assert store(room, take(room), GOOD)
    assert stands(room, id_) == (True, GOOD.points)
    assert len(told(room, room.ada)) == 1


def test_the_failed_cases_are_those_of_the_new_report(room: Classroom) -> None:
    id_ = graded(room, room.ada, BAD)
    for found in (BAD, GOOD):
        regraded(room, id_, found=found)
        failing = [case for question in found.questions for case in question.cases if case.failed]
        with reading(room.sessions) as session:
            upload = ReportedUpload(id_, session.get_one(Submission, id_).regraded_at)
            kept = failures(session, room.assignment, frozenset({upload}), most=9)
        assert kept.noted == 1
        assert {case.name for case in kept.cases} == {case.call for case in failing}


def test_an_error_before_a_cancellation_is_no_mistake_in_the_definition(room: Classroom) -> None:
    batch = again(room, graded(room, room.ada, BAD))
    claim = take(room)
    assert claim
    with writing(room.sessions) as session:
        fail(session.get_one(Regrade, claim.id), "SandboxError: the jail has gone")
    with writing(room.sessions) as session:
        cancel(session, session.get_one(RegradeBatch, batch))
    with reading(room.sessions) as session:
        assert why_given_up(session, session.get_one(RegradeBatch, batch)) == ""


def test_cancelled_nothing_more_is_graded_and_what_was_counts(room: Classroom) -> None:
    done, held, waiting = (graded(room, room.ada, BAD) for _ in range(3))
    batch = again(room, done, held, waiting)
    store(room, take(room), GOOD)
    claim = take(room)
    with writing(room.sessions) as session:
        cancel(session, session.get_one(RegradeBatch, batch))
    assert take(room) is None
    assert not store(room, claim, GOOD), "whoever works on one stores nothing any more"
    assert [stands(room, id_)[0] for id_ in (done, held, waiting)] == [True, False, False]
    assert told(room, room.cyd) == [("The regrade has ended: 1 changed, 2 cancelled", WHY)]
    assert len(told(room, room.ada)) == 1
    again(room, held, waiting)


# Workers, with the real sandbox


@pytest.fixture
def workshop(sessions: Sessions, sandbox: Sandbox) -> Classroom:
    return Classroom(sessions, sandbox)


def test_an_upload_waits_for_no_batch(workshop: Classroom) -> None:
    again(workshop, *(graded(workshop, workshop.ada, BAD) for _ in range(2)))
    new = workshop.upload(workshop.ben)
    workshop.sent.clear()
    send_if_due(workshop.services())
    assert workshop.sent == ["grader.grade"]
    assert grade_next(workshop.services())
    with reading(workshop.sessions) as session:
        assert session.get_one(Submission, new).state is JobState.DONE
        assert [each.state for each in session.query(Regrade)] == [JobState.QUEUED] * 2
    workshop.sent.clear()
    send_if_due(workshop.services())
    assert workshop.sent == ["grader.grade"]


@pytest.mark.full
def test_a_worker_that_is_killed_in_a_regrade_loses_nothing(workshop: Classroom, database_url: str) -> None:
    """A real worker process, killed with a regrade in its hands; another grades it."""
    id_ = graded(workshop, workshop.ada, BAD, source=REFERENCE)
    batch = again(workshop, id_)

    def job() -> Regrade:
        with reading(workshop.sessions) as session:
            return session.query(Regrade).one()

    with victim(database_url, "grading") as process:
        until(lambda: job().state is not JobState.QUEUED, process)
    if job().state is JobState.RUNNING:
        assert stands(workshop, id_) == (False, BAD.points)
        with writing(workshop.sessions) as session:
            session.query(Regrade).one().lease_until = now() - timedelta(seconds=1)
        assert grade_next(workshop.services())
    see_to_ends(workshop.sessions)
    assert job().state is JobState.DONE
    with reading(workshop.sessions) as session:
        submission = session.get_one(Submission, id_)
        found = report_of(submission, whole=True)
        assert found
        assert (found.questions_version, found.product_version) == (
            examples_only("bo").version,
            version("quadrille"),
        )
        assert len(reports_of(session, submission)[0]) == 2
        assert summary(session, session.get_one(RegradeBatch, batch)).left == 0
    assert len(told(workshop, workshop.ada)) == 1
    assert not grade_next(workshop.services())
