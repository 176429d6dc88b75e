"""Our own failures are raised, never charged to a player, and the next game works again."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.api import Fault, Limits, Program, SandboxError, SandboxUnavailable, Session, Value, call
from sandbox.backends import BACKENDS
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.choose import open_sandbox
from sandbox.host import seccomp
from tests.sandbox.processes import below
from tests.services import PATIENCE_S

LIMITS = Limits(load_s=1.0, call_s=60.0, game_s=60.0)
LONG = 60.0  # no call lasts so long here: something ends it
ROOT = Path(__file__).parents[3]
ECHO = Program(b"import time\ndef f(x):\n  time.sleep(x)\n  return x", {"f": (1,)})


@pytest.fixture
def sandbox() -> Iterator[BubblewrapSandbox]:
    with BubblewrapSandbox() as opened:
        yield opened


def opened(sandbox: BubblewrapSandbox) -> Session:
    session = sandbox.open(ECHO, LIMITS, 1)
    assert not isinstance(session, Fault)
    return session


def test_a_jail_that_dies_during_a_call_is_our_fault_and_is_replaced(sandbox: BubblewrapSandbox) -> None:
    session = opened(sandbox)
    session.begin("f", (LONG,))
    sandbox.jail.holder.kill()
    with pytest.raises(SandboxError):
        session.finish()
    session.close()
    again = opened(sandbox)
    assert isinstance(call(again, "f", (0,)), Value)
    again.close()


def test_a_jail_that_dies_between_games_is_replaced(sandbox: BubblewrapSandbox) -> None:
    inside = [*below(sandbox.jail.holder.pid)]  # type: ignore[attr-defined]
    sandbox.jail.holder.kill()
    wait_until_gone(inside)
    with pytest.raises(SandboxError):
        opened(sandbox)
    opened(sandbox).close()


def test_a_player_killed_from_outside_is_not_charged(sandbox: BubblewrapSandbox) -> None:
    session = opened(sandbox)
    session.begin("f", (LONG,))
    os.kill(session.process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    with pytest.raises(SandboxError, match="outside the sandbox"):
        session.finish()
    session.close()


def test_how_a_player_died_is_known_though_it_takes_its_time(
    sandbox: BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.host.player_process._DEATH_S", 0.0)
    for number in range(10):
        source = f"import os\ndef f(x): os._exit({number + 1})".encode()
        session = sandbox.open(Program(source, {"f": (1,)}), LIMITS, number)
        assert not isinstance(session, Fault)
        fault = call(session, "f", (1,))
        assert isinstance(fault, Fault)
        assert f"exit status {number + 1}" in fault.message
        session.close()


def test_closing_a_jail_with_players_in_it_leaves_nothing(sandbox: BubblewrapSandbox) -> None:
    sessions = [opened(sandbox) for _ in range(4)]
    pids = [session.process.pid for session in sessions]  # type: ignore[attr-defined]
    sandbox.close()
    for session in sessions:
        session.close()
    wait_until_gone(pids)


def test_a_player_in_the_middle_of_a_call_ends_when_it_is_dismissed(sandbox: BubblewrapSandbox) -> None:
    session = opened(sandbox)
    session.begin("f", (LONG,))
    session.close()
    wait_until_gone([session.process.pid])  # type: ignore[attr-defined]


def wait_until_gone(pids: list[int]) -> None:
    end = time.monotonic() + PATIENCE_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end, f"still there: {pids}"
        time.sleep(0.01)


def test_no_descriptor_and_no_process_is_left_after_many_games(sandbox: BubblewrapSandbox) -> None:
    opened(sandbox).close()
    before = len(os.listdir("/proc/self/fd"))
    pids = []
    for number in range(60):
        source = b"def f(x): return x" if number % 3 else b"import os\ndef f(x): os._exit(1)" if number % 2 else b"1/0"
        session = sandbox.open(Program(source, {"f": (1,)}), LIMITS, number)
        if not isinstance(session, Fault):
            pids.append(session.process.pid)  # type: ignore[attr-defined]
            call(session, "f", (1,))
            session.close()
    opened(sandbox).close()
    wait_until_gone(pids)
    assert len(os.listdir("/proc/self/fd")) <= before + 3 * 5  # of spare children


WORKER = """
import sys
from sandbox.api import Limits, Program
from sandbox.backends.bubblewrap import BubblewrapSandbox
sandbox = BubblewrapSandbox()
limits = Limits(call_s=60.0, game_s=60.0)
sessions = [sandbox.open(Program(b"def f():\\n  while True: pass", {"f": (0,)}), limits, 1) for _ in range(2)]
for session in sessions:
    session.begin("f", ())
