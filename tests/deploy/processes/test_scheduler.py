"""Of several schedulers one works; when it ends or dies, another takes its place."""

import signal
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from deploy.processes import scheduler
from deploy.processes.celery import make_app
from deploy.processes.scheduler import EndingBeat, Sending, Timetable, rest_while_halted, stand_by
from deploy.processes.worker import end
from deploy.settings import load
from tournament.store.database import Sessions, now, writing
from tournament.store.tables import SILENT, Worker
from tournament.work.workers import SCHEDULER, Presence, this_process

ME, OTHER = "host:2", "host:1"


def other(sessions: Sessions, seen_ago: timedelta = timedelta(), started_ago: timedelta = timedelta(hours=1)) -> None:
    at = now()
    row = Worker(name=OTHER, queue=SCHEDULER, started_at=at - started_ago, seen_at=at - seen_ago, process="")
    with writing(sessions) as session:
        session.merge(row)


def rests(sessions: Sessions, then: list[object]) -> int:
    """How often this scheduler rested before its turn came; in each rest the next thing happens."""
    count = 0

    def rest(_: float) -> None:
        nonlocal count
        count += 1
        then.pop(0)()  # type: ignore[operator]

    with Presence(sessions, ME, SCHEDULER):
        stand_by(sessions, ME, rest)
    return count


def sign_off(sessions: Sessions) -> None:
    with writing(sessions) as session:
        session.delete(session.get_one(Worker, OTHER))


def test_a_scheduler_alone_works_at_once(sessions: Sessions) -> None:
    assert rests(sessions, []) == 0


def test_the_second_waits_until_the_first_ends_and_says_so_once(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    other(sessions)
    assert rests(sessions, [lambda: None, lambda: sign_off(sessions)]) == 2
    assert caplog.text.count(f"another scheduler is at work, {OTHER}") == 1


def test_the_second_waits_until_the_first_is_silent(sessions: Sessions) -> None:
    other(sessions)
    assert rests(sessions, [lambda: other(sessions, seen_ago=SILENT * 2)]) == 1


def test_who_came_first_does_not_wait(sessions: Sessions) -> None:
    other(sessions, started_ago=-timedelta(hours=1))
    assert rests(sessions, []) == 0


def test_workers_are_no_schedulers(sessions: Sessions) -> None:
    with writing(sessions) as session:
        session.add(Worker(name="host:3", queue="ladder", process=this_process()))
    assert rests(sessions, []) == 0


def send(sending: Sending, folder: Path) -> None:
    """Send once what is due first, in an installation with that folder."""
    timetable = Timetable(sending, app=make_app(load(folder)))
    timetable.apply_entry(timetable.schedule["grader.sweep"])


def test_while_the_broker_does_not_answer_it_says_so_once_and_is_out_of_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sending = Sending()
    monkeypatch.setattr(scheduler, "QUIET_S", -1.0)
    assert "it has sent nothing for" in sending.trouble()
    monkeypatch.setenv("QUADRILLE_BROKER_URL", "redis://127.0.0.1:1/0")
    for _ in range(2):
        send(sending, tmp_path)
    assert caplog.text.count("nothing can be sent, trying again: Couldn't apply scheduled task grader.sweep") == 1
    assert "Traceback" not in caplog.text
    monkeypatch.delenv("QUADRILLE_BROKER_URL")
    monkeypatch.setattr(scheduler, "QUIET_S", 3600.0)
    caplog.set_level("INFO")
    send(sending, tmp_path)
    assert ("sending again" in caplog.text, sending.trouble()) == (True, "")


def test_it_never_waits_for_a_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery's own asks for a connection before it sends, and tries for ever to get one."""
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
    monkeypatch.setenv("QUADRILLE_BROKER_URL", "redis://127.0.0.1:1/0")
    timetable = Timetable(Sending(), app=make_app(load(tmp_path)))
    timetable.apply_entry(timetable.schedule["grader.sweep"], timetable.producer)


def test_it_ends_also_if_the_exception_of_the_signal_gets_lost(tmp_path: Path) -> None:
    former = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    beat = EndingBeat(app=make_app(load(tmp_path)))
    service = beat.Service(app=beat.app, scheduler_cls=partial(Timetable, Sending()))
    try:
        beat.install_sync_handler(service)
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        service.start()  # comes back
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def test_a_database_of_another_revision_ends_it_in_good_order(sessions: Sessions) -> None:
    """Of none, in this case."""
    former = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(SystemExit):
            rest_while_halted(sessions, 0)
    finally:
        signal.signal(signal.SIGTERM, former)
