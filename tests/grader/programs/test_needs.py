"""Which worker grades what: programs only where their language is offered, and players never after a compiler."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from grader.authoring.jobs import ask, do_draft_job
from grader.authoring.versions import publish
from grader.definition.model import Definition
from grader.programs.grading import needs_of, offered, titles
from grader.store.models import Assignment, AuthoringJob, AuthoringPurpose, Regrade, RegradeBatch, Submission
from grader.store.queue import (
    GRADE_PROGRAM,
    anything_due,
    crew_of,
    fair_order,
    lacking,
    players_first,
    queue_position,
    regrade_due,
    regrade_order,
)
from grader.store.uploads import Upload
from grader.submissions.submit import submit, waiting_twin
from grader.submissions.work import UPLOADS, send_if_due
from sandbox.api import SandboxUnavailable
from sandbox.programs import ProgramSandbox
from tests.grader.factory import Classroom
from tests.programs import FUNCTION, UNO, add_programs, program
from tests.tournament.factory import claim_next
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState, finish, held
from tournament.store.tables import Worker
from tournament.work.runner import GRADE

pytestmark = pytest.mark.both_databases

CPP, BOTH = frozenset({"cpp17"}), frozenset({"cpp17", "c11"})


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    room = Classroom(sessions)
    with writing(sessions) as session:
        course = session.get_one(Assignment, room.assignment).course_id
        room.uno = add_programs(session, course, UNO, slug="uno")
        room.mixed = add_programs(session, course, FUNCTION, UNO, program("c", "c11"), slug="mixed")
    return room


def send(room: Classroom, author: int, assignment: int, files: dict[str, bytes] | None = None, **more: Any) -> int:
    with writing(room.sessions) as session:
        upload = Upload(author, "Heron", "uno.zip", b"", False, files=files or {"cards/Deck.cpp": b"x\n"}, **more)
        return submit(session, room.sent.append, session.get_one(Assignment, assignment), upload).id


def take(room: Classroom, offers: frozenset[str] = frozenset(), players_come_first: bool = False) -> int | None:
    claim = claim_next(room.sessions, Submission, fair_order(offers, players_come_first), "worker")
    return claim.id if claim else None


def worker(room: Classroom, name: str, queue: str = "grading", offers: str = "", trouble: str = "") -> None:
    with writing(room.sessions) as session:
        session.add(Worker(name=name, queue=queue, offers=offers, trouble=trouble))


def test_what_an_assignment_needs_and_how_it_is_called() -> None:
    several = Definition(title="T", questions=(FUNCTION, program("b", "cpp17"), program("a", "c11")))
    assert needs_of(several) == "c11 cpp17"
    assert needs_of(Definition(title="T", questions=(FUNCTION,))) == ""
    assert [titles([]), titles(["cpp17"]), titles(["python3", "c11", "cpp17"])] == [
        "",
        "C++17",
        "C++17, C11 and Python 3",
    ]


def test_a_worker_without_a_jail_for_programs_offers_nothing() -> None:
    def unavailable() -> ProgramSandbox:
        raise SandboxUnavailable("there is none")

    assert offered(unavailable) == frozenset()


def test_a_program_is_graded_only_where_its_languages_are_offered(room: Classroom) -> None:
    uno, mixed = send(room, room.ada, room.uno), send(room, room.ben, room.mixed)
    assert room.sent == [GRADE_PROGRAM, GRADE_PROGRAM]
    assert take(room) is None
    assert take(room, frozenset({"c11", "python3"})) is None
    assert take(room, CPP) == uno
    assert take(room, CPP) is None
    assert take(room, BOTH) == mixed


def test_one_that_waits_for_its_language_holds_up_nothing_else(room: Classroom) -> None:
    send(room, room.ada, room.uno)
    player = room.upload(room.ada)
    assert take(room) == player


def test_players_come_first_only_where_no_worker_is_there_for_them(room: Classroom) -> None:
    uno, player = send(room, room.ada, room.uno), room.upload(room.ben)
    with reading(room.sessions) as session:
        assert players_first(crew_of(session))
        found = [queue_position(session, crew_of(session), session.get_one(Submission, id_)) for id_ in (uno, player)]
    assert found == [2, 1]
    worker(room, "broken", "players", trouble="no sandbox")
    with reading(room.sessions) as session:
        assert players_first(crew_of(session))
    worker(room, "light", "players")
    with reading(room.sessions) as session:
        assert not players_first(crew_of(session))
        found = [queue_position(session, crew_of(session), session.get_one(Submission, id_)) for id_ in (uno, player)]
    assert found == [1, 2]
    assert take(room, CPP, players_come_first=True) == player
    assert take(room, CPP) == uno


def test_one_that_waits_for_weeks_does_not_make_others_wait_for_what_was_done_since(room: Classroom) -> None:
    send(room, room.ada, room.uno)
    with writing(room.sessions) as session:
        session.execute(update(Submission).values(queued_at=now() - timedelta(days=20)))
    for _ in range(3):
        room.upload(room.ben)
        claim = claim_next(room.sessions, Submission, fair_order(), "worker")
        with writing(room.sessions) as session:
            finish(held(session, Submission, claim) if claim else None)
    ben, cyd = room.upload(room.ben), room.upload(room.cyd)
    assert [take(room), take(room)] == [ben, cyd]


def test_the_languages_that_no_worker_has(room: Classroom) -> None:
    def found() -> list[str]:
        with reading(room.sessions) as session:
            return lacking(crew_of(session), "c11 cpp17")

    assert found() == [], "while nothing runs, the pages say that"
    worker(room, "games", "ladder")
    assert found() == []
    worker(room, "light", "players")
    assert found() == ["c11", "cpp17"]
    worker(room, "one", offers="cpp17 python3")
    worker(room, "broken", offers="c11", trouble="no sandbox")
    assert found() == ["c11"]


def test_messages_go_to_the_workers_that_can_use_them(room: Classroom) -> None:
    send_if_due(room.services())
    assert room.sent == []
    send(room, room.ada, room.uno)
    room.sent.clear()
    send_if_due(room.services())
    assert room.sent == [GRADE_PROGRAM]
    room.upload(room.ben)
    room.sent.clear()
    send_if_due(room.services())
    assert room.sent == [GRADE, GRADE_PROGRAM]
    room.sent.clear()
    send_if_due(room.services(), [GRADE])
    assert room.sent == [GRADE]


def test_regrades_and_drafts_need_the_same(room: Classroom) -> None:
    id_ = send(room, room.ada, room.uno)
    with writing(room.sessions) as session:
        session.get_one(Submission, id_).state = JobState.DONE
        batch = RegradeBatch(assignment_id=room.uno, asked_by=None, reason="a case", needs="cpp17")
        session.add(batch)
        session.flush()
        session.add(Regrade(batch_id=batch.id, submission_id=id_))
    with reading(room.sessions) as session:
        assert (regrade_due(session), regrade_due(session, programs=True)) == (False, True)
    assert claim_next(room.sessions, Regrade, regrade_order(), "worker") is None
    assert claim_next(room.sessions, Regrade, regrade_order(CPP), "worker")
    with writing(room.sessions) as session:
        job = AuthoringJob(purpose=AuthoringPurpose.CHECK, asked_by=room.ada)
        draft = Definition(title="T", questions=(UNO,))
        assert ask(session, session.get_one(Assignment, room.uno), draft, job).needs == "cpp17"
    assert not do_draft_job(room.services())


def test_what_waits_needs_what_the_latest_version_needs(room: Classroom) -> None:
    id_ = send(room, room.ada, room.uno)
    with writing(room.sessions) as session:
        publish(session, session.get_one(Assignment, room.uno), Definition(title="T", questions=(FUNCTION,)), None, 1)
    with reading(room.sessions) as session:
        assert session.scalars(select(Submission.needs).where(Submission.id == id_)).one() == ""
        assert anything_due(session)


def test_the_files_are_stored_with_the_submission_and_read_for_its_grading(room: Classroom) -> None:
    files = {"cards/Deck.cpp": b"x\n", "main.cpp": b"y\n"}
    id_ = send(room, room.ada, room.uno, files, request_key="k")
    assert send(room, room.ada, room.uno, dict(reversed(files.items())), request_key="k") == id_
    with reading(room.sessions) as session:
        work = UPLOADS.plan(room.services(), session, id_).content
        assert (work.files, work.source, work.unread) == (files, b"", False)
        again = Upload(room.ada, "Heron", "uno.zip", b"", False, files=files)
        other = Upload(room.ada, "Heron", "uno.zip", b"", False, files={"main.cpp": b"y\n"})
        assignment = session.get_one(Assignment, room.uno)
        twin = waiting_twin(session, assignment, again)
        assert twin
        assert twin.id == id_
        assert waiting_twin(session, assignment, other) is None