print(sandbox.jail.holder.pid, *[session.process.pid for session in sessions], flush=True)
sessions[0].finish()
"""


def test_nothing_survives_a_worker_that_is_killed() -> None:
    worker = subprocess.Popen([sys.executable, "-c", WORKER], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert worker.stdout
    pids = [int(pid) for pid in worker.stdout.readline().split()]
    assert len(pids) == 3
    worker.kill()
    worker.wait()
    wait_until_gone(pids)
    worker.stdout.close()


def test_a_jail_outlives_the_thread_that_opened_it() -> None:
    made: list[BubblewrapSandbox] = []
    thread = threading.Thread(target=lambda: made.append(BubblewrapSandbox()))
    thread.start()
    thread.join()
    time.sleep(0.05)
    with made[0] as sandbox:
        opened(sandbox).close()


def test_a_jail_can_be_opened_after_a_fork() -> None:
    BubblewrapSandbox().close()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            with BubblewrapSandbox() as sandbox:
                opened(sandbox).close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0


def test_without_bubblewrap_students_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(SandboxUnavailable, match=r"no student code is run.*apt-get install bubblewrap"):
        open_sandbox()


def test_trusted_is_only_ever_chosen_by_name() -> None:
    assert "trusted" in BACKENDS
    with open_sandbox("auto") as sandbox:
        assert sandbox.name != "trusted"
    with open_sandbox("trusted") as sandbox:
        assert sandbox.name == "trusted"
    with pytest.raises(SandboxUnavailable, match="no sandbox 'nope'"):
        open_sandbox("nope")


def test_a_jail_of_another_process_is_left_alone(sandbox: BubblewrapSandbox) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            opened(sandbox)
        except SandboxError:
            sandbox.close()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    opened(sandbox).close()


def test_a_player_finds_no_descriptor_of_ours_however_many_are_open() -> None:
    source = b"""
import os
def there(number):
    try:
        return [os.get_inheritable(number)]
    except OSError:
        return []
def f(x):
    return [number for number in range(3, 2000) if there(number)]
"""
    ours = [os.open(os.devnull, os.O_RDONLY) for _ in range(600)]
    try:
        with BubblewrapSandbox() as sandbox:
            session = sandbox.open(Program(source, {"f": (1,)}), LIMITS, 1)
            assert not isinstance(session, Fault)
            reply = call(session, "f", (1,))
            assert isinstance(reply, Value)
            assert reply.data == [3]
            session.close()
    finally:
        for descriptor in ours:
            os.close(descriptor)


def test_sleeping_between_questions_is_waiting_too(sandbox: BubblewrapSandbox) -> None:
    source = b"import _quadrille, time\ndef f():\n  while True:\n    _quadrille.ask('x')\n    time.sleep(.02)"
    session = sandbox.open(Program(source, {"f": (0,)}), Limits(call_s=0.2, wall_factor=2), 1)
    assert not isinstance(session, Fault)
    fault = call(session, "f", (), lambda name, args: None)
    assert isinstance(fault, Fault)
    assert fault.verdict == "WTLE"
    session.close()


def test_a_child_that_cannot_be_locked_down_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    of_fork_server, _ = seccomp.programs()
    monkeypatch.setattr("sandbox.host.seccomp.programs", lambda: (of_fork_server, bytes(8)))
    with BubblewrapSandbox() as sandbox:
        for _ in range(3):
            with pytest.raises(SandboxError, match=r"could not be locked down.*Invalid argument"):
                opened(sandbox)


def test_a_spare_child_that_has_died_is_our_fault(sandbox: BubblewrapSandbox) -> None:
    opened(sandbox).close()
    [pool] = sandbox.jail._pools.values()
    os.kill(pool.spares[0].pid, signal.SIGKILL)
    with pytest.raises(SandboxError):
        opened(sandbox)
    opened(sandbox).close()
