"""What a worker does with submissions, on both databases, with the real sandbox."""

from collections.abc import Callable
from datetime import timedelta
from errno import ENOSPC
from typing import Any

import pytest
from sqlalchemy import Engine, event

from grader.store.models import Assignment, AssignmentVersion, Submission
from grader.store.queue import fair_order
from grader.submissions import work
from grader.submissions.submit import apology, report_of
from grader.submissions.work import grade_next, send_if_due
from grader.tasks import grade, sweep
from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, SandboxUnavailable, Session, Verdict
from tests.grader.factory import NOON, REFERENCE, Classroom
from tests.tournament.factory import claim_next
from tournament.ladder.ladder import cooldown_ends
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.store.notices import notices
from tournament.store.tables import Entry, EntryState, StoredFingerprint
from tournament.watch.fingerprints import stored_fingerprints
from tournament.watch.watches import ask_for_watch, to_be_read, watch_due
from tournament.work.runner import GRADE

ONE_RIGHT = b"def comp10001bo_match_build(card, pile):\n    return True\n"


@pytest.fixture
def room(sessions: Sessions, sandbox: Sandbox) -> Classroom:
    """An assignment with visible cases only: what a worker does is the same with thousands of hidden ones."""
    return Classroom(sessions, sandbox)


def submission(room: Classroom, id_: int) -> Submission:
    with reading(room.sessions) as session:
        found = session.get_one(Submission, id_)
        _ = found.report, [outcome.entry for outcome in found.outcomes]
        session.expunge_all()
        return found


def entries(room: Classroom) -> list[tuple[int | None, EntryState]]:
    with reading(room.sessions) as session:
        return [(entry.player_id, entry.state) for entry in session.query(Entry).order_by(Entry.id)]


class Between:
    """A sandbox that does something of its own before it starts a player: the world goes on during a grading."""

    name = "between"

    def __init__(self, sandbox: Sandbox, happens: Callable[[], None]) -> None:
        self.sandbox = sandbox
        self.happens = happens

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        self.happens()
        return self.sandbox.open(program, limits, seed)

    def close(self) -> None:
        pass

    def __enter__(self) -> "Between":
        return self

    def __exit__(self, *exc: object) -> None:
        pass


# What is compared of a file


def unread_files(room: Classroom) -> int:
    with reading(room.sessions) as session:
        return to_be_read(session, room.tournament)


def test_a_file_is_read_when_it_is_graded(room: Classroom) -> None:
    room.upload(room.ada, REFERENCE, enters=True)
    assert grade_next(room.services())
    assert unread_files(room) == 0
    with writing(room.sessions) as session:
        player = session.query(Entry).one().player_id or 0
        assert len(stored_fingerprints(session, [player])[player].runs) > 100
        ask_for_watch(session, room.tournament)
    assert watch_due(room.sessions) == 1


@pytest.mark.both_databases
def test_what_was_graded_before_files_were_read_is_read_for_a_watch_after_all_uploads(room: Classroom) -> None:
    room.upload(room.ada, REFERENCE, enters=True)
    assert grade_next(room.services())
    with writing(room.sessions) as session:
        session.query(StoredFingerprint).delete()
    send_if_due(room.services())
    assert GRADE not in room.sent[-1:], "nobody has asked for it"
    with writing(room.sessions) as session:
        ask_for_watch(session, room.tournament)
    room.sent.clear()
    send_if_due(room.services())
    assert room.sent == [GRADE]
    second = room.upload(room.ben, ONE_RIGHT)
    assert grade_next(room.services())
    assert (submission(room, second).state, unread_files(room)) == (JobState.DONE, 1)
    assert grade_next(room.services())
    assert unread_files(room) == 0
    assert not grade_next(room.services())


def test_without_a_sandbox_no_file_is_read(room: Classroom) -> None:
    room.upload(room.ada, REFERENCE, enters=True)
    assert grade_next(room.services())
    with writing(room.sessions) as session:
        session.query(StoredFingerprint).delete()
        ask_for_watch(session, room.tournament)
    room.sandbox = None
    with pytest.raises(SandboxUnavailable):
        grade_next(room.services())
    assert unread_files(room) == 1


