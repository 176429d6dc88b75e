"""Format, style, types and the direction of imports: what `make lint` checks, beside the other tests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECIPE = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
COMMANDS = re.findall(r"\$\(BIN\)/(.+)", RECIPE[1]) if RECIPE else []


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_it_finds_nothing(command: str) -> None:
    program, *arguments = command.split()
    tool = str(Path(sys.executable).with_name(program))
    done = subprocess.run([tool, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        pytest.fail(f"`{command}` finds something to change; `make fix` formats:\n{done.stdout}", pytrace=False)
