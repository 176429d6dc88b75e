"""The time to start a player and to call it, beside a bare fork and a bare echo."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Final

from sandbox.api import Fault, Limits, Log, Program, Sandbox, SandboxError, Session
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.backends.trusted import TrustedSandbox
from sandbox.host.interpreter import PACKAGE
from sandbox.host.jail import LAYERS
from tests.bench.figures import Figure, percentile

_STARTS: Final = 200
_CALLS: Final = 4000
_LIMITS: Final = Limits(game_s=3600.0)

_HELPER: Final = '''
def helper_{number}(cards, count):
    """A function of a usual size."""
    chosen = [card for card in cards if card[0] != "K"]
    while len(chosen) > count:
        chosen.pop()
    return {{card: index for index, card in enumerate(chosen)}}
'''
# As long as a real student's player of Bo: about 12 KB.
_PLAYER: Final = (
    "import random\n"
    + "".join(_HELPER.format(number=number) for number in range(45))
    + "def play(hand, stockpiles, discards, builds, log):\n    return (1, (hand[0], 0))\n"
)
_HAND: Final = ["2C", "3D", "KH", "AS", "0C"]
_STOCKPILES: Final = [["4C"], ["5D"], ["6H"], ["7S"]]
_DISCARDS: Final = [[["QC", "JD"], ["2H"], [], ["3S", "9H", "4D"]] for _ in range(4)]
_BUILDS: Final = [["AC", "2D"], ["AH"], [], ["AS", "2S", "3S"]]
_PLAY: Final = (1, ("2C", 0))

_FORKS: Final = """
import gc, os, time
import sandbox.inside.guest
gc.collect(); gc.freeze()
times = []
for _ in range({count}):
    start = time.perf_counter()
    if not (pid := os.fork()):
        os._exit(0)
    os.waitpid(pid, 0)
    times.append(time.perf_counter() - start)
print(*times)
"""


def measure() -> Iterator[Figure]:
    """All figures of the sandbox. Raises SandboxUnavailable where no jail works."""
    fork = 1e3 * percentile(bare_forks(), 50)
    yield Figure("sandbox.fork", fork, "ms")
    with BubblewrapSandbox() as jail:
        yield from _both("sandbox.start", starts(jail), "ms", fork)
        yield Figure("sandbox.start_cold", 1e3 * percentile(cold_starts(jail), 50), "ms", fork)
    with BubblewrapSandbox(layers=LAYERS - {"namespaces"}) as jail:
        yield from _both("sandbox.start_flat", starts(jail), "ms", fork)
    echoes, jailed, trusted = _on_one_core()
    echo = 1e6 * percentile(echoes, 50)
    yield Figure("sandbox.echo", echo, "µs")
    yield from _both("sandbox.call", jailed, "µs", echo)
    yield from _both("sandbox.call_trusted", trusted, "µs", echo)


def _on_one_core() -> tuple[list[float], list[float], list[float]]:
    """Echoes, calls and trusted calls, on one core: a message to another core takes several times as long, and which
    core a process is on would be chance."""
    allowed = os.sched_getaffinity(0)
    run_on({max(allowed)})
    try:
        with BubblewrapSandbox() as jail, TrustedSandbox() as trusted:
            return bare_echoes(), calls(jail), calls(trusted)
    finally:
        run_on(allowed)


def run_on(cores: set[int]) -> None:
    """Confine every thread of this process, and so the jails that any of them starts, to these cores."""
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), cores)


def _both(name: str, times: Sequence[float], unit: str, reference: float) -> Iterator[Figure]:
    scale = {"ms": 1e3, "µs": 1e6}[unit]
    yield Figure(name, scale * percentile(times, 50), unit, reference)
    yield Figure(f"{name}_p95", scale * percentile(times, 95), unit, reference)


def starts(sandbox: Sandbox, count: int = _STARTS) -> list[float]:
    """The seconds from asking for a player until it is loaded; its code is known from an earlier child."""
    _open(sandbox, _PLAYER).close()
    return [_start(sandbox, _PLAYER) for _ in range(count)]


def cold_starts(sandbox: Sandbox, count: int = _STARTS) -> list[float]:
    """The same for files that were never seen before."""
    return [_start(sandbox, f"{_PLAYER}# {number}\n") for number in range(count)]


def _start(sandbox: Sandbox, source: str) -> float:
    start = perf_counter()
    session = _open(sandbox, source)
    taken = perf_counter() - start
    session.close()
    return taken


def _open(sandbox: Sandbox, source: str) -> Session:
    session = sandbox.open(Program(source.encode(), {"play": (5,)}), _LIMITS, 1)
    if isinstance(session, Fault):
        raise SandboxError(f"the benchmark's own player failed: {session.message}")
    return session


def calls(sandbox: Sandbox, count: int = _CALLS) -> list[float]:
    """The seconds of each call with the arguments of a game of Bo; the log of plays grows by one from 60 on."""
    session = _open(sandbox, _PLAYER)
    log = Log([(number % 4, _PLAY) for number in range(60)])
    times = []
    for number in range(count):
        if number % 60 == 0:
            log = Log(log.items[:60])
        log.append((number % 4, _PLAY))
        start = perf_counter()
        session.begin("play", (_HAND, _STOCKPILES, _DISCARDS, _BUILDS, log))
        session.finish()
        times.append(perf_counter() - start)
    session.close()
    return times


def bare_forks(count: int = _STARTS) -> list[float]:
    """The seconds to fork, and to end, a process as large as the fork server."""
    command = [sys.executable, "-c", _FORKS.format(count=count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return [float(taken) for taken in done.stdout.split()]


def bare_echoes(count: int = _CALLS) -> list[float]:
    """The seconds for a message of a call's size to another process and a short one back."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if not (pid := os.fork()):
        ours.close()
        while question := theirs.recv(4096):
            theirs.send(question[:40])
        os._exit(0)
    theirs.close()
    message = bytes(400)
    times = []
    for _ in range(count):
        start = perf_counter()
        ours.send(message)
        ours.recv(4096)
        times.append(perf_counter() - start)
    ours.close()
    os.waitpid(pid, 0)
    return times