# All is well


@pytest.mark.both_databases
def test_a_submission_is_graded_and_entered_at_once(room: Classroom) -> None:
    id_ = room.upload(room.ada, REFERENCE, enters=True)
    room.sent.clear()
    assert grade_next(room.services())
    graded = submission(room, id_)
    report = report_of(graded, whole=True)
    assert report
    assert (graded.state, graded.qualifies, graded.points) == (JobState.DONE, True, report.max_points)
    assert graded.progress == {}
    (outcome,) = graded.outcomes
    assert outcome.entry
    assert (outcome.entry.state, outcome.entry.name, outcome.refusal) == (EntryState.ACTIVE, "Heron", "")
    assert room.sent == ["tournament.pair"]
    assert not grade_next(room.services())


def test_a_submission_for_the_tests_only_does_not_enter(room: Classroom) -> None:
    room.upload(room.ada, REFERENCE)
    grade_next(room.services())
    assert entries(room) == []


def test_the_gates_in_force_decide_and_what_was_graded_keeps_its_outcome(room: Classroom) -> None:
    before = room.upload(room.ada, ONE_RIGHT, enters=True)
    grade_next(room.services())
    with writing(room.sessions) as session:
        session.get_one(Assignment, room.assignment).gates = dict.fromkeys(["q1", "q2", "q3", "q4"], "none")
    after = room.upload(room.ben, ONE_RIGHT, enters=True)
    grade_next(room.services())
    assert [submission(room, id_).qualifies for id_ in (before, after)] == [False, True]
    assert [outcome.refusal for outcome in submission(room, after).outcomes] == [""]


def test_a_player_that_does_not_qualify_does_not_enter(room: Classroom) -> None:
    id_ = room.upload(room.ada, ONE_RIGHT, enters=True)
    grade_next(room.services())
    graded = submission(room, id_)
    assert (graded.state, graded.qualifies, graded.outcomes) == (JobState.DONE, False, [])
    assert graded.points
    assert 0 < graded.points < 1  # some of Q1's cases say True
    assert entries(room) == []


def test_a_traceback_names_the_file_as_it_was_uploaded(room: Classroom) -> None:
    id_ = room.upload(room.ada, b"def comp10001bo_play(:\n")
    with writing(room.sessions) as session:
        session.get_one(Submission, id_).filename = "my heron.py"
    grade_next(room.services())
    report = report_of(submission(room, id_), whole=True)
    assert report
    assert {case.traceback.split(",")[0] for each in report.questions for case in each.cases} == {
        '  File "my heron.py"'
    }


@pytest.mark.both_databases
def test_of_two_uploads_in_the_same_second_the_first_enters_and_the_second_can_later(room: Classroom) -> None:
    first, second = (room.upload(room.ada, REFERENCE + extra, enters=True, at=NOON) for extra in (b"", b"\n# 2\n"))
    while grade_next(room.services()):
        pass
    assert [state for _, state in entries(room)] == [EntryState.ACTIVE]
    (entered,), (refused,) = submission(room, first).outcomes, submission(room, second).outcomes
    assert (entered.refusal, refused.entry) == ("", None)
    assert "you can enter this one without uploading it again" in refused.refusal
    assert submission(room, second).qualifies


@pytest.mark.slow
@pytest.mark.both_databases
def test_progress_is_told_while_grading(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "TOLD_EVERY_S", 0.0)
    id_ = room.upload(room.ada, b"def comp10001bo_play(*args):\n    return None\n")
    seen: list[dict[str, Any]] = []
    room.sandbox = Between(room.services().sandbox, lambda: seen.append(submission(room, id_).progress))
    grade_next(room.services())
    done = [progress.get("done", 0) for progress in seen]
    assert done == sorted(done)
    assert done[0] == 0 < done[-1]
    assert seen[-1]["questions"][3]["cases"][0]["verdict"] == "TYPE"
    assert submission(room, id_).progress == {}, "the report says it all"


# Our own failures


