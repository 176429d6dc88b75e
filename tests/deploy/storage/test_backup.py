"""A backup holds everything, as it was at one moment; restored on either kind of database it is the same again."""

import json
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select, text, update

from deploy.cli import main
from deploy.machine import AlreadyRunning, locked
from deploy.processes.serve import LOCK
from deploy.storage import restore as restoring
from deploy.storage.archive import BadBackup
from deploy.storage.backup import backup
from deploy.storage.restore import Occupied, Restored, restore, verify
from grader.store.models import Submission
from tests.conftest import empty
from tests.deploy.place import Place, migrated, place, used
from tests.tournament.factory import claim_next
from tests.web.school import School
from tournament.store.database import connect, now, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.store.tables import Block, PlayedGame, Player
from tournament.work import maintenance

KINDS = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Move:
    """A used installation, its first backup, what that became on the other kind of database, and a backup of this."""

    here: Place
    school: School
    elsewhere: Place
    done: Restored
    first: Path
    second: Path


@pytest.fixture(scope="module")
def databases(postgresql_url: str) -> Iterator[Callable[[str], str]]:
    """Makes databases of their own names, in the PostgreSQL server."""
    engine = connect(postgresql_url).execution_options(isolation_level="AUTOCOMMIT")

    def made(name: str) -> str:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        return engine.url.set(database=name).render_as_string(False)

    yield made
    engine.dispose()


@pytest.fixture(scope="module", params=KINDS)
def move(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, databases: Callable[[str], str]
) -> Move:
    """Made once for all tests: what one of them changes, the later ones do not look at."""
    folder = tmp_path_factory.mktemp("move")
    urls = ("", databases("elsewhere")) if request.param == "sqlite" else (databases("here"), "")
    here, elsewhere = place(folder / "here", urls[0]), place(folder / "elsewhere", urls[1])
    school = used(here)
    first = saved(here, folder / "first.zip")
    done = restore(elsewhere.settings, first)
    return Move(here, school, elsewhere, done, first, saved(elsewhere, folder / "second.zip"))


@pytest.fixture
def here(move: Move) -> Place:
    """An installation on either kind of database."""
    return move.here


@pytest.fixture
def school(move: Move) -> School:
    return move.school


@pytest.fixture
def elsewhere(tmp_path: Path, here: Place, postgresql_url: str) -> Place:
    """An empty installation on the other kind of database."""
    if here.settings.database.startswith("postgresql"):
        return place(tmp_path / "elsewhere")
    empty(postgresql_url)
    return place(tmp_path / "elsewhere", postgresql_url)


@pytest.fixture
def small(tmp_path: Path) -> Place:
    """One on SQLite, for what has nothing to do with the database."""
    new = place(tmp_path / "small", lines="QUADRILLE_WEB_THREADS=3\nQUADRILLE_LIMITS__CALL_S=2\n")
    migrated(new.settings.database).dispose()
    assert new.settings.secret_key
    add_player(new, b"x = 1\n")
    return new


def add_player(there: Place, source: bytes) -> None:
    with writing(there.sessions) as session:
        session.add(Player(sha256=source.hex()[:40], source=source))


def saved(there: Place, path: Path) -> Path:
    backup(there.settings, there.sessions.kw["bind"], path)
    return path


def sums(path: Path) -> Mapping[str, str]:
    """Of each table in a backup."""
    return {name: table.sha256 for name, table in verify(path).tables.items()}


# Everything comes back


@pytest.fixture(scope="module")
def pages() -> dict[str, Mapping[str, int]]:
    """Which pages people find before anything is restored, by login: on either kind of database the same."""
    return {}


@pytest.mark.full
def test_what_is_restored_on_the_other_kind_of_database_is_the_same(
    move: Move, pages: dict[str, Mapping[str, int]]
) -> None:
    assert (move.done.kept, move.done.own) == (None, [])
    assert sums(move.second) == sums(move.first)
    for login in ("ines", "ada"):
        pages[login] = pages.get(login) or move.here.pages(login)
        assert move.elsewhere.pages(login) == pages[login]
        assert set(pages[login].values()) == {200}
    with reading(move.here.sessions) as former, reading(move.elsewhere.sessions) as session:
        records = select(PlayedGame.record).order_by(PlayedGame.id)
        assert session.scalars(records).all() == former.scalars(records).all() != []
        assert session.scalars(select(Submission.report)).all() == former.scalars(select(Submission.report)).all()


