"""A block that kills whoever plays it, with real workers and `kill -9`: it is parked, nobody else waits for it, and the
instructor is told why."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from deploy import demo
from deploy.processes.celery import declare_queues, make_app, sender
from deploy.processes.site import make_site
from deploy.settings import Settings, load
from tests.deploy.place import migrated
from tests.players import GOOD
from tests.tournament.factory import make_block, make_entries
from tests.web.school import Browser
from tests.whole.stack import PATIENCE_S, eventually
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.store.tables import Block, Tournament
from tournament.work.runner import PLAY

pytestmark = pytest.mark.full

SLOW = b"import time\ntime.sleep(600)\n"
"""Whoever plays it can be killed meanwhile."""

WORKERS = f"""
import os, sys
from deploy.cli import main
from deploy.processes import worker
from deploy.processes import copies
import tournament.tasks
commands = {{str(number): ("worker", "ladder") for number in range({MAX_ATTEMPTS + 1})}}
with copies.waiting(main, commands, dict(os.environ)) as begin:
    begin()
    sys.stdin.read()
"""
"""Several playing workers, which share what takes longest of their start."""


def test_a_block_that_kills_three_workers_is_parked_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_LIMITS__LOAD_S", "30")  # or it would soon be given up
    settings = load(tmp_path / "data")
    sessions = sessionmaker(migrated(settings.database))
    demo.seed(sessions, lambda task: None, demo.logins(settings))
    app = make_app(settings)
    declare_queues(app)
    send = sender(app)
    with writing(sessions) as session:
        ladder = session.scalars(select(Tournament).where(Tournament.game == "bo")).one()
        ladder.target_games, assignment = 0, ladder.assignment_id
        deadly = queue(session, ladder, SLOW)
        harmless = [queue(session, ladder, GOOD.encode()) for _ in range(2)]
    with workers(settings):
        send(PLAY)
        for attempt in range(MAX_ATTEMPTS):
            os.kill(player_of(sessions, deadly, attempt + 1), signal.SIGKILL)
            eventually(partial(released, sessions, deadly, attempt + 1))  # or a sweep would find nothing to do
            send("tournament.sweep")
        for _ in harmless:
            send(PLAY)
        eventually(lambda: states(sessions) == {deadly: JobState.PARKED, **dict.fromkeys(harmless, JobState.DONE)})
    teacher = Browser(make_site(settings))
    teacher.sign_in("teacher", demo.logins(settings)["teacher"])
    page = teacher.get(f"/assignments/{assignment}/manage/").text
    assert "Parked blocks" in page
    assert "it was abandoned because the workers processing it died" in page


@contextmanager
def workers(settings: Settings) -> Iterator[None]:
    """As many playing workers as a block can kill, and one more."""
    environment = {**os.environ, "QUADRILLE_DATA": str(settings.data)}
    with subprocess.Popen([sys.executable, "-c", WORKERS], stdin=subprocess.PIPE, env=environment) as process:
        try:
            yield
        finally:
            assert process.stdin
            process.stdin.close()
            assert process.wait(PATIENCE_S) == 0


def queue(session: Session, ladder: Tournament, source: bytes) -> int:
    """A block of four entries with that file; its id."""
    return make_block(session, ladder, make_entries(session, ladder, 4, source)).id


def player_of(sessions: Sessions, block: int, attempt: int) -> int:
    """The process that plays the block in its so-manieth attempt, as soon as there is one."""

    def playing() -> int:
        with reading(sessions) as session:
            found = session.get_one(Block, block)
            return int(str(found.owner).rpartition(":")[2]) if found.attempts == attempt else 0

    return eventually(playing)


def released(sessions: Sessions, block: int, attempt: int) -> bool:
    """Whether the worker's watch has ended the lease of that attempt. The next worker may have claimed the block since:
    on a slow machine a sweep leaves messages for the harmless blocks too."""
    with reading(sessions) as session:
        found = session.get_one(Block, block)
        return found.lease_until is None or found.attempts > attempt


def states(sessions: Sessions) -> dict[int, JobState]:
    with reading(sessions) as session:
        return {block.id: block.state for block in session.scalars(select(Block))}
