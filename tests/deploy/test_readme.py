"""The README is true: its commands, paths, registries and settings exist."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.cli import COMMANDS, main
from deploy.cli.bracket import command as bracket
from deploy.cli.check import command as check
from deploy.cli.play import command as play
from deploy.cli.replay import command as replay
from deploy.settings import Settings
from deploy.tables import MODULES
from sandbox.api import Limits
from tournament.store.database import Base

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def table(heading: str) -> list[Sequence[str]]:
    """The rows of the first table after a heading."""
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def codes(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


ADDING = table("Where to add things")
PATHS = sorted({code for row in ADDING for cell in row for code in codes(cell) if "/" in code})
REGISTRIES = [(row[2], row[1]) for row in ADDING if row[2] != "–"]


def test_there_are_tables() -> None:
    assert len(ADDING) >= 10
    assert len(PATHS) >= 10


@pytest.mark.parametrize("path", PATHS)
def test_paths_exist(path: str) -> None:
    assert list(ROOT.glob(re.sub(r"<\w+>", "*", path).rstrip("/")))


@pytest.mark.parametrize(("cell", "written"), REGISTRIES)
def test_registries_exist(cell: str, written: str) -> None:
    name, *path = codes(cell)
    (place,) = path or [code for code in codes(written) if code.endswith(".py")]
    found = list(ROOT.glob(re.sub(r"<\w+>", "*", place)))
    assert found
    for file in found:
        assert re.search(rf"^(class )?{name}\b.*[:=(]", file.read_text(), re.MULTILINE), file


def test_every_table_is_where_a_column_is_added() -> None:
    (row,) = (row for row in ADDING if row[0] == "a column")
    named = {
        str(path.with_suffix("")).replace("/", ".")
        for code in codes(row[1])
        if "/" in code
        for path in (file.relative_to(ROOT) for file in ROOT.glob(re.sub(r"<\w+>", "*", code)))
    }
    strays = {
        f"{each.class_.__module__}.{each.class_.__name__}"
        for each in Base.registry.mappers
        if each.class_.__module__ not in named
    }
    assert strays == set(), "move these tables to a file that the row “a column” of the README names"
    assert {module.__name__ for module in MODULES} <= {name.removesuffix(".__init__") for name in named}


def test_folders_exist() -> None:
    assert [row[0] for row in table("Where things live") if not (ROOT / row[0].strip("`")).is_dir()] == []


def test_make_targets_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)", README.replace("`make lint` holds", "")))
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    assert {"serve", "test", "help"} <= named <= targets


def test_commands_and_their_options_exist() -> None:
    named = set(re.findall(r"\bquadrille ([a-z]+)\b", README))
    assert named <= set(COMMANDS) == set(main.list_commands(None))  # type: ignore[arg-type]
    known = {option for command in (check, play, bracket, replay) for each in command.params for option in each.opts}
    shown = "\n".join(re.findall(r"\$ quadrille .*", README))
    assert set(re.findall(r" (--[a-z]+)", shown)) <= known


def test_settings_are_the_settings() -> None:
    named = {code.removeprefix("QUADRILLE_").lower() for row in table("Settings") for code in codes(row[0])}
    nested = {name.removeprefix("limits__") for name in named if name.startswith("limits__")}
    assert named - {f"limits__{name}" for name in nested} == set(Settings.model_fields) - {"limits"}
    assert nested == set(Limits.__dataclass_fields__)
