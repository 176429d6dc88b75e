"""What the doctor finds, and how it says to fix it."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from threading import Barrier

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import make_url
from sqlalchemy.orm import sessionmaker

from deploy.cli.installation.doctor import doctor_command, print_findings
from deploy.health.doctor import sandbox
from deploy.migrations import migrate
from deploy.settings import Settings, load
from sandbox.host.probe import Finding
from tests.deploy.place import migrated
from tests.services import PATIENCE_S
from tournament.store.database import Sessions, connect, connected, now, writing
from tournament.store.tables import Worker
from tournament.work import maintenance
from tournament.work.workers import SCHEDULER, SITE

pytestmark = pytest.mark.full


@cache
def examined(name: str, runner: Path) -> tuple[Finding, ...]:
    """What is found about a sandbox: to test it takes a second, and most tests here are about something else."""
    return tuple(sandbox(name, runner))


@pytest.fixture(autouse=True)
def each_sandbox_is_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.health.doctor.sandbox", examined)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An installation that has run."""
    settings = load(tmp_path)
    assert settings.secret_key
    migrated(settings.database).dispose()
    return tmp_path


def doctor(folder: Path) -> Result:
    return CliRunner().invoke(doctor_command, ["--data", str(folder), "--json"])


def faults(result: Result, fatal: bool = True) -> dict[str, tuple[str, str]]:
    """What does not work: its name, the detail and the fix."""
    return {
        found["name"]: (found["detail"], found["mend"])
        for found in json.loads(result.stdout)
        if not found["works"] and found["needed"] is fatal
    }


def test_an_installation_that_is_well(folder: Path) -> None:
    result = doctor(folder)
    assert faults(result) == {}
    assert result.exit_code == 0
    names = {found["name"] for found in json.loads(result.stdout)}
    assert names >= {"sandbox", "landlock", "settings", "data folder", "disk space", "database", "broker", "clock"}


def test_an_installation_that_is_not_there_yet_is_well_and_is_not_made(tmp_path: Path) -> None:
    assert doctor(tmp_path / "new" / "data").exit_code == 0
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("line", "name", "detail"),
    [
        ("QUADRILLE_PORT=80a", "settings", "QUADRILLE_PORT is '80a': must be a whole number"),
        ("QUADRILLE_SANDBOX=none", "settings", "QUADRILLE_SANDBOX is 'none': must be one of auto, bubblewrap"),
        ("QUADRILLE_PROT=80", "settings", "QUADRILLE_PROT: there is no such setting; did you mean QUADRILLE_PORT?"),
        ("QUADRILLE_LIMITS__CALL_S=100", "settings", "QUADRILLE_LIMITS__CALL_S is above QUADRILLE_LIMITS__GAME_S"),
        ("QUADRILLE_LIMITS__GRADING_S=5", "settings", "too short for one load and one call"),
        ("QUADRILLE_LIMITS__MEMORY=1000", "settings", "below 64 MiB"),
        ("QUADRILLE_LIMITS__WALL_FACTOR=1", "settings", "QUADRILLE_LIMITS__WALL_FACTOR"),
        ("QUADRILLE_LIMITS__REPLY=0", "settings", "above zero"),
        ("QUADRILLE_BROKER_URL=amqp://x", "settings", "QUADRILLE_BROKER_URL: must look like redis://host"),
        (
            "QUADRILLE_BROKER_URL=redis://:secret@x:70000/0",
            "settings",
            "QUADRILLE_BROKER_URL: must look like redis://host",
        ),
        ("QUADRILLE_BROKER_URL=redis://127.0.0.1:1/0", "broker", "QUADRILLE_BROKER_URL cannot be used"),
        ("QUADRILLE_DATABASE_URL=postgresql://q:secret@127.0.0.1:1/q", "database", "cannot be used"),
        ("QUADRILLE_DATABASE_URL=sqlite:////nowhere/x.sqlite", "database", "unable to open database file"),
        ("QUADRILLE_DATABASE_URL=sqlite:////proc/x.sqlite", "database", "unable to open database file"),
        ("QUADRILLE_DATABASE_URL=mysql://q:secret@x", "settings", "QUADRILLE_DATABASE_URL: must look like postgresql"),
        (
            "QUADRILLE_DATABASE_URL=postgresql://x:many/q",
            "settings",
            "QUADRILLE_DATABASE_URL: must look like postgresql",
        ),
        ("QUADRILLE_DATABASE_URL=nonsense", "settings", "QUADRILLE_DATABASE_URL: must look like postgresql"),
        ("QUADRILLE_DATABASE_URL=sqlite://", "settings", "QUADRILLE_DATABASE_URL: names no file"),
        ("QUADRILLE_BROKER_URL=redis://x/secret", "settings", "QUADRILLE_BROKER_URL: must look like redis://host"),
        ("QUADRILLE_LIMITS__CAL_S=3", "settings", "no such setting; did you mean QUADRILLE_LIMITS__CALL_S?"),
        (
            "QUADRILLE_DEMO=false\nQUADRILLE_PORT\n",
            "settings",
            "settings.env, line 2: must look like QUADRILLE_PORT=8000",
        ),
        ("QUADRILLE_LIMITS__CALL_S=-1", "settings", "QUADRILLE_LIMITS: CALL_S is -1.0: it must be above zero"),
    ],
)
def test_each_mistake_of_the_settings_is_named_with_its_fix(folder: Path, line: str, name: str, detail: str) -> None:
    (folder / "settings.env").write_text(line + "\n")
    result = doctor(folder)
    found, mend = faults(result)[name]
    assert detail in found
    assert mend
    assert result.exit_code == 3
    assert "secret" not in found