@pytest.mark.full
def test_new_rows_are_numbered_after_those_restored(move: Move) -> None:
    with writing(move.elsewhere.sessions) as session:
        last = session.scalar(select(func.max(Player.id)))
        player = Player(sha256="new", source=b"")
        session.add(player)
        session.flush()
        assert last
        assert player.id == last + 1


@pytest.mark.full
def test_it_holds_one_moment_though_rows_are_written_meanwhile(here: Place, tmp_path: Path) -> None:
    written: list[str] = []

    def write_something(what: str, _done: int, _total: int) -> None:
        add_player(here, f"{len(written)} while {what} is read".encode())
        written.append(what)

    def counted(path: Path) -> int:
        backup(here.settings, here.sessions.kw["bind"], path, write_something)
        return verify(path).tables["player"].rows

    with reading(here.sessions) as session:
        before = session.scalar(select(func.count(Player.id))) or 0
    assert counted(tmp_path / "first.zip") == before
    assert written.index("player") > 0
    assert counted(tmp_path / "second.zip") == before + len(written) // 2


@pytest.mark.full
def test_a_job_that_was_being_done_waits_again_and_a_block_that_may_have_been_dealt_is_not_dealt_so_again(
    here: Place, school: School, elsewhere: Place, tmp_path: Path
) -> None:
    assert claim_next(here.sessions, Submission, select(Submission.id))
    table = school.bots()
    with writing(here.sessions) as session:
        session.add(Block(tournament_id=school.tournament, seed=1, entries=table))
    path = saved(here, tmp_path / "backup.zip")
    used = set()
    for _ in range(MAX_ATTEMPTS):
        claim = claim_next(here.sessions, Block, select(Block.id).where(Block.seed == 1))
        assert claim
        used.add(claim.deals)
        with writing(here.sessions) as session:
            session.execute(update(Block).values(lease_until=None))
    with writing(here.sessions) as session:
        session.execute(update(Submission).values(lease_until=None))
    restore(elsewhere.settings, path)
    with reading(elsewhere.sessions) as session:
        waiting = session.scalars(select(Submission).where(Submission.state == JobState.QUEUED)).all()
        assert [(each.attempts, each.owner, each.lease_until) for each in waiting] == [(0, None, None)]
    claim = claim_next(elsewhere.sessions, Block, select(Block.id).where(Block.seed == 1))
    assert claim
    assert (claim.attempt, claim.deals in used) == (1, False)


@pytest.mark.full
def test_maintenance_is_not_restored_and_that_of_the_place_stays(small: Place, tmp_path: Path) -> None:
    with writing(small.sessions) as session:
        maintenance.begin(session, "before the backup")
    path = saved(small, tmp_path / "backup.zip")
    new = place(tmp_path / "new")
    restore(new.settings, path)
    with writing(new.sessions) as session:
        assert maintenance.maintenance(session) is None
        maintenance.begin(session, "here")
    restore(new.settings, path, force=True)
    with reading(new.sessions) as session:
        found = maintenance.maintenance(session)
        assert found
        assert found.reason == "here"


# Settings and keys


def test_keys_and_settings_come_along_and_a_place_keeps_its_own(small: Place, tmp_path: Path) -> None:
    path = saved(small, tmp_path / "backup.zip")
    new = place(tmp_path / "new", lines="QUADRILLE_WEB_THREADS=5\n")
    assert restore(new.settings, path).own == ["QUADRILLE_WEB_THREADS"]
    again = Place(type(new.settings)(_env_file=tmp_path / "new" / "settings.env", data=new.settings.data))
    assert (again.settings.web_threads, again.settings.limits.call_s) == (5, 2.0)
    assert again.settings.secret_key == small.settings.secret_key
    for name in ("secret-key", "settings.env"):
        assert stat.S_IMODE((tmp_path / "new" / name).stat().st_mode) == 0o600


