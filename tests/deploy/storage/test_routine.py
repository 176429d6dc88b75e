"""Backups by routine: restored on trial, encrypted for a key whose private half is elsewhere, the old ones deleted; and
the alerts know when the last good one was made."""

import math
import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyrage.x25519 import Identity
from sqlalchemy import select, update

from deploy.cli import main
from deploy.settings import BadSettings, load
from tests.deploy.place import Place, place, used
from tests.services import missing
from tournament.store.database import now, reading, writing
from tournament.store.tables import Entry, Player
from tournament.work import maintenance
from tournament.work.upkeep import upkeep


@pytest.fixture
def here(tmp_path: Path, database_url: str) -> Place:
    """An installation in use."""
    new = place(tmp_path / "here", database_url)
    used(new)
    run(new, "rerate")  # its games were stored without being played
    return new


@pytest.fixture
def key() -> Identity:
    return Identity.generate()


def run(there: Place, command: str) -> Result:
    return CliRunner().invoke(main, [*command.split(), "--data", str(there.settings.data)])


def set_key(there: Place, *keys: str) -> None:
    file = there.settings.data / "settings.env"
    file.write_text(f"{file.read_text()}QUADRILLE_BACKUP_KEY='{','.join(keys)}'\n")


def backups(there: Place) -> list[Path]:
    """The oldest first."""
    return sorted((there.settings.data / "backups").iterdir())


def ages(there: Place) -> tuple[float, float]:
    """Of the last backup that was made, and of the last that was tried."""
    with reading(there.sessions) as session:
        (found,) = (each for each in upkeep(session) if each.name == "quadrille_backup_age_seconds")
    made, tried = (sample.value for sample in found.samples)
    return made, tried


def left_over(there: Place) -> list[str]:
    """What nobody has cleared away."""
    return [path.name for path in there.settings.data.rglob(".*")]


def spoil(there: Place) -> None:
    """Let the standings say what the games do not."""
    with writing(there.sessions) as session:
        session.execute(update(Entry).values(games=Entry.games + 1))


@pytest.mark.both_databases
def test_it_is_restored_on_trial_and_the_alerts_know_when(here: Place) -> None:
    assert ages(here) == (math.inf, math.inf)
    assert run(here, "backup").exit_code == 0
    made, tried = ages(here)
    assert (made < 60, tried) == (True, math.inf)
    done = run(here, "backup --check")
    assert (done.exit_code, "restored on trial, and all standings follow" in done.stdout) == (0, True), done.output
    assert max(ages(here)) < 60
    assert left_over(here) == []
    assert len(backups(here)) == 2