def test_what_must_be_fixed_is_said_again_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, right = Finding("clock", False, "it is an hour late", "set it"), Finding("broker", True, "answers")
    for findings, lines in (([wrong, right], 6), ([right, wrong], 4), ([right], 2)):  # the summary included
        print_findings(findings)
        assert len(capsys.readouterr().out.splitlines()) == lines


def test_a_database_whose_place_depends_on_the_folder_is_a_warning(folder: Path) -> None:
    (folder / "settings.env").write_text("QUADRILLE_DATABASE_URL=sqlite:///class.sqlite\n")
    found, mend = faults(doctor(folder), fatal=False)["settings"]
    assert "class.sqlite in the folder that it is started in" in found
    assert mend == f"QUADRILLE_DATABASE_URL=sqlite:///{Path('class.sqlite').absolute()}"


def test_a_misspelt_variable_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_PROT", "80")
    result = doctor(folder)
    assert result.exit_code == 0
    assert faults(result, fatal=False)["settings"][1] == "did you mean QUADRILLE_PORT?"


@pytest.mark.parametrize("demo", [False, True])
def test_what_would_let_others_in_must_be_mended_but_for_a_demonstration(
    folder: Path, monkeypatch: pytest.MonkeyPatch, demo: bool
) -> None:
    (folder / "settings.env").write_text(f"QUADRILLE_HOST=0.0.0.0\nQUADRILLE_DEMO={demo}\n")
    (folder / "secret-key").write_text("changeme")
    monkeypatch.setenv("FLASK_DEBUG", "1")
    result = doctor(folder)
    assert result.exit_code == (0 if demo else 3)
    found = faults(result, fatal=not demo)
    assert "QUADRILLE_SECURE_COOKIES=true" in found["cookies"][1]
    assert found["secret-key"][1].startswith(f"rm {folder / 'secret-key'}")
    assert found["debugging"][1] == "unset FLASK_DEBUG"


