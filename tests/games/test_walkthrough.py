"""The walk-through of `docs/write-a-game.md`, followed to the letter in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COPIED = ("deploy", "grader", "sandbox", "tournament", "web", "tests/games", "pyproject.toml")
FILE = re.compile(r"^`(higher/\S+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def copy_project(folder: Path) -> None:
    for name in COPIED:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def add_game(games: Path) -> None:
    text = (ROOT / "docs" / "write-a-game.md").read_text()
    written = FILE.findall(text)
    assert len(written) == 11
    for name, content in written:
        path = games / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    registry = games / "__init__.py"
    (line,) = LINE.findall(text)
    before = registry.read_text()
    after = before.replace(" bo, go,", " bo, go, higher,").replace('    "uno": uno,\n', f'    "uno": uno,\n{line}')
    assert after.count("\n") == before.count("\n") + 1
    registry.write_text(after)


def run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_sixth_game_touches_one_folder_and_one_line(tmp_path: Path) -> None:
    copy_project(tmp_path)
    add_game(tmp_path / "tournament" / "games")
    run(tmp_path, "tournament.play.golden", "higher")
    tests = ("tests/games/test_conformance.py", "tests/games/test_files.py")
    said = run(tmp_path, "pytest", "-p", "no:cacheprovider", "-k", "higher", *tests)
    passed = re.search(r"(\d+) passed", said)
    assert passed
    assert int(passed[1]) >= 15
    assert "failed" not in said
    played = run(tmp_path, "deploy.cli", "play", "bot:highest", "bot:lowest", "--game", "higher", "--games", "20")
    assert "highest" in played.lower()