def test_where_it_came_from_is_not_in_it(tmp_path: Path, postgresql_url: str) -> None:
    empty(postgresql_url)
    lines = "QUADRILLE_BROKER_URL=redis://:hidden@host/0\nQUADRILLE_DATABASE_PASSWORD=hidden\n"
    there = place(tmp_path / "there", postgresql_url, lines)
    migrated(there.settings.database).dispose()
    path = saved(there, tmp_path / "backup.zip")
    named = ["QUADRILLE_DATABASE_URL", "QUADRILLE_BROKER_URL", "QUADRILLE_DATABASE_PASSWORD"]
    assert verify(path).left_out == named
    with ZipFile(path) as archive:
        assert not any(b"hidden" in archive.read(name) for name in archive.namelist())


# What is there is safe


@pytest.mark.full
def test_nothing_is_overwritten_without_force_and_with_it_what_was_there_is_kept(small: Place, tmp_path: Path) -> None:
    path = saved(small, tmp_path / "backup.zip")
    add_player(small, b"y = 2\n")
    (small.settings.data / "secret-key").write_text("another")
    with pytest.raises(Occupied, match=r"rows in 1 tables, .*secret-key differs"):
        restore(small.settings, path)
    done = restore(small.settings, path, force=True)
    assert players(small) == [b"x = 1\n"]
    assert done.kept
    again = restore(small.settings, done.kept, force=True)
    assert again.kept != done.kept, "two within one second are two files"
    assert players(small) == [b"x = 1\n", b"y = 2\n"]
    assert small.settings.secret_key == "another"


def players(there: Place) -> list[bytes]:
    with reading(there.sessions) as session:
        return list(session.scalars(select(Player.source).order_by(Player.id)))


def test_only_the_owner_can_read_it_and_no_file_is_overwritten(small: Place, tmp_path: Path) -> None:
    path = saved(small, tmp_path / "backup.zip")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_bytes()
    with pytest.raises(FileExistsError):
        saved(small, path)
    assert path.read_bytes() == content


def test_while_quadrille_runs_there_nothing_is_restored(small: Place, tmp_path: Path) -> None:
    path = saved(small, tmp_path / "backup.zip")
    with locked(small.settings.data / LOCK), pytest.raises(AlreadyRunning):
        restore(small.settings, path, force=True)


@pytest.mark.full
def test_workers_elsewhere_finish_what_they_hold_first(here: Place, school: School, tmp_path: Path) -> None:
    path = saved(here, tmp_path / "backup.zip")
    with writing(here.sessions) as session:
        block = Block(tournament_id=school.tournament, seed=1, entries=[], state=JobState.RUNNING, owner="other:1")
        block.lease_until = now() + timedelta(minutes=5)
        session.add(block)
        session.flush()
        number = block.id
    heard: list[int] = []

    def finish(held: int) -> None:
        heard.append(held)
        school.change(Block, number, state=JobState.DONE)

    done = restore(here.settings, path, force=True, resting=finish)
    assert heard == [1]
    assert done.kept
    assert verify(done.kept).tables["block"].rows == verify(path).tables["block"].rows + 1


# Bad input


def damaged(path: Path, change: Callable[[bytearray], None]) -> Path:
    content = bytearray(path.read_bytes())
    change(content)
    bad = path.with_name("bad.zip")
    bad.write_bytes(content)
    return bad


def spoil_a_byte(content: bytearray) -> None:
    """One of the first table that has rows."""
    place = content.index(b"tables/player.jsonl") + 50
    content[place] ^= 1


def rewritten(path: Path, **members: bytes | None) -> Path:
    """A backup with other members, or without them; their names have `__` for `/`."""
    bad = path.with_name("bad.zip")
    changes = {name.replace("__", "/"): content for name, content in members.items()}
    with ZipFile(path) as archive, ZipFile(bad, "w") as new:
        for name in archive.namelist():
            content = changes.get(name.removesuffix(".jsonl").removesuffix(".json"), archive.read(name))
            if content is not None:
                new.writestr(name, content)
    return bad


def manifest_with(path: Path, **changes: object) -> bytes:
    with ZipFile(path) as archive:
        return json.dumps({**json.loads(archive.read("manifest.json")), **changes}).encode()