def test_who_is_not_at_work_is_named(folder: Path) -> None:
    assert "Quadrille is not running" in details(folder)["processes"]
    at = now()
    long_ago = at - timedelta(minutes=9)
    with writing(sessions(folder)) as session:
        session.add(Worker(name="hall:1", queue="grading", trouble="no sandbox works"))
        session.add(Worker(name="hall:2", queue="ladder", seen_at=long_ago))
        session.add(Worker(name="hall:3", queue=SCHEDULER, started_at=long_ago))
        session.add(Worker(name="hall:4", queue=SCHEDULER))
        session.add(Worker(name="hall:5", queue=SITE, seen_at=long_ago))
        session.add(Worker(name="hall:6", queue=SITE))
        maintenance.begin(session, "A larger disk")
    result = doctor(folder)
    assert result.exit_code == 4
    found = faults(result, fatal=False)
    assert found["worker"][0] == "hall:1 (grading) is out of service: no sandbox works"
    assert found["silent worker"][0].startswith("hall:2 (ladder) last responded 5")
    assert found["silent site process"][0].startswith("hall:5 (web) last responded 5")
    assert found["ladder workers"][1].endswith("quadrille worker ladder")
    assert "A larger disk" in found["maintenance"][0]
    assert details(folder)["scheduler"] == "hall:3 works; hall:4 stands by"
    with writing(sessions(folder)) as session:
        for name in ("hall:3", "hall:4"):
            session.delete(session.get_one(Worker, name))
    assert faults(doctor(folder), fatal=False)["scheduler"][1].endswith("quadrille scheduler")


def sessions(folder: Path) -> Sessions:
    return sessionmaker(connect(load(folder).database))


def details(folder: Path) -> dict[str, str]:
    return {found["name"]: found["detail"] for found in json.loads(doctor(folder).stdout)}


def test_without_its_runner_docker_is_not_said_to_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "settings.env").write_text(f"QUADRILLE_SANDBOX=docker\nQUADRILLE_RUNNER={folder / 'run'}\n")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/docker.sock")
    result = doctor(folder)
    assert result.exit_code == 3
    assert f"no runner answers at {folder / 'run' / 'runner'}" in faults(result)["sandbox"][0]
    assert faults(result)["runner"][1] == f"quadrille runner --folder {folder / 'run'}"


def test_a_runner_that_hangs_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "settings.env").write_text(f"QUADRILLE_SANDBOX=docker\nQUADRILLE_RUNNER={folder}\n")
    monkeypatch.setattr("deploy.health.doctor.JAIL_S", 0.01)
    with socket.socket(socket.AF_UNIX) as runner:
        runner.bind(str(folder / "runner"))
        runner.listen()
        found, mend = faults(doctor(folder))["sandbox"]
    assert found == "no sandbox has opened and passed its self-test within 0.01 s"
    assert "the runner" in mend


def test_servers_that_hang_are_waited_for_at_the_same_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_asked = Barrier(3, timeout=PATIENCE_S)

    def hang(name: str, settings: Settings) -> Iterator[Finding]:
        all_asked.wait()
        yield Finding(name, False, "it has not answered")

    names = ("listening", "database", "broker")
    for name in names:
        monkeypatch.setattr(f"deploy.health.doctor.{name}", partial(hang, name))
    assert list(faults(doctor(folder))) == list(names)


def test_keys_that_others_can_read(folder: Path) -> None:
    (folder / "secret-key").chmod(0o644)
    assert faults(doctor(folder))["secret-key"][1] == f"chmod 600 {folder / 'secret-key'}"


@pytest.mark.parametrize(
    ("name", "make", "detail"),
    [
        ("settings.env", lambda path: path.write_bytes(b"\xff\xfe"), "is not UTF-8 text"),
        ("settings.env", Path.mkdir, "Is a directory"),
        ("secret-key", lambda path: path.write_bytes(bytes(range(200, 250))), "can be guessed"),
        ("secret-key", Path.mkdir, "is not a file"),
        ("record-key", lambda path: path.write_text("no key"), "does not hold a key"),
        ("quadrille.sqlite", lambda path: path.write_text("no database, but some text"), "file is not a database"),
    ],
)
def test_a_file_that_is_something_else_is_named(
    tmp_path: Path, name: str, make: Callable[[Path], object], detail: str
) -> None:
    make(tmp_path / name)
    for path in tmp_path.glob("*-key"):
        path.chmod(0o600)
    result = doctor(tmp_path)
    assert result.exit_code == 3
    ((found, mend),) = faults(result).values()
    assert detail in found
    assert mend


