"""The supervisor, with real processes."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from deploy.processes.supervisor import describe, supervise

Lines = list[tuple[str, str]]


def python(name: str, code: str) -> dict[str, tuple[str, ...]]:
    return {name: (sys.executable, "-u", "-c", textwrap.dedent(code))}


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.02)


def run_until(programs: dict[str, tuple[str, ...]], enough: Callable[[Lines], bool], grace_s: float = 120.0) -> Lines:
    """Supervise until the log has enough, then stop; the log."""
    lines: Lines = []

    async def run() -> None:
        task = asyncio.create_task(supervise(programs, os.environ, lambda *line: lines.append(line), grace_s))
        await until(lambda: enough(lines))
        task.cancel()
        await task

    asyncio.run(run())
    return lines


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(lines: Lines) -> list[int]:
    return [int(text) for _, text in lines if text.isdigit()]


def test_lines_carry_the_programs_name() -> None:
    lines = run_until(python("a", "print('one')\nimport time; time.sleep(60)"), lambda lines: bool(lines))
    assert lines == [("a", "one")]


def test_last_words_are_heard() -> None:
    code = """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(print("good", "bye", sep="\\n")))
        print("here")
        time.sleep(60)
    """
    assert run_until(python("a", code), bool) == [("a", "here"), ("a", "good"), ("a", "bye")]


def test_what_dies_starts_again() -> None:
    lines = run_until(python("a", "print('hello'); exit(3)"), lambda lines: lines.count(("a", "hello")) == 2)
    assert ("a", "ended with exit code 3; starts again in 0.5 s") in lines


def test_what_is_killed_starts_again() -> None:
    code = "import os, signal\nprint('up')\nos.kill(os.getpid(), signal.SIGKILL)"
    lines = run_until(python("a", code), lambda lines: lines.count(("a", "up")) == 2)
    assert ("a", "ended by SIGKILL; starts again in 0.5 s") in lines


STUBBORN = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
    print(os.getpid())
    print(child.pid)
    time.sleep(60)
"""


def test_stopping_leaves_nothing_not_even_what_ignores_being_asked() -> None:
    lines = run_until(python("a", STUBBORN) | python("b", STUBBORN), lambda lines: len(pids(lines)) == 4, grace_s=0.5)
    asyncio.run(until(lambda: not any(alive(pid) for pid in pids(lines))))


CHILD = (
    "from deploy.processes.supervisor import die_with_supervisor as d; d();"
    " import os, time; print(os.getpid()); time.sleep(60)"
)
SUPERVISOR = f"""
import asyncio, os, sys
from deploy.processes.supervisor import supervise
command = sys.executable, "-u", "-c", {CHILD!r}
asyncio.run(supervise({{"child": command}}, os.environ, lambda name, line: print(line, flush=True)))
"""


def test_a_killed_supervisor_takes_its_programs_along() -> None:
    with subprocess.Popen([sys.executable, "-c", SUPERVISOR], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        child = int(supervisor.stdout.readline())
        supervisor.send_signal(signal.SIGKILL)
    asyncio.run(until(lambda: not alive(child)))


def test_ends_are_described() -> None:
    assert [describe(0), describe(-15)] == ["with exit code 0", "by SIGTERM"]
