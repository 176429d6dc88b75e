"""The walk-through of `docs/write-a-game.md`: its commands, in their order, and the code that it shows."""

import ast
import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from deploy.settings import load
from tests.deploy.commands import quadrille
from tests.deploy.place import migrated
from tests.games.hearts import COURSE

pytestmark = pytest.mark.slow

TEXT = (Path(__file__).parents[2] / "docs" / "write-a-game.md").read_text()


def blocks(language: str) -> list[str]:
    return [dedent(each) for each in re.findall(rf"^ *```{language}\n(.*?)^ *```$", TEXT, re.MULTILINE | re.DOTALL)]


@pytest.mark.full
def test_the_commands_work_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUADRILLE_DATA", str(tmp_path / "data"))
    migrated(load().database).dispose()
    commands = [line.removeprefix("$ quadrille ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 7
    for command in commands:
        done = quadrille(*shlex.split(command))
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    (name,) = re.findall(r"higher@[0-9a-f]{16}", quadrille("game", "list").stdout)
    played = quadrille("play", "bot:thrifty", "bot:lowest", "--game", name, "--option", "tricks=3", "--games", "20")
    assert (played.returncode, "thrifty" in played.stdout) == (0, True)


def test_the_code_shown_is_that_of_the_games(tmp_path: Path) -> None:
    assert quadrille("game", "new", "higher", str(tmp_path)).returncode == 0
    files = [*tmp_path.glob("*.py"), *(COURSE / "games" / "hearts").glob("*.py"), *COURSE.glob("**/q4/cases.py")]
    modules = [ast.parse(file.read_text("utf-8")) for file in files]
    written = {ast.unparse(without_text(each)) for module in modules for each in module.body}
    for block in blocks("python"):
        for each in ast.parse(block).body:
            assert ast.unparse(each) in written


def without_text(statement: ast.stmt) -> ast.stmt:
    """A function without its docstring."""
    if isinstance(statement, ast.FunctionDef) and ast.get_docstring(statement):
        statement.body = statement.body[1:]
    return statement
