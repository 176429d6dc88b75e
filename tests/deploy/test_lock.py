"""The lock file names every package that the project asks for."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def names(lines: list[str]) -> set[str]:
    """The packages of requirement lines, spelt alike."""
    found = [re.match(r"[\w.-]+", line) for line in lines if not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}


def test_the_lock_covers_what_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = names([*project["project"]["dependencies"], *project["dependency-groups"]["dev"]])
    locked = names((ROOT / "deploy" / "requirements.lock").read_text().splitlines())
    assert asked - locked == set()
