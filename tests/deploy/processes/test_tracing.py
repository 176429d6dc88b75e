"""The ids of uploads travel with messages."""

from pathlib import Path
from threading import Event

import pytest
from celery.contrib.testing.worker import start_worker

from deploy.processes.celery import App, declare_queues, make_app, sender
from deploy.settings import load
from tournament.work.runner import followed, following

PATIENCE_S = 120


def installation(folder: Path) -> App:
    app = make_app(load(folder))
    app.conf.include = ()
    declare_queues(app)
    return app


@pytest.mark.full
def test_a_task_follows_what_its_message_was_sent_for(tmp_path: Path) -> None:
    app, heard, done = installation(tmp_path), [], Event()

    @app.task(name="tournament.listen")  # type: ignore[untyped-decorator, unused-ignore]
    def listen() -> None:
        heard.append(followed())
        if len(heard) == 3:
            done.set()

    send = sender(app)
    with following("5bd1c0ffee00", "0ddba11d0000"):
        send("tournament.listen")
    send("tournament.listen")
    with following("facade000000"):
        send("tournament.listen")
    with start_worker(app, pool="solo", perform_ping_check=False, queues=["ladder"], shutdown_timeout=PATIENCE_S):
        assert done.wait(PATIENCE_S)
    assert heard == [["5bd1c0ffee00", "0ddba11d0000"], [], ["facade000000"]]
