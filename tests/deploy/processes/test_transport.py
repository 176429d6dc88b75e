"""The queue of files, and what `send` promises."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from threading import Event, Semaphore

import pytest
from celery import Celery

from deploy.processes.celery import (
    KEPT_MESSAGES,
    QUEUES,
    aside,
    counter,
    declare_queues,
    forget_messages,
    make_app,
    sender,
)
from deploy.settings import Settings, load
from tests.services import PATIENCE_S
from tournament.work.runner import followed, following


@pytest.fixture
def app(tmp_path: Path) -> Celery:
    app = make_app(load(tmp_path))
    declare_queues(app)
    return app


def waiting(app: Celery, queue: str) -> list[str]:
    """The tasks in a queue, taken out of it."""
    with app.connection() as connection, connection.SimpleQueue(app.amqp.queues[queue]) as messages:
        tasks = []
        while True:
            try:
                message = messages.get_nowait()
            except Empty:
                return tasks
            message.ack()
            tasks.append(message.headers["task"])


def test_tasks_go_to_their_queues_in_order(app: Celery) -> None:
    send = sender(app)
    for task in ("grader.grade", "grader.grade_program", "tournament.play", "tournament.pair", "grader.sweep"):
        send(task)
    assert waiting(app, "grading") == ["grader.grade", "grader.sweep"]
    assert waiting(app, "programs") == ["grader.grade_program"]
    assert waiting(app, "ladder") == ["tournament.play", "tournament.pair"]


def test_the_messages_that_no_player_has_taken_are_counted(app: Celery) -> None:
    send, unread = sender(app), counter(app)
    assert unread() == 0
    for task in ("grader.grade", "tournament.play", "tournament.pair"):
        send(task)
    assert unread() == 2
    waiting(app, "ladder")
    assert unread() == 0


def test_each_message_is_taken_once_however_many_take(app: Celery) -> None:
    send = sender(app)
    for _ in range(200):
        send("tournament.play")
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: len(waiting(app, "ladder")), range(4)))
    assert sum(taken) == 200


def test_nothing_is_left_of_a_taken_message(app: Celery, tmp_path: Path) -> None:
    sender(app)("grader.grade")
    waiting(app, "grading")
    assert list((tmp_path / "queue" / "messages").iterdir()) == []


def test_a_fresh_start_forgets_what_waits(app: Celery, tmp_path: Path) -> None:
    sender(app)("grader.grade")
    forget_messages(load(tmp_path))
    app = make_app(load(tmp_path))
    declare_queues(app)
    assert [waiting(app, queue) for queue in QUEUES] == [[], [], []]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("control/ladder.exchange", b'[["ladder", "", "lad'),
        ("control/ladder.exchange", b""),
        ("messages/00000000000000000001_a.grading.msg", b'{"body": "W1tdLCB7'),
        ("messages/00000000000000000001_a.grading.msg", b""),
        ("messages/00000000000000000001_a.grading.msg", bytes(200)),
        ("messages/00000000000000000001_a.grading.msg", b"\xff\xfe"),
        ("messages/00000000000000000001_a.grading.msg", b"{}"),
        ("messages/00000000000000000001_a.grading.msg", b"41"),
        ("messages/00000000000000000001_a.gradi", b"{"),
        ("messages/.00000000000000000001_a.grading.msg", b"{"),
        ("messages/.00000000000000000001_a.grading.msg.part", b"{"),
    ],
)
def test_what_a_full_disk_left_half_written_hinders_nobody(tmp_path: Path, file: str, content: bytes) -> None:
    damaged = tmp_path / "queue" / file
    damaged.parent.mkdir(parents=True, exist_ok=True)
    damaged.write_bytes(content)
    os.utime(damaged, (0, 0))
    app = make_app(load(tmp_path))
    declare_queues(app)
    sender(app)("grader.grade")
    assert waiting(app, "grading") == ["grader.grade"]
    assert list((tmp_path / "queue" / "messages").iterdir()) == []


def test_a_message_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    app = make_app(load(tmp_path))
    half = tmp_path / "queue" / "messages" / ".00000000000000000001_a.grading.msg"
    half.write_bytes(b"{")
    make_app(load(tmp_path))
    assert half.exists()
    assert waiting(app, "grading") == []


def absent_redis(tmp_path: Path) -> Settings:
    return load(tmp_path).model_copy(update={"broker_url": "redis://127.0.0.1:1/0"})


def test_a_broken_folder_fails_no_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    app = make_app(load(tmp_path))
    declare_queues(app)
    (tmp_path / "queue" / "messages").rmdir()
    sender(app)("grader.grade")
    assert "grader.grade could not be sent" in caplog.text


def test_an_absent_redis_neither_fails_a_request_nor_holds_it_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
    sender(make_app(absent_redis(tmp_path)))("grader.grade")
    assert "grader.grade could not be sent" in caplog.text


def test_requests_do_not_wait_for_a_broker_that_hangs(caplog: pytest.LogCaptureFixture) -> None:
    entered, thaw, sent = Event(), Event(), []

    def hanging(task: str) -> None:
        entered.set()
        assert thaw.wait(PATIENCE_S)
        sent.append((task, followed()))
        done.release()

    done, send = Semaphore(0), aside(hanging)
    with following("5bd1c0ffee00"):
        send("first")
    assert entered.wait(PATIENCE_S)
    for _ in range(KEPT_MESSAGES + 1):
        send("next")
    assert caplog.text.count("next is not sent") == 1
    thaw.set()
    assert all(done.acquire(timeout=PATIENCE_S) for _ in range(1 + KEPT_MESSAGES))
    assert sent == [("first", ["5bd1c0ffee00"]), *[("next", [])] * KEPT_MESSAGES]