class Broken(Between):
    """A sandbox whose jail dies as soon as it is to start a player."""

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        raise SandboxError("the jail has gone")


def rested(room: Classroom, id_: int) -> None:
    """The rest after a failure is over."""
    with writing(room.sessions) as session:
        session.get_one(Submission, id_).lease_until = None


def test_our_failure_is_tried_again_and_costs_the_student_nothing(room: Classroom) -> None:
    good = room.services().sandbox
    id_ = room.upload(room.ada, REFERENCE, enters=True)
    room.sandbox = Broken(good, lambda: None)
    assert grade_next(room.services())
    failed = submission(room, id_)
    assert (failed.state, failed.trouble) == (JobState.QUEUED, "SandboxError: the jail has gone")
    assert not grade_next(room.services())  # it rests
    rested(room, id_)
    room.sandbox = good
    assert grade_next(room.services())
    graded = submission(room, id_)
    assert (graded.state, graded.qualifies, graded.trouble) == (JobState.DONE, True, "")


@pytest.mark.both_databases
def test_after_three_failures_it_is_parked_with_an_apology_and_no_exclusion(room: Classroom) -> None:
    id_ = room.upload(room.ada, REFERENCE, enters=True)
    room.sandbox = Broken(room.services().sandbox, lambda: None)
    for _ in range(MAX_ATTEMPTS):
        rested(room, id_)
        assert grade_next(room.services())
    parked = submission(room, id_)
    assert parked.state is JobState.PARKED
    assert parked.report is None
    assert "You did nothing wrong" in apology(parked)
    with reading(room.sessions) as session:
        assert cooldown_ends(session, room.tournament, room.ada, now()) is None
        (notice,) = notices(session, room.ada)
        assert notice.subject == "player.py could not be graded"
        assert notice.links == [["submission", id_, f"Submission {id_}"]]
    room.upload(room.ada, REFERENCE, enters=True)


@pytest.mark.slow
def test_a_failure_of_ours_during_the_grading_does_not_lengthen_the_exclusion(room: Classroom) -> None:
    uploaded = now() - timedelta(minutes=4)
    id_ = room.upload(room.ada, REFERENCE, enters=True, at=uploaded)
    good = room.sandbox
    room.sandbox = Broken(room.services().sandbox, lambda: None)
    assert grade_next(room.services())
    with reading(room.sessions) as session:
        assert cooldown_ends(session, room.tournament, room.ada, now()) is None
    rested(room, id_)
    room.sandbox = good
    assert grade_next(room.services())
    with reading(room.sessions) as session:
        ends = cooldown_ends(session, room.tournament, room.ada, now())
    assert ends == uploaded + timedelta(minutes=10)


@pytest.mark.both_databases
def test_whoever_uploads_what_kills_workers_hears_of_it(room: Classroom) -> None:
    id_ = room.upload(room.ada, REFERENCE, enters=True)
    for _ in range(MAX_ATTEMPTS):
        assert claim_next(room.sessions, Submission, fair_order(), lease_s=-1)
    assert not grade_next(room.services())
    with reading(room.sessions) as session:
        assert session.get_one(Submission, id_).state is JobState.PARKED
        assert len(notices(session, room.ada)) == 1


def test_a_worker_without_a_sandbox_takes_no_work(room: Classroom) -> None:
    id_ = room.upload(room.ada, REFERENCE)
    room.sandbox = None
    with pytest.raises(SandboxUnavailable):
        grade_next(room.services())
    waiting = submission(room, id_)
    assert (waiting.state, waiting.attempts) == (JobState.QUEUED, 0)


def defined(room: Classroom, text: str) -> None:
    """The assignment's definition is that text."""
    with writing(room.sessions) as session:
        session.query(AssignmentVersion).update({"digest": text, "definition": text})


