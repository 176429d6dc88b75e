"""A fresh player hears the same whatever others did: as root, as an ordinary user (in Docker: `test_docker.py`)."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.api import Limits, Program
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host import interpreter, seccomp
from sandbox.host.jail import LAYERS
from sandbox.host.jailed_sandbox import on_demand
from tests.sandbox.wall.questions import CALLS, LOAD, LOOKS, TIME
from tests.sandbox.wall.sameness import answers, differences, make_noise, report
from tests.sandbox.wall.test_hostile import ROOT, SYSTEM_PYTHON, needs_another_user

OF_ANOTHER_PROCESSOR = {"open", "stat", "lstat", "access", "readlink", "poll", "select", "time"}  # not aarch64's


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_every_system_call_that_the_filter_allows_is_in_the_table(machine: str) -> None:
    allowed = seccomp.allowed(machine)
    assert allowed - CALLS.keys() == set()
    assert CALLS.keys() - allowed - (OF_ANOTHER_PROCESSOR if machine != "x86_64" else set()) == set()


def test_only_time_and_load_may_make_a_difference() -> None:
    assert {ask.differs for ask in {**CALLS, **LOOKS}.values()} == {"", TIME, LOAD}
    assert {name for name, ask in CALLS.items() if ask.differs} == {
        "clock_gettime",
        "gettimeofday",
        "sched_getaffinity",
        "time",
        "times",
    }


@pytest.mark.parametrize("imports", ["", "re, statistics"])
def test_a_fresh_player_hears_the_same_whatever_others_did(imports: str) -> None:
    with BubblewrapSandbox() as sandbox:
        assert [*report(differences(sandbox, imports))] == []


@pytest.mark.full
def test_and_as_an_ordinary_user() -> None:
    command = [*needs_another_user(), SYSTEM_PYTHON, "-B", "-m", "tests.sandbox.wall.sameness", SYSTEM_PYTHON]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_the_filter_counters_tell_of_others() -> None:
    with BubblewrapSandbox(layers=LAYERS - {"seccomp"}) as sandbox:
        assert differences(sandbox).keys() >= {"fstat", "newfstatat", "statx", "descriptors", "sockets", "usage"}


def test_without_templates_of_their_own_players_see_what_others_import(monkeypatch: pytest.MonkeyPatch) -> None:
    named: set[str] = set()

    def by_anybody(source: bytes) -> frozenset[str]:
        named.update(on_demand(source))
        return frozenset(named)

    monkeypatch.setattr("sandbox.host.jailed_sandbox.on_demand", by_anybody)
    with BubblewrapSandbox() as sandbox:
        before = answers(sandbox)
        make_noise(sandbox, "statistics", "")
        sandbox._prepare.cache_clear()
        after = answers(sandbox)
    different = {name for name in before if before[name] != after[name]}
    assert different >= {"modules", "memory left", "addresses"}


RSEQ = 32  # bytes, in which the kernel says on which core a process is


def test_fresh_players_have_the_same_memory_byte_for_byte() -> None:
    if os.geteuid() != 0:
        assert not os.environ.get("CI"), "CI runs as root"
        pytest.skip("only root may look into players")
    with BubblewrapSandbox() as sandbox:
        sandbox.open(Program(b"", {}), Limits(), 1).close()  # type: ignore[union-attr]
        [pool] = sandbox.jail._pools.values()
        before = image(wait_until_waiting(pool.spares[-1].pid))
        for how in ("", "exit", "crash"):
            make_noise(sandbox, "", how)
            make_noise(sandbox, "csv", how)
        sandbox.open(Program(b"", {}), Limits(), 1).close()  # type: ignore[union-attr]
        [pool] = [pool for terms, pool in sandbox.jail._pools.items() if terms.memory == Limits().memory]
        after = image(wait_until_waiting(pool.spares[-1].pid))
    assert before.keys() == after.keys()
    different = [place for at in before for place in words(at, before[at], after[at])]
    assert len(different) <= RSEQ // 8, [hex(place) for place in different]
    assert not different or different[-1] - different[0] < RSEQ
    told = [old for old, _ in interpreter.find().renamed]
    assert [hex(at) for at in after for old in told if old in after[at]] == []


def wait_until_waiting(pid: int) -> int:
    """Until a child that was just made is locked down and waits."""
    while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "S":
        time.sleep(0.001)
    return pid


def image(pid: int) -> dict[int, bytes]:
    """What is in a process's memory, by address."""
    found = {}
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        place, rights, *_, name = line.split()
        start, end = (int(part, 16) for part in place.split("-"))
        if "w" in rights and not name.startswith("[v"):
            found[start] = os.pread(memory, end - start, start)
    os.close(memory)
    return found


def words(at: int, before: bytes, after: bytes) -> Iterator[int]:
    """The addresses at which two contents differ."""
    if before != after:
        for place in range(0, max(len(before), len(after)), 8):
            if before[place : place + 8] != after[place : place + 8]:
                yield at + place
