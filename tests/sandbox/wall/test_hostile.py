"""Every hostile player gets the verdict of its first line, as root and as an ordinary user."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import re2

from sandbox.backends.bubblewrap import BubblewrapSandbox
from tests.sandbox.wall.suite import Case, Outcome, Table, cases, run_all

ROOT = Path(__file__).parents[3]
SYSTEM_PYTHON = "/usr/bin/python3"
WITH_PACKAGES = ("env", f"PYTHONPATH={Path(re2.__file__).parents[1]}")
"""How a command begins whose Python, not that of the virtual environment, needs the packages that are there."""


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with BubblewrapSandbox() as sandbox, closing(Table(sandbox)) as opened:
        yield opened


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return run_all(BubblewrapSandbox)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_hostile_player(table: Table, outcomes: dict[str, Outcome], case: Case) -> None:
    if not case.applies(table.sandbox):
        pytest.skip(f"only {case.only}")
    assert outcomes[case.name].is_as_expected(case), outcomes[case.name]


def needs_another_user(groups: str = "") -> list[str]:
    """The beginning of a command line that is run by an ordinary user. Skips the test if that is what runs it."""
    if os.geteuid() != 0:
        pytest.skip("what this tests has already been tested as an ordinary user")
    version = subprocess.run(
        [SYSTEM_PYTHON, "-c", f"import sys; print(sys.version_info[:2] == {sys.version_info[:2]})"], capture_output=True
    )
    if version.stdout.strip() != b"True" or not shutil.which("setpriv"):
        assert not os.environ.get("CI"), "CI needs setpriv and a system Python of the same version"
        pytest.skip("needs setpriv and a system Python of the same version")
    user = ["setpriv", "--reuid=65534", "--regid=65534", f"--groups={groups}" if groups else "--clear-groups"]
    return [*user, *WITH_PACKAGES]


@pytest.mark.full
def test_the_whole_suite_as_an_ordinary_user() -> None:
    command = [*needs_another_user(), SYSTEM_PYTHON, "-B", "-m", "tests.sandbox.wall.suite", SYSTEM_PYTHON]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 100


def test_the_suite_has_every_row_of_verdicts() -> None:
    rows = {case.verdict for case in cases()}
    assert rows >= {"SYNTAX", "RTE", "TLE", "WTLE", "MISSING", "MLE", "EXIT", "BLOCKED", "MALFORMED", "ILLEGAL", "OLE"}
    assert "survives" in rows


SLIPS_CODE = b"""
import marshal, os, sys
frame = sys._getframe()
while "self" not in frame.f_locals:
    frame = frame.f_back
other = compile("def play(hand): return 'another program'", "player.py", "exec")
if os.getpid():
    os.write(3, b"C" + frame.f_locals["self"].nonce + marshal.dumps((other, {})))
def play(hand): return hand[0]
"""


def test_no_code_can_be_slipped_into_the_cache(table: Table) -> None:
    case = Case("slips_code", "MALFORMED", SLIPS_CODE)
    for _ in range(3):
        outcome = table.run(case)
        assert outcome.is_as_expected(case), outcome