def test_a_mistake_of_ours_is_no_verdict_either(room: Classroom, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    id_ = room.upload(room.ada, REFERENCE)
    defined(room, '{"title": "Of another version", "colour": "red"}')
    assert grade_next(room.services())
    assert submission(room, id_).trouble.startswith("ValidationError: 1 validation error for Definition")
    told = caplog.messages
    assert told.index("being graded") < told.index(f"submission {id_} failed by an internal error")


def test_a_submission_waits_while_its_game_is_not_there(room: Classroom) -> None:
    id_ = room.upload(room.ada, REFERENCE)
    defined(room, '{"title": "Bridge", "game": "bridge"}')
    for _ in range(MAX_ATTEMPTS + 1):
        assert grade_next(room.services())
        found = submission(room, id_)
        assert (found.state, found.attempts) == (JobState.QUEUED, 0)
        assert found.trouble.startswith("There is no game 'bridge'")
        with writing(room.sessions) as session:
            session.get_one(Submission, id_).lease_until = None


@pytest.mark.both_databases
def test_a_database_that_fails_in_the_middle_loses_nothing(room: Classroom, database: Engine) -> None:
    id_ = room.upload(room.ada, REFERENCE)

    def fill_the_disk() -> None:
        event.listen(database, "before_cursor_execute", refuse_updates)

    jail = room.services().sandbox
    room.sandbox = Between(jail, fill_the_disk)
    with pytest.raises(OSError, match="No space left"):
        grade_next(room.services())
    event.remove(database, "before_cursor_execute", refuse_updates)
    assert submission(room, id_).state is JobState.RUNNING
    expire(room, id_)
    room.sandbox = jail
    assert grade_next(room.services())
    assert submission(room, id_).qualifies


def refuse_updates(connection: object, cursor: object, statement: str, *more: object) -> None:
    if statement.startswith("UPDATE"):
        raise OSError(ENOSPC, "No space left on device")


# Lost claims and lost messages


def expire(room: Classroom, id_: int) -> None:
    with writing(room.sessions) as session:
        session.get_one(Submission, id_).lease_until = now() - timedelta(seconds=1)


@pytest.mark.slow
@pytest.mark.both_databases
@pytest.mark.parametrize("every_s", [0.0, 3600.0], ids=["when it tells its progress", "when it stores its report"])
def test_a_worker_that_lost_its_claim_writes_nothing(
    room: Classroom, monkeypatch: pytest.MonkeyPatch, every_s: float
) -> None:
    monkeypatch.setattr(work, "TOLD_EVERY_S", every_s)
    jail = room.services().sandbox
    id_ = room.upload(room.ada, REFERENCE, enters=True)

    def somebody_else_grades() -> None:
        room.sandbox = jail
        if submission(room, id_).attempts == 1:
            expire(room, id_)
            with monkeypatch.context() as quietly:
                quietly.setattr(work, "TOLD_EVERY_S", 3600.0)
                grade_next(room.services("quick"))

    room.sandbox = Between(jail, somebody_else_grades)
    assert grade_next(room.services("slow"))
    graded = submission(room, id_)
    assert (graded.state, graded.attempts, graded.qualifies) == (JobState.DONE, 2, True)
    assert len(entries(room)) == 1


@pytest.mark.both_databases
def test_a_lost_message_is_sent_again_while_something_is_due(room: Classroom) -> None:
    send_if_due(room.services())
    assert room.sent == []
    id_ = room.upload(room.ada, ONE_RIGHT)
    room.sent.clear()
    send_if_due(room.services())
    assert room.sent == [GRADE]
    grade_next(room.services())
    send_if_due(room.services())
    assert room.sent == [GRADE]
    assert submission(room, id_).state is JobState.DONE


def test_the_tasks_have_the_names_that_messages_carry() -> None:
    assert (grade.name, sweep.name) == (GRADE, "grader.sweep")


def test_every_verdict_of_a_report_is_the_players_never_ours(room: Classroom) -> None:
    room.upload(room.ada, ONE_RIGHT)
    grade_next(room.services())
    with reading(room.sessions) as session:
        report = report_of(session.query(Submission).one(), whole=True)
    assert report
    verdicts = {verdict for question in report.questions for verdict in question.verdicts}
    assert verdicts == {Verdict.AC, Verdict.WA, Verdict.MISSING}
