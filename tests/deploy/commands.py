"""Quadrille's commands, as users run them: in a process of their own, or in this one, which is quicker."""

import os
import subprocess
import sys
from collections.abc import Mapping
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner

from deploy.cli import main
from deploy.cli.players import check
from tests.papers import thinned

COMMAND = (sys.executable, "-m", "deploy.cli")


def process(*arguments: str, stdin: str = "", env: Mapping[str, str] | None = None) -> CompletedProcess[str]:
    """What a command does in a process of its own."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, env=environment)


def quadrille(*arguments: str, stdin: str = "") -> CompletedProcess[str]:
    """What a command does here."""
    done = CliRunner().invoke(main, arguments, input=stdin)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers with a few hidden cases: to make and grade all of them takes ten times as long."""
    monkeypatch.setattr(check, "make_paper", lambda definition, sandbox: thinned(definition.game, 20))
