"""A worker whose sandbox does not hold takes no work and says so; it works again once the sandbox does."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event

import pytest
from sqlalchemy import select

from deploy.health.servers import attendance
from deploy.processes import worker
from deploy.processes.serve import programs
from deploy.processes.worker import open_or_leave, wait_until_fit, warm_up
from deploy.settings import Settings
from grader.store.models import Assignment, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from sandbox.api import Limits, Program, Sandbox, SandboxError, SandboxUnavailable
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.choose import open_sandbox, open_tested
from sandbox.host.jail import LAYERS
from tests.grader.factory import Classroom
from tests.programs import UNO, add_programs
from tests.services import PATIENCE_S
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Worker
from tournament.work import workers
from tournament.work.services import Services
from tournament.work.workers import Presence

NAME = "host:1"
WITHOUT_FILTER = partial(open_tested, lambda: BubblewrapSandbox(layers=LAYERS - {"seccomp"}))
WHOLE = partial(open_tested, BubblewrapSandbox)


@pytest.fixture
def presence(sessions: Sessions) -> Iterator[Presence]:
    with Presence(sessions, NAME, "grading") as telling:
        yield telling


def services(sessions: Sessions, open_: Callable[[], Sandbox]) -> Services:
    return Services(sessions, lambda task: None, open_, lambda: open_sandbox("trusted"), NAME)


def rows(sessions: Sessions) -> list[Worker]:
    with reading(sessions) as session:
        return list(session.scalars(select(Worker)))


def test_a_worker_is_out_of_service_until_its_sandbox_holds(
    sessions: Sessions, presence: Presence, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = [WITHOUT_FILTER, WHOLE]
    served = services(sessions, lambda: tries.pop(0)())
    rested: list[str] = []
    monkeypatch.setattr(worker, "sleep", lambda seconds: rested.append(rows(sessions)[0].trouble))
    wait_until_fit(served, presence)
    assert [("self-test" in trouble, "opens a socket" in trouble) for trouble in rested] == [(True, True)]
    assert rows(sessions)[0].trouble == ""
    served.close_sandboxes()


def test_a_sandbox_that_fails_later_ends_the_worker_in_good_order(
    sessions: Sessions, presence: Presence, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", sent.append)
    with pytest.raises(SandboxUnavailable, match="self-test"):
        open_or_leave(WITHOUT_FILTER, presence)
    assert sent == [signal.SIGTERM]
    assert "opens a socket" in rows(sessions)[0].trouble


def test_a_jail_that_takes_the_place_of_a_dead_one_is_tested_too() -> None:
    with WHOLE() as sandbox:
        assert isinstance(sandbox, BubblewrapSandbox)
        sandbox._settings["layers"] = sorted(LAYERS - {"seccomp"})
        sandbox.jail.close()
        for _ in range(2):
            with pytest.raises(SandboxError, match="self-test"):
                sandbox.open(Program(b""), Limits(), 1)
        sandbox._settings["layers"] = sorted(LAYERS)
        sandbox.open(Program(b""), Limits(), 1)


def test_a_sign_is_given_now_and_then_and_the_row_goes_with_the_worker(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SIGN_S", 0.01)
    with Presence(sessions, NAME, "ladder"):
        first = rows(sessions)[0]
        assert (first.queue, first.trouble) == ("ladder", "")
        while rows(sessions)[0].seen_at == first.seen_at:
            pass
        assert rows(sessions)[0].started_at == first.started_at
    assert rows(sessions) == []


def broken() -> str | None:
    raise RuntimeError("a mistake of ours")


@pytest.mark.parametrize(("name", "value"), [("STALE_S", 0.0), ("SIGN_S", 0.0)])
def test_a_process_that_can_give_no_sign_ends(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    """Because the database let it give none for too long, or because the thread that gives them fails."""
    ended = Event()
    monkeypatch.setattr(workers, name, value)
    monkeypatch.setattr(workers, "end_process", lambda _: ended.set())
    presence = Presence(sessions, NAME, "ladder")
    presence.look = broken
    with presence:
        assert ended.wait(PATIENCE_S)


def test_a_process_that_cannot_end_in_good_order_ends_all_the_same() -> None:
    stuck = (
        "import signal, threading; from tournament.work import workers; workers.LAST_WORDS_S = 0.0;"
        "signal.signal(signal.SIGTERM, lambda *_: print('asked', flush=True)); workers.end_process(threading.Event())"
    )
    done = subprocess.run([sys.executable, "-c", stuck], stdout=subprocess.PIPE, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (1, b"asked\n")


def test_papers_are_read_before_the_next_upload_of_their_assignment_and_no_others(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    monkeypatch.setattr("deploy.processes.worker.paper_for", lambda services, definition: read.append(definition.game))
    room = Classroom(sessions)
    warm_up(room.services())
    assert read == []
    id_ = room.upload(room.ada)
    warm_up(room.services())
    assert read == [], "whoever waits already does not wait for the papers of other assignments"
    with writing(sessions) as session:
        session.get_one(Submission, id_).state = JobState.DONE
    warm_up(room.services())
    assert read == ["bo"]


@pytest.mark.parametrize(
    ("processes", "kinds"),
    [(1, ["grading"]), (2, ["grading", "players"]), (4, ["grading", "grading", "grading", "players"])],
)
def test_of_several_processes_that_grade_one_never_waits_for_a_compiler(processes: int, kinds: list[str]) -> None:
    wanted = [each[-1] for each in programs(Settings(grading_processes=processes)).values() if "worker" in each]
    assert [kind for kind in wanted if kind != "ladder"] == kinds


def test_a_language_for_which_submissions_wait_is_named_by_the_doctor(sessions: Sessions) -> None:
    room = Classroom(sessions)
    with writing(sessions) as session:
        course = session.get_one(Assignment, room.assignment).course_id
        uno = session.get_one(Assignment, add_programs(session, course, UNO))
        submit(session, room.sent.append, uno, Upload(room.ada, "Heron", "uno.zip", b"", False, files={"a.cpp": b"x"}))
        session.add(Worker(name="light", queue="players"))
    with reading(sessions) as session:
        (found,) = (each for each in attendance(session) if each.name == "language")
    assert found.detail == "submissions wait, and no worker has C++17"
    with writing(sessions) as session:
        session.add(Worker(name="whole", queue="grading", offers="cpp17"))
    with reading(sessions) as session:
        assert "language" not in [each.name for each in attendance(session)]
