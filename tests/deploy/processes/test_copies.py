"""Copies of a process, made and supervised by a process of their own: this one has threads."""

import asyncio
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.processes.copies import POSSIBLE
from tests.deploy.processes.test_supervisor import alive, until

pytestmark = [pytest.mark.full, pytest.mark.skipif(not POSSIBLE, reason="elsewhere `serve` starts programs")]

SUPERVISOR = """
import asyncio, os, random, signal, socket, sys, time
from contextlib import suppress
from deploy.processes.copies import waiting
from deploy.processes.supervisor import PARENT, die_with_supervisor, supervise

def run():
{run}

PROGRAM = "print('a program'); import time; time.sleep(60)"
programs = {{name: (sys.executable, "-u", "-c", PROGRAM) for name in {names!r}}}
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
own = socket.create_server(("127.0.0.1", 0)), open("/dev/zero")
given = {{"GIVEN": "alone", PARENT: str(os.getpid())}}
with suppress(KeyboardInterrupt), waiting(
    lambda _: run(), {{name: ("quadrille", "worker") for name in programs}}, given
) as begin:
    {before}
    asyncio.run(supervise(programs, os.environ, lambda *line: print(*line, flush=True), running=begin()))
"""


@contextmanager
def supervised(run: str, names: str = "a", before: str = "") -> Iterator["subprocess.Popen[str]"]:
    """A process that supervises copies of itself, with these names of a letter each, which run this code; `before` is
    what it does before they begin."""
    script = SUPERVISOR.format(run=textwrap.indent(textwrap.dedent(run), "    "), names=names, before=before)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as supervisor:
        try:
            yield supervisor
        finally:
            supervisor.send_signal(signal.SIGINT)


def lines(supervisor: "subprocess.Popen[str]", number: int) -> list[str]:
    """The next lines of its log."""
    assert supervisor.stdout is not None
    return [supervisor.stdout.readline().rstrip() for _ in range(number)]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("print('here')", ["here", "ended with exit code 0; starts again in 0.5 s"]),
        ("sys.exit(3)", ["ended with exit code 3; starts again in 0.5 s"]),
        ("sys.exit('no')", ["ended with exit code 1; starts again in 0.5 s"]),
        ("os.kill(os.getpid(), signal.SIGKILL)", ["ended by SIGKILL; starts again in 0.5 s"]),
    ],
)
def test_a_copy_that_ends_is_followed_by_a_program(run: str, said: list[str]) -> None:
    with supervised(run) as supervisor:
        assert lines(supervisor, len(said) + 1) == [f"a {each}" for each in (*said, "a program")]


def test_an_error_is_told_as_by_a_program() -> None:
    with supervised("raise ValueError('wrong')") as supervisor:
        assert lines(supervisor, 1) == ["a Traceback (most recent call last):"]
        until_end = iter(lambda: lines(supervisor, 1)[0], "a ended with exit code 1; starts again in 0.5 s")
        assert list(until_end)[-1] == "a ValueError: wrong"


def test_copies_share_no_descriptor_and_no_random_numbers() -> None:
    told = """
        print([n for n in range(3, 100) if os.path.exists(f"/proc/self/fd/{n}")], random.random())
        time.sleep(60)
    """
    with supervised(told, names="ab") as supervisor:
        (*_, first), (*_, second) = said = [line.split() for line in lines(supervisor, 2)]
    assert [words[1] for words in said] == ["[]", "[]"]
    assert first != second


def test_a_copy_looks_like_the_program_and_has_its_environment() -> None:
    told = """
        print(open("/proc/self/cmdline").read().rstrip(chr(0)).split(chr(0)))
        print([each for each in open("/proc/self/environ").read().split(chr(0)) if each.startswith("GIVEN")])
        print(sorted(os.environ))
        time.sleep(60)
    """
    with supervised(told) as supervisor:
        assert lines(supervisor, 3) == [
            "a ['quadrille', 'worker']",
            "a ['GIVEN=alone']",
            "a ['GIVEN', 'QUADRILLE_SUPERVISOR']",
        ]


WAITING = "die_with_supervisor(); print(os.getpid()); time.sleep(60)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_copies_end_with_their_supervisor(number: signal.Signals) -> None:
    with supervised(WAITING, names="ab") as supervisor:
        copies = [int(line.split()[1]) for line in lines(supervisor, 2)]
        supervisor.send_signal(number)
    asyncio.run(until(lambda: not any(alive(pid) for pid in copies)))


@pytest.mark.parametrize("end", ["sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_copies_that_have_not_begun_do_nothing_and_end_with_their_parent(end: str) -> None:
    children = "print(*os.popen(f'pgrep -P {os.getpid()}').read().split(), flush=True)"
    with supervised("print('begun')", names="ab", before=f"{children}; {end}") as parent:
        copies = [int(pid) for pid in lines(parent, 1)[0].split()]
        assert lines(parent, 1) == [""]
    asyncio.run(until(lambda: not any(alive(pid) for pid in copies)))


IMPORTED = """
import os, threading
before = os.listdir("/proc/self/fd")
import deploy.cli.installation.serve
print(threading.active_count(), os.listdir("/proc/self/fd") == before)
"""


def test_what_serve_imports_starts_no_thread_and_opens_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True)
    assert done.stdout.split() == ["1", "True"], done.stderr
