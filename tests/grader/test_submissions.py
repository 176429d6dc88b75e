"""Uploading and entering, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import func, select

from grader.assignment.ladders import NoTournament
from grader.store.models import Submission
from grader.store.uploads import EmptyFile
from grader.submissions.submit import KeyReused, history, report_of
from tests.grader.factory import NOON, Classroom
from tournament.ladder.ladder import NewEntry
from tournament.ladder.ladder import enter as enter_ladder
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Player, Tournament, TournamentState
from tournament.work.runner import GRADE

pytestmark = pytest.mark.both_databases


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


def counted(room: Classroom, table: type) -> int:
    with reading(room.sessions) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def graded(room: Classroom, author: int, qualifies: bool) -> int:
    """A submission as it stands after grading."""
    id_ = room.upload(author)
    with writing(room.sessions) as session:
        submission = session.get_one(Submission, id_)
        submission.state, submission.qualifies = JobState.DONE, qualifies
    return id_


# Uploading


def test_an_upload_is_queued_and_its_message_sent_after_the_commit(room: Classroom) -> None:
    with writing(room.sessions) as session:
        submission = room.submit(session, room.ada, b"x = 1\n")
        assert room.sent == []
        assert (submission.state, submission.entry_name) == (JobState.QUEUED, "Heron")
        assert report_of(submission, whole=True) is None
    assert room.sent == [GRADE]


def test_no_message_goes_out_for_what_was_rolled_back(room: Classroom) -> None:
    with writing(room.sessions) as session:
        room.submit(session, room.ada, b"x = 1\n")
        session.rollback()
    assert room.sent == []
    assert counted(room, Submission) == 0


def test_a_file_is_kept_once_however_often_it_is_submitted(room: Classroom) -> None:
    ids = [room.upload(author, b"x = 1\n") for author in (room.ada, room.ada, room.ben)]
    assert len(set(ids)) == 3
    assert counted(room, Player) == 1


def test_a_refused_file_leaves_nothing(room: Classroom) -> None:
    with pytest.raises(EmptyFile):
        room.upload(room.ada, b" \n")
    assert counted(room, Submission) == counted(room, Player) == 0
    assert room.sent == []


def test_an_upload_repeated_after_a_lost_connection_is_the_same(room: Classroom) -> None:
    first = room.upload(room.ada, b"x = 1\n", request_key="k")
    assert room.upload(room.ada, b"x = 1\n", request_key="k") == first
    assert room.upload(room.ben, b"x = 1\n", request_key="k") != first
    assert room.upload(room.ada, b"x = 1\n", request_key="l") != first
    with pytest.raises(KeyReused):
        room.upload(room.ada, b"x = 2\n", request_key="k")


def test_the_same_upload_twice_at_once_is_one_submission(room: Classroom) -> None:
    together = Barrier(4)

    def upload(_: int) -> int:
        together.wait()
        return room.upload(room.ada, b"x = 1\n", request_key="k")

    with ThreadPoolExecutor(4) as threads:
        ids = set(threads.map(upload, range(4)))
    assert len(ids) == 1
    assert counted(room, Submission) == counted(room, Player) == 1


def test_the_history_shows_the_latest_first_and_nobody_elses(room: Classroom) -> None:
    mine = [room.upload(room.ada) for _ in range(3)]
    room.upload(room.ben)
    with reading(room.sessions) as session:
        assert [submission.id for submission in history(session, room.assignment, room.ada)] == mine[::-1]


# The exclusion


def test_an_upload_to_enter_is_taken_inside_the_exclusion(room: Classroom) -> None:
    with writing(room.sessions) as session:
        player = room.submit(session, room.ada).player_id
        enter_ladder(session, session.get_one(Tournament, room.tournament), NewEntry(room.ada, player, "Heron"), NOON)
    later = NOON + timedelta(seconds=60)
    room.upload(room.ada, enters=True, at=later)
    room.upload(room.ada, enters=False, at=later)
    room.upload(room.ben, enters=True, at=later)
    room.upload(room.ada, enters=True, at=NOON + timedelta(seconds=600))


@pytest.mark.parametrize("closed", [True, False])
def test_nobody_can_enter_without_an_open_tournament(room: Classroom, closed: bool) -> None:
    with writing(room.sessions) as session:
        tournament = session.get_one(Tournament, room.tournament)
        tournament.state = TournamentState.CLOSED
        if not closed:
            tournament.assignment_id = None
    with pytest.raises(NoTournament, match="to have it tested"):
        room.upload(room.ada, enters=True)
    room.upload(room.ada)