def test_a_port_that_is_taken_by_something_else(folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        (folder / "settings.env").write_text(f"QUADRILLE_PORT={other.getsockname()[1]}\n")
        found = faults(doctor(folder), fatal=False)["port"]
    assert "is taken by another program" in found[0]
    assert "QUADRILLE_PORT" in found[1]


def test_cookies_that_no_browser_sends_back(folder: Path) -> None:
    (folder / "settings.env").write_text("QUADRILLE_SECURE_COOKIES=true\n")
    assert "QUADRILLE_PROXIES=1" in faults(doctor(folder), fatal=False)["settings"][1]


def test_a_database_that_is_behind_and_one_that_is_ahead(folder: Path) -> None:
    engine = connect(load(folder).database)
    for revision, fix in (("0008", "run its `quadrille migrate`"), ("9999", "install the later Quadrille")):
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        assert fix in faults(doctor(folder))["database"][1]
    engine.dispose()


@pytest.mark.both_databases
def test_an_empty_database_is_named(folder: Path, database_url: str) -> None:
    (folder / "settings.env").write_text(f"QUADRILLE_DATABASE_URL={database_url}\n")
    engine = connect(database_url)
    engine.connect().close()
    result = doctor(folder)
    engine.dispose()
    assert "the database is empty" in faults(result)["database"][0]
    assert "database's clock" not in faults(result)


def test_a_database_that_can_only_be_read(folder: Path, postgresql_url: str) -> None:
    migrate(connect(postgresql_url))
    only_read = (
        f"{postgresql_url}{'&' if '?' in postgresql_url else '?'}options=-c%20default_transaction_read_only%3Don"
    )
    (folder / "settings.env").write_text(f"QUADRILLE_DATABASE_URL={only_read}\n")
    detail, fix = faults(doctor(folder))["database writes"]
    assert "read-only transaction" in detail
    assert "use its primary server" in fix


def test_a_database_that_takes_no_more_connections(folder: Path, postgresql_url: str) -> None:
    with connected(postgresql_url) as engine, engine.connect() as connection:
        connection.exec_driver_sql("CREATE ROLE visitor LOGIN CONNECTION LIMIT 0")
        connection.commit()
        visitor = make_url(postgresql_url).set(username="visitor").render_as_string(hide_password=False)
        (folder / "settings.env").write_text(f"QUADRILLE_DATABASE_URL={visitor}\n")
        detail, fix = faults(doctor(folder))["database"]
        connection.exec_driver_sql("DROP ROLE visitor")
        connection.commit()
    assert "too many connections" in detail
    assert "raise max_connections" in fix


def test_a_clock_that_went_back(folder: Path) -> None:
    later = time.time() + 3600
    os.utime(folder / "secret-key", (later, later))
    assert "are newer" in faults(doctor(folder))["clock"][0]


@pytest.mark.parametrize(("processes", "enough"), [(2, True), (8, False)])
def test_a_postgresql_that_takes_too_few_connections(
    tmp_path: Path, postgresql_url: str, monkeypatch: pytest.MonkeyPatch, processes: int, enough: bool
) -> None:
    settings = {"DATABASE_URL": postgresql_url, "WEB_PROCESSES": processes, "WEB_THREADS": 16}
    for name, value in {**settings, "GRADING_PROCESSES": 1, "PLAYING_PROCESSES": 1}.items():
        monkeypatch.setenv(f"QUADRILLE_{name}", str(value))
    found = faults(doctor(tmp_path), fatal=False).get("database's connections", ("", ""))
    assert ("open 189 at most" in found[0], "max_connections of PostgreSQL to 192" in found[1]) == (not enough,) * 2


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "data folder" in faults(doctor(tmp_path / "file" / "data"))


def test_without_a_sandbox_it_says_what_mends_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv("QUADRILLE_SANDBOX", "bubblewrap")
    result = doctor(folder)
    found = faults(result)
    assert found["bubblewrap"][1] == "apt-get install bubblewrap"
    assert "sandbox" in found
    assert result.exit_code == 3


def test_for_a_reader_each_line_has_its_mend(folder: Path) -> None:
    (folder / "secret-key").chmod(0o644)
    result = CliRunner().invoke(doctor_command, ["--data", str(folder)])
    assert f"to fix it: chmod 600 {folder / 'secret-key'}" in result.stdout
    assert "1 of " in result.stdout
