"""`quadrille healthy`: fails while a worker or scheduler of this machine does not work, whatever the reason."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.settings import load
from tests.deploy.place import migrated
from tournament.store.database import Sessions, now, writing
from tournament.store.tables import SILENT, Worker
from tournament.work import maintenance
from tournament.work.workers import Presence, this_process


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    engine = migrated(load(tmp_path).database)
    yield sessionmaker(engine)
    engine.dispose()


@pytest.fixture
def worker(sessions: Sessions) -> Iterator[Presence]:
    with Presence(sessions, "hall:1", "grading") as presence:
        yield presence


def healthy(data: Path) -> Result:
    return CliRunner().invoke(main, ["healthy", "--data", str(data)])


def change(sessions: Sessions, **values: object) -> None:
    with writing(sessions) as session:
        row = session.get_one(Worker, "hall:1")
        for name, value in values.items():
            setattr(row, name, value)


def test_who_has_signed_on_works(tmp_path: Path, worker: Presence) -> None:
    asked = healthy(tmp_path)
    assert (asked.exit_code, asked.stdout) == (0, "hall:1 (grading) works\n")


def silent(sessions: Sessions, worker: Presence) -> None:
    change(sessions, seen_at=now() - SILENT * 20)


def troubled(sessions: Sessions, worker: Presence) -> None:
    worker.tell("no bubblewrap")


def dead(sessions: Sessions, worker: Presence) -> None:
    *machine, pid, start = this_process().split()
    change(sessions, process=" ".join([*machine, pid, str(int(start) - 1)]))


@pytest.mark.parametrize(
    ("happens", "said"),
    [(silent, "last responded 12"), (troubled, "is out of service: no bubblewrap"), (dead, "has died")],
)
def test_who_does_not_work_is_named_with_the_reason(
    tmp_path: Path, sessions: Sessions, worker: Presence, happens: Callable[[Sessions, Presence], None], said: str
) -> None:
    happens(sessions, worker)
    asked = healthy(tmp_path)
    assert (asked.exit_code, f"hall:1 (grading) {said}" in asked.stdout) == (3, True), asked.output


def test_that_nobody_grades_is_told_apart_from_a_worker_that_does_not_work(tmp_path: Path, sessions: Sessions) -> None:
    with Presence(sessions, "hall:2", "ladder"):
        asked = healthy(tmp_path)
        assert (asked.exit_code, asked.stdout) == (4, "hall:2 (ladder) works\nno worker of this installation grades\n")
        with writing(sessions) as session:
            session.add(Worker(name="attic:1", queue="players", process="elsewhere pid:[1] 7 1000"))
        assert healthy(tmp_path).exit_code == 0


def test_who_rests_in_maintenance_is_well(tmp_path: Path, sessions: Sessions, worker: Presence) -> None:
    with writing(sessions) as session:
        maintenance.begin(session, "A larger disk")
    assert healthy(tmp_path).exit_code == 0


def test_processes_of_other_machines_are_not_this_ones(tmp_path: Path, sessions: Sessions, worker: Presence) -> None:
    change(sessions, process="elsewhere pid:[1] 7 1000")
    asked = healthy(tmp_path)
    assert (asked.exit_code, "no worker or scheduler runs on this machine" in asked.stderr) == (3, True)


@pytest.mark.parametrize("url", ["", "postgresql+psycopg://quadrille@127.0.0.1:1/quadrille"])
def test_without_a_database_nobody_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("QUADRILLE_DATABASE_URL", url)
    asked = healthy(tmp_path)
    assert (asked.exit_code, "the database cannot be asked" in asked.stderr) == (3, True), asked.output