BAD: Mapping[str, tuple[Callable[[Path], Path], str]] = {
    "cut off": (lambda path: damaged(path, lambda content: content.__delitem__(slice(-100, None))), "or is damaged"),
    "a byte is wrong": (
        lambda path: damaged(path, spoil_a_byte),
        "damaged",
    ),
    "nothing": (lambda path: damaged(path, bytearray.clear), "is not a backup of Quadrille, or is damaged"),
    "another archive": (lambda path: rewritten(path, manifest=b"{}"), "its manifest is wrong"),
    "without its manifest": (lambda path: rewritten(path, manifest=None), "its manifest is wrong"),
    "without a table": (lambda path: rewritten(path, tables__player=None), "tables/player.jsonl is not in it"),
    "another table": (lambda path: rewritten(path, tables__player=b"[]\n"), "tables/player.jsonl is not what was"),
    "of a later format": (
        lambda path: rewritten(path, manifest=manifest_with(path, format=2, program="9.9")),
        r"made by a later Quadrille \(9.9\)",
    ),
    "of a later revision": (
        lambda path: rewritten(path, manifest=manifest_with(path, revision="9999")),
        "at revision 9999; install that one, then restore it",
    ),
    "not there": (lambda path: path.with_name("none.zip"), "No such file"),
}


@pytest.fixture(scope="module")
def good_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be spoiled."""
    folder = tmp_path_factory.mktemp("good")
    there = place(folder / "there")
    migrated(there.settings.database).dispose()
    add_player(there, b"x = 1\n")
    return saved(there, folder / "backup.zip")


@pytest.mark.parametrize(("spoil", "said"), BAD.values(), ids=BAD)
def test_a_bad_backup_is_refused_and_nothing_changes(
    small: Place, good_backup: Path, tmp_path: Path, spoil: Callable[[Path], Path], said: str
) -> None:
    bad = spoil(shutil.copy(good_backup, tmp_path / "backup.zip"))
    before = list(data_of(small))
    with pytest.raises(BadBackup, match=said):
        restore(small.settings, bad, force=True)
    assert list(data_of(small)) == before


def data_of(there: Place) -> Iterator[str]:
    """The whole database, as statements, and the names of the files in the data folder."""
    with closing(sqlite3.connect(there.settings.data / "quadrille.sqlite")) as database:
        yield from database.iterdump()
    yield from sorted(path.name for path in there.settings.data.rglob("*"))


@pytest.mark.full
def test_a_failure_in_the_middle_changes_nothing(
    here: Place, school: School, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(here, tmp_path / "backup.zip")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(restoring, "_release_claims", fail)
    with pytest.raises(KeyboardInterrupt):
        restore(here.settings, path, force=True)
    assert sums(saved(here, tmp_path / "after.zip")) == sums(path)
    with reading(here.sessions) as session:
        assert maintenance.maintenance(session) is None


@pytest.mark.full
def test_a_full_disk_leaves_no_half_backup(small: Place, tmp_path: Path) -> None:
    add_player(small, os.urandom(300_000))
    small.sessions.kw["bind"].dispose()
    command = [sys.executable, "-m", "deploy.cli", "backup", "--data", str(small.settings.data)]
    done = subprocess.run(
        command,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "the backup cannot be written" in done.stderr
    assert list((small.settings.data / "backups").iterdir()) == []


# The commands


def run(*arguments: str, data: Path) -> Result:
    return CliRunner().invoke(main, [*arguments, "--data", str(data)])


@pytest.mark.full
def test_the_commands_say_what_they_did(small: Place, tmp_path: Path) -> None:
    data, file = small.settings.data, str(tmp_path / "backup.zip")
    first = run("backup", file, data=data)
    assert (first.exit_code, "1 rows of" in first.stdout) == (0, True)
    assert run("backup", file, data=data).exit_code == 2
    assert "is intact: 1 rows of" in run("restore", file, "--check", data=data).stdout
    refused = run("restore", file, data=data)
    assert (refused.exit_code, "Use --force to replace it" in refused.stderr) == (3, True)
    done = run("restore", file, "--force", data=data)
    assert done.exit_code == 0
    assert "The former data is in" in done.stdout
    assert run("restore", "none.zip", data=data).exit_code == 2
    assert run("backup", data=data).exit_code == 0


def test_an_empty_database_is_not_backed_up(tmp_path: Path) -> None:
    result = run("backup", data=place(tmp_path / "new").settings.data)
    assert (result.exit_code, "nothing to back up" in result.stderr) == (3, True)