@pytest.mark.both_databases
def test_the_trial_leaves_the_installation_as_it_is(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_DATABASE_URL", here.settings.database)  # as in containers
    with reading(here.sessions) as session:
        before = session.scalars(select(Player.sha256).order_by(Player.id)).all()
    assert run(here, "backup --check").exit_code == 0
    with reading(here.sessions) as session:
        assert session.scalars(select(Player.sha256).order_by(Player.id)).all() == before != []


def test_wrong_standings_are_told_and_neither_count_nor_delete_what_is_older(here: Place) -> None:
    assert run(here, "backup").exit_code == 0
    spoil(here)
    bad = run(here, "backup --check --keep 1")
    assert (bad.exit_code, "do not follow from the games: 1, " in bad.stderr) == (1, True), bad.output
    assert ages(here)[1] == math.inf
    assert len(backups(here)) == 2, "the former one is the only good one"
    assert run(here, "rerate").exit_code == 1
    assert run(here, "backup --check --keep 1").exit_code == 0
    assert len(backups(here)) == 1


def test_only_the_latest_are_kept_and_nothing_else_is_deleted(here: Place) -> None:
    folder = here.settings.data / "backups"
    folder.mkdir()
    others = {"before-0065-20200101-000000-000000.zip", "notes.txt", "quadrille-mine.zip"}
    old = {"quadrille-20200101-000000-000000.zip", "quadrille-20200102-000000-000000.zip.age"}
    for name in others | old:
        (folder / name).touch()
    assert run(here, "backup --keep 2").exit_code == 0
    names = {path.name for path in backups(here)}
    assert others < names
    assert names & old == {"quadrille-20200102-000000-000000.zip.age"}
    assert len(names) == len(others) + 2


def test_what_a_killed_command_left_is_cleared_away_a_day_later(here: Place) -> None:
    for name, days in ((".backup-lately", 0), (".backup-killed", 2)):
        (here.settings.data / name).mkdir()
        (here.settings.data / name / "backup.zip").touch()
        at = now().timestamp() - days * 86_400
        os.utime(here.settings.data / name, (at, at))
    assert run(here, "backup").exit_code == 0
    assert left_over(here) == [".backup-lately"]


def test_a_file_and_a_folder_exclude_each_other(here: Place, tmp_path: Path) -> None:
    for more in (f"--to {tmp_path}", "--keep 3"):
        assert run(here, f"backup {tmp_path / 'backup.zip'} {more}").exit_code == 2
    assert not (tmp_path / "backup.zip").exists()


def test_in_maintenance_it_is_made_and_not_counted(here: Place) -> None:
    with writing(here.sessions) as session:
        maintenance.begin(session, "A larger disk")
    done = run(here, "backup --check")
    assert (done.exit_code, "The alerts do not count it" in done.stderr) == (0, True), done.output
    assert ages(here) == (math.inf, math.inf)


# Encrypted


@pytest.mark.both_databases
def test_an_encrypted_one_comes_back_with_the_private_key_alone(here: Place, tmp_path: Path, key: Identity) -> None:
    second, file = Identity.generate(), tmp_path / "key.txt"
    set_key(here, str(key.to_public()), str(second.to_public()))
    assert run(here, "backup --check").exit_code == 0
    (path,) = backups(here)
    assert path.name.endswith(".zip.age")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes().startswith(b"age-encryption.org/v1\n")
    assert left_over(here) == []
    new = place(tmp_path / "new")
    for what, said in (
        ("", "is encrypted; name the file with the private key: --identity FILE"),
        (str(Identity.generate()), "cannot be decrypted"),
        ("", "cannot be decrypted"),
        ("AGE-SECRET-KEY-1WRONG", "cannot be decrypted"),
    ):
        file.write_text(what)
        option = "" if "name the file" in said else f" --identity {file}"
        refused = run(new, f"restore {path}{option}")
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.output
        assert left_over(new) == []
    for each in (second, key):
        file.write_text(f"# made by age-keygen\n# public key: {each.to_public()}\n{each}\n")
        checked = run(new, f"restore {path} --check --identity {file}")
        assert (checked.exit_code, "is intact" in checked.stdout) == (0, True), checked.output
    done = run(new, f"restore {path} --identity {file}")
    assert (done.exit_code, left_over(new)) == (0, []), done.output
    with reading(here.sessions) as former, reading(new.sessions) as session:
        assert session.scalars(select(Player.source)).all() == former.scalars(select(Player.source)).all() != []


def test_a_changed_byte_is_noticed(here: Place, tmp_path: Path, key: Identity) -> None:
    set_key(here, str(key.to_public()))
    assert run(here, "backup").exit_code == 0
    (path,) = backups(here)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    (tmp_path / "key.txt").write_text(str(key))
    refused = run(here, f"restore {path} --check --identity {tmp_path / 'key.txt'}")
    assert (refused.exit_code, "is damaged" in refused.stderr) == (2, True), refused.output


@pytest.mark.full
def test_the_program_age_reads_it_too(here: Place, tmp_path: Path, key: Identity) -> None:
    if not shutil.which("age"):
        missing("age")
    set_key(here, str(key.to_public()))
    assert run(here, "backup").exit_code == 0
    (path,) = backups(here)
    (tmp_path / "key.txt").write_text(f"{key}\n")
    command = ["age", "--decrypt", "-i", str(tmp_path / "key.txt"), "-o", str(tmp_path / "backup.zip"), str(path)]
    subprocess.run(command, check=True)
    assert run(here, f"restore {tmp_path / 'backup.zip'} --check").exit_code == 0


@pytest.mark.parametrize("wrong", ["age1x", "ssh-ed25519", "AGE-SECRET-KEY-1QQQQ"])
def test_what_is_no_public_key_is_refused_and_not_repeated(here: Place, wrong: str) -> None:
    set_key(here, wrong)
    with pytest.raises(BadSettings) as refused:
        load(here.settings.data)
    assert "QUADRILLE_BACKUP_KEY" in str(refused.value)
    assert wrong not in str(refused.value).replace("age1…", ""), "it may be the private one, by mistake"


def test_the_plain_one_never_lies_where_the_encrypted_one_goes(
    here: Place, tmp_path: Path, key: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_key(here, str(key.to_public()))
    shared, opened = tmp_path / "shared", list[Path]()
    real = os.open

    def noted(path: str | Path, *rest: Any, **more: Any) -> int:
        opened.append(Path(path))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", noted)
    assert run(here, f"backup --to {shared}").exit_code == 0
    assert [path.suffixes[:2] for path in shared.iterdir()] == [[".zip", ".age"]]
    there = [path for path in opened if path.parent == shared]
    assert there
    assert all(".zip.age." in path.name for path in there)
