"""The process that watches another one, with real processes. `lost` is what it is told at the end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from tests.services import PATIENCE_S

pytestmark = pytest.mark.full

BEGIN = """
import os, re, signal, sys, time
from deploy.processes import watch
from sandbox import signs
signs.PATIENCE_S, signs.EVERY_S, watch.LAST_WORDS_S, watch.TICK_S = 1.5, 0.1, 0.5, 0.1
watch.watch(lambda pid, hung: print("lost", hung, flush=True))
print(os.getpid(), flush=True)
"""
HOLDS_THE_INTERPRETER = "re.match('(a|a)*b', 'a' * 60)"
HANGS = f"with signs.working(): {HOLDS_THE_INTERPRETER}"


@contextmanager
def watched(body: str) -> Iterator["subprocess.Popen[str]"]:
    """Such a process; its first line is the number of the one that is watched."""
    command = (sys.executable, "-c", BEGIN + body)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def told(process: "subprocess.Popen[str]") -> tuple[list[str], int]:
    output, _ = process.communicate(timeout=PATIENCE_S)
    return output.split("\n")[:-1], process.returncode


def child(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int) -> bool:
    for _ in range(int(PATIENCE_S / 0.05)):
        if not lives(pid):
            return True
        sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("body", "lost", "code"),
    [
        (HANGS, ["lost True"], 128 + signal.SIGKILL),
        ("with signs.working(): time.sleep(999)", ["lost False"], 128 + signal.SIGKILL),
        ("with signs.working(): os.kill(os.getpid(), signal.SIGSTOP)", ["lost False"], 128 + signal.SIGKILL),
        ("os.kill(os.getpid(), signal.SIGSEGV)", ["lost False"], 128 + signal.SIGSEGV),
        ("sys.exit(3)", ["lost False"], 3),
        ("time.sleep(3)", [], 0),
        ("with signs.working():\n for _ in range(30): time.sleep(0.1); signs.give()", [], 0),
        ("with signs.working(): pass\ntime.sleep(3)", [], 0),
    ],
    ids=["computes", "sleeps", "is stopped", "crashes", "fails", "rests", "gives signs", "rests after work"],
)
def test_only_what_works_and_gives_no_sign_is_ended(body: str, lost: list[str], code: int) -> None:
    with watched(body) as process:
        assert told(process)[0][1:] == lost
        assert process.returncode == code


def test_signs_of_another_thread_do_not_count() -> None:
    speaks = "import threading\ndef speak():\n while True: signs.give(); time.sleep(0.1)\n"
    with watched(
        f"{speaks}threading.Thread(target=speak, daemon=True).start()\nwith signs.working(): time.sleep(999)"
    ) as p:
        assert told(p)[0][1:] == ["lost False"]


def test_signs_of_a_thread_that_joined_in_count() -> None:
    speaks = "import threading\ndef speak():\n signs.join_in()\n while True: signs.give(); time.sleep(0.1)\n"
    with watched(
        f"{speaks}threading.Thread(target=speak, daemon=True).start()\nwith signs.working(): time.sleep(4)"
    ) as p:
        lines, code = told(p)
        assert (lines[1:], code) == ([], 0)


def test_a_pause_of_both_is_no_silence() -> None:
    """As of a machine that sleeps, or of a container that is frozen."""
    with watched("with signs.working():\n for _ in range(30): time.sleep(0.1); signs.give()") as process:
        both = process.pid, child(process)
        for pid in both:
            os.kill(pid, signal.SIGSTOP)
        sleep(3)
        for pid in both:
            os.kill(pid, signal.SIGCONT)
        assert told(process) == ([], 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("body", ["time.sleep(999)", HANGS], ids=["rests", "hangs"])
def test_what_is_asked_to_end_ends_even_if_it_hangs(number: signal.Signals, body: str) -> None:
    with watched(body) as process:
        pid = child(process)
        process.send_signal(number)
        assert told(process)[0] == ["lost False"]
        assert not lives(pid)


def test_a_watch_that_is_killed_takes_what_it_watches_along() -> None:
    with watched(HANGS) as process:
        pid = child(process)
        process.kill()
        assert ended(pid)
