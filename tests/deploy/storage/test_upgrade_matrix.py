"""The upgrade matrix of docs/back-up-and-upgrade.md, followed row by row: from each revision that it says can be
upgraded directly, with a class's rows; and from each other one, which is refused with the way that it names."""

import re
from pathlib import Path
from typing import TypeAlias

import pytest
from alembic import command
from click.testing import CliRunner

from deploy.cli import main
from deploy.migrations import changing_tables, config
from deploy.storage import schema
from deploy.storage.restore import restore, verify
from tests.deploy.place import Place, place
from tests.deploy.storage.test_migrations import differences
from tests.deploy.storage.test_upgrades import as_formerly, former, rows, run, small, that_stays, used

__all__ = ["former", "small", "used"]  # fixtures

PAGE = (Path(__file__).parents[3] / "docs" / "back-up-and-upgrade.md").read_text()
Way: TypeAlias = str | None


def matrix() -> dict[Way, str]:
    """What the table says of each revision; of None, of an empty database."""
    section = PAGE.split("\n### Upgrade matrix\n")[1].split("\n### ")[0]
    found: dict[Way, str] = {}
    for said, how in re.findall(r"^\| (\S.*?) \|.*\| (\w.*?) \|$", section, re.MULTILINE)[1:]:
        match re.findall(r"\d{4}", said):
            case [first, last]:
                found |= {f"{number:04}": how for number in range(int(first), int(last) + 1)}
            case [first] if said.endswith("and later"):
                found |= {each: how for each in schema.revisions() if each >= first}
            case [only]:
                found[only] = how
            case []:
                found["9999" if "later" in said else None] = how
    return found


MATRIX = matrix()
DIRECT = sorted(each for each, how in MATRIX.items() if how == "directly" and each)
REFUSED = {each: how for each, how in MATRIX.items() if how != "directly" and each}


def test_the_matrix_has_every_revision() -> None:
    assert MATRIX.keys() == {None, "9999", *schema.REPLACED, *schema.revisions()}


def migrated(there: Place) -> tuple[int, str]:
    """The exit code of `quadrille migrate`, and what it says."""
    done = CliRunner().invoke(
        main,
        ["migrate", "--data", str(there.settings.data)],
        env={"QUADRILLE_DATABASE_URL": there.settings.database_url},
    )
    return done.exit_code, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "revision",
    [pytest.param(each, marks=pytest.mark.full) for each in DIRECT[1:-1]] + [DIRECT[0], DIRECT[-1]],
)
def test_a_class_is_upgraded_directly_and_its_backup_restored(former: Place, tmp_path: Path, revision: str) -> None:
    engine = former.sessions.kw["bind"]
    begun = rows(former)
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), revision)
    code, said = migrated(former)
    assert code == 0, said
    now = rows(former)
    assert as_formerly(now, begun) == that_stays(begun)
    assert differences(engine) == []
    if revision == schema.newest():
        assert "is at the latest revision" in said
        return
    assert f"from revision {revision} to {schema.newest()}" in said
    (kept,) = (former.settings.data / "backups").iterdir()
    assert verify(kept).revision == revision
    there = place(tmp_path / "there")
    restore(there.settings, kept)
    assert as_formerly(rows(there), begun) == that_stays(begun)


@pytest.mark.both_databases
def test_an_empty_database_is_made_directly(tmp_path: Path, database_url: str) -> None:
    here = place(tmp_path / "here", database_url)
    assert MATRIX[None] == "directly"
    assert migrated(here)[0] == 0
    assert differences(here.sessions.kw["bind"]) == []


def test_others_are_refused_with_the_way_of_the_matrix(small: Place) -> None:
    for revision, how in REFUSED.items():
        run(small, f"UPDATE alembic_version SET version_num = '{revision}'")
        code, said = migrated(small)
        needed = re.findall(r"first by (\d+)", how)
        way = f"use the former one whose newest is {needed[0]}" if needed else "install the later Quadrille"
        assert (code, way in said) == (3, True), (revision, said)
