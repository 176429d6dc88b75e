"""A worker that hangs over an upload, in code that lets no thread of it go on, costs the class one lease."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from deploy import demo
from deploy.processes.celery import make_app, sender
from deploy.processes.stall_alert import tell_of_parked
from deploy.settings import Settings, load
from grader.store.models import Assignment, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from tests.services import PATIENCE_S, all_processes, parent
from tests.whole.stack import eventually, keep_case_sets
from tournament.store.database import Sessions, connect, now, reading, writing
from tournament.store.jobs import HUNG, JobState
from tournament.store.tables import Notice, Worker
from web.site.models import User

pytestmark = pytest.mark.full

HANGS = b"# this one hangs\n"
WORKER = f"""
import re, sys
from deploy.cli import main
from grader.submissions import work
from sandbox import signs
signs.PATIENCE_S = 3.0
grade = work.full_report
def full_report(paper, source, *rest):
    if source == {HANGS!r}:
        re.match("(a|a)*b", "a" * 99)
    return grade(paper, source, *rest)
work.full_report = full_report
main(sys.argv[1:], prog_name="quadrille")
"""
"""A mistake of ours: a search in what was uploaded that does not end. The patience is that of an impatient operator."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = load(tmp_path)
    keep_case_sets(settings.database, ["bo"])
    return settings


@pytest.fixture
def sessions(settings: Settings) -> Iterator[Sessions]:
    """Of an installation in which the upload that hangs waits before another one."""
    sessions = sessionmaker(connect(settings.database))
    send = sender(make_app(settings))
    demo.seed(sessions, send, demo.logins(settings))
    with writing(sessions) as session:
        waits = session.scalars(select(Submission)).one()
        ada = session.scalars(select(User).where(User.login == "ada")).one()
        assignment = session.get_one(Assignment, waits.assignment_id)
        submit(session, send, assignment, Upload(ada.id, "Ada", "p.py", waits.player.source + b"\n", False))
        waits.player.source = HANGS
    yield sessions
    sessions.kw["bind"].dispose()


@contextmanager
def worker(settings: Settings) -> Iterator["subprocess.Popen[bytes]"]:
    command = (sys.executable, "-c", WORKER, "worker", "grading", "--data", str(settings.data))
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def states(sessions: Sessions) -> list[JobState]:
    with reading(sessions) as session:
        return list(session.scalars(select(Submission.state).order_by(Submission.id)))


def test_an_upload_whose_worker_hangs_is_parked_at_once_and_the_others_go_on(
    settings: Settings, sessions: Sessions
) -> None:
    with worker(settings) as first:
        assert first.wait(PATIENCE_S) == 128 + signal.SIGKILL
    assert states(sessions) == [JobState.PARKED, JobState.QUEUED]
    with reading(sessions) as session:
        parked = session.scalars(select(Submission).order_by(Submission.id)).first()
        assert parked is not None
        assert (parked.attempts, parked.trouble) == (1, HUNG)
        assert session.scalars(select(Worker)).all() == []
    assert tell_of_parked(sessions, now()) == 1
    assert tell_of_parked(sessions, now()) == 0
    with reading(sessions) as session:
        told = {(login, subject) for login, subject in session.execute(
            select(User.login, Notice.subject).join(User, User.id == Notice.user_id)
        )}  # fmt: skip
    assert told == {
        ("sample", "reference.py could not be graded"),
        ("teacher", "Submission 1 could not be graded"),
    }
    with worker(settings) as second:
        eventually(lambda: states(sessions) == [JobState.PARKED, JobState.DONE])
        jails = [pid for pid in all_processes() if parent(pid) in descendants(second.pid)]
        second.terminate()
        assert second.wait(PATIENCE_S) == 0
        eventually(lambda: not set(jails) & set(all_processes()))


def descendants(pid: int) -> set[int]:
    found = {pid}
    for _ in range(3):
        found |= {each for each in all_processes() if parent(each) in found}
    return found


def test_an_upload_whose_worker_is_killed_or_stopped_is_tried_again(settings: Settings, sessions: Sessions) -> None:
    for number in (signal.SIGKILL, signal.SIGSTOP):
        with worker(settings) as watched:

            def holder() -> int:
                with reading(sessions) as session:
                    owner = session.scalar(select(Submission.owner).where(Submission.state == JobState.RUNNING))
                return int(owner.rpartition(":")[2]) if owner and parent(int(owner.rpartition(":")[2])) else 0

            os.kill(eventually(holder, every_s=0.05), number)
            assert watched.wait(PATIENCE_S) == 128 + signal.SIGKILL
        with reading(sessions) as session:
            first = session.scalars(select(Submission).order_by(Submission.id)).first()
            assert first is not None
            assert (first.state, first.lease_until) == (JobState.RUNNING, None)  # released, for any worker to claim
