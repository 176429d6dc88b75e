"""What commands owe the terminal and the shell: exit codes, no traceback, files that end."""

import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.deploy.commands import COMMAND, process, quadrille
from tests.services import PATIENCE_S

pytestmark = pytest.mark.full

HOUSE = ("bot:builder", "bot:planner", "bot:stockpile_first", "bot:builder")


@pytest.mark.parametrize("command", [("uno",), ("play", *HOUSE, "--game", "bo", "--games", "99999", "--json")])
def test_ctrl_c_ends_with_130_and_without_a_traceback(command: tuple[str, ...]) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
    running = subprocess.Popen([*COMMAND, *command], text=True, preexec_fn=heard, **pipes)
    assert running.stdout
    assert running.stdout.read(1), "it is at work"
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, said) == (130, "\nInterrupted.\n")


@pytest.mark.parametrize(
    ("command", "unbuffered"), [("--version", ""), ("play --help", "1"), (f"play {' '.join(HOUSE)} --game bo", "")]
)
def test_output_that_cannot_be_written_is_said_in_a_line(command: str, unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 3
    assert done.stderr == "quadrille: the output cannot be written: No space left on device\n"


def test_a_terminal_that_lacks_characters_gets_them_escaped() -> None:
    latin = {"PYTHONIOENCODING": "latin-1"}
    assert "separated by spaces (R6 GD WC \\u2026)" in process("uno", "--help", env=latin).stdout
    done = process("check", "\N{RIGHTWARDS ARROW}", "--game", "bo", env=latin)
    assert (done.returncode, done.stderr) == (2, "quadrille: \\u2192: No such file or directory\n")


@pytest.fixture
def endless(tmp_path: Path) -> list[str]:
    """Files that have no end."""
    os.mkfifo(tmp_path / "fifo")
    return [str(tmp_path / "fifo"), "/dev/zero"]


@pytest.mark.parametrize(
    "command",
    [
        "check {} --game bo",
        "play {} bot:planner bot:planner bot:planner --game bo",
        "compare {} {} --game bo",
        "bracket {} bot:planner --game kotc",
        "replay {}",
        "uno --deal {}",
        "verify {}",
        "restore {}",
        "course add comp10001 {}",
        "final freeze comp10001/bo --marks {}",
    ],
)
def test_a_file_without_an_end_is_refused(command: str, endless: list[str]) -> None:
    for name in endless:
        done = quadrille(*command.replace("{}", name).split())
        assert (done.returncode, done.stderr) == (
            2,
            f"quadrille: {name}: not a regular file but a pipe, a socket or a device\n",
        )


def test_standard_input_may_be_a_pipe() -> None:
    record = quadrille("play", *HOUSE, "--game", "bo", "--games", "1", "--json").stdout
    for name in ("-", "/dev/stdin"):
        assert quadrille("replay", name, stdin=record).returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "runner --memory -1",
        "runner --memory 99999999999",
        "runner --jails 0",
        "play bot:planner --game bo --games 99999999999",
        "compare a b --game bo --games 99999999999",
        "rerate --tournament -1",
    ],
)
def test_an_option_that_no_machine_has_is_refused(command: str) -> None:
    done = quadrille(*command.split())
    assert done.returncode == 2
    assert f"Invalid value for '{command.split()[-2]}'" in done.stderr
