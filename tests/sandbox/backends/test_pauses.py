"""No pause is charged to a player, whoever was paused; and no player makes the machine look too busy to judge it."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from threading import Timer

import pytest

from sandbox.api import Fault, Limits, Program, SandboxError, Session, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.inside.proc import UNBORN, Clocks, Scheduling, compelled_s, held_up_s
from tests.sandbox.pausing import PAUSED_S, WHO, pause, paused
from tests.sandbox.processes import below

WORKER = """
import sys
from sandbox.api import Fault, Limits, Program, call
from sandbox.choose import open_sandbox

SOURCE = b"import time\\ntime.sleep({})\\ndef f():\\n  time.sleep(.1)\\n  return 1"
SHORT, LONG = 0.1, 5.0  # before the wall factor of 3
LIMITS = {
    "load": Limits(SHORT, LONG, LONG), "call": Limits(LONG, SHORT, LONG), "game": Limits(LONG, LONG, SHORT)
}
who, backend = sys.argv[1:]

def outcome(sandbox, phase):
    pause = lambda: print("pause", who, getattr(sandbox, "jail", None) and sandbox.jail.holder.pid, flush=True)
    if phase == "load":
        pause()
    program = Program(SOURCE.replace(b"{}", b".1" if phase == "load" else b"0"), {"f": (0,)})
    session = sandbox.open(program, LIMITS[phase], 1)
    if isinstance(session, Fault):
        return session.message
    if phase != "load":
        pause()
    reply = call(session, "f", ())
    session.close()
    return getattr(reply, "message", "fine")

with open_sandbox(backend) as sandbox:
    for phase in LIMITS:
        print(phase, outcome(sandbox, phase), flush=True)
"""
FINE = ["load fine", "call fine", "game fine"]


def test_a_pause_longer_than_the_limits_is_not_charged() -> None:
    assert paused(WORKER, WHO, "bubblewrap") == dict.fromkeys(WHO, FINE)


def test_a_pause_of_a_player_that_runs_in_the_worker_is_not_charged() -> None:
    assert paused(WORKER, ["worker"], "trusted") == {"worker": FINE}


@pytest.fixture
def sandbox() -> Iterator[BubblewrapSandbox]:
    with BubblewrapSandbox() as opened:
        yield opened


def opened(sandbox: BubblewrapSandbox, source: bytes, limits: Limits) -> Session:
    session = sandbox.open(Program(source, {"f": (0,)}), limits, 1)
    assert not isinstance(session, Fault), session
    return session


def jailed(sandbox: BubblewrapSandbox) -> list[int]:
    return [*below(sandbox.jail.holder.pid)]  # type: ignore[attr-defined]


def test_a_player_that_sleeps_too_long_is_out_of_time_although_its_jail_was_paused(sandbox: BubblewrapSandbox) -> None:
    session = opened(sandbox, b"import time\ndef f(): time.sleep(30)", Limits(call_s=0.1))
    Timer(0.1, pause, [jailed(sandbox)]).start()
    fault = call(session, "f", ())
    session.close()
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.WTLE
    assert fault.message.startswith("f gave no answer within 0.3 s although it used hardly any computing time")


def test_a_jail_that_stays_paused_is_given_up_as_our_own_failure(
    sandbox: BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(sandbox, b"import time\ndef f(): time.sleep(30)", Limits(call_s=0.1))
    session.begin("f", ())
    monkeypatch.setattr("sandbox.host.jail_process._ANSWER_S", PAUSED_S)
    for pid in jailed(sandbox):
        with suppress(ProcessLookupError):  # a process that started the player may just have ended
            os.kill(pid, signal.SIGSTOP)
    with pytest.raises(SandboxError, match="the jail does not answer"):
        session.finish()
    session.close()


WAITS = {
    "naps": b"import time\ndef f():\n  while True: time.sleep(1e-4)",
    "yields": b"import os\ndef f():\n  while True: os.sched_yield()",
}


@pytest.mark.parametrize(("name", "verdict"), [("naps", Verdict.WTLE), ("yields", Verdict.TLE)])
def test_whoever_makes_load_does_not_make_us_give_up(sandbox: BubblewrapSandbox, name: str, verdict: Verdict) -> None:
    spin = b"def f():\n  while True: pass"
    with ExitStack() as table:
        accomplices = [table.enter_context(closing(opened(sandbox, spin, Limits(call_s=50.0)))) for _ in range(6)]
        session = table.enter_context(closing(opened(sandbox, WAITS[name], Limits(call_s=0.1))))
        for accomplice in accomplices:
            accomplice.begin("f", ())
        fault = call(session, "f", ())
    assert isinstance(fault, Fault)
    assert fault.verdict is verdict


QUEUED = [
    ((2.0, 40, 0), 0, 2.0),  # it was stopped again and again
    ((2.0, 0, 40), 0, 0.0),  # it slept again and again
    ((2.0, 0, 40), 40, 2.0),  # but to wait for us
    ((2.0, 30, 10), 0, 1.5),
    ((2.0, 0, 0), 0, 2.0),
]


@pytest.mark.parametrize(("scheduling", "messages", "compelled"), QUEUED)
def test_queueing_counts_as_far_as_it_is_not_the_players_doing(
    scheduling: Scheduling, messages: int, compelled: float
) -> None:
    assert compelled_s(UNBORN, scheduling, messages) == compelled
    assert compelled_s(scheduling, tuple(2 * each for each in scheduling), messages) == compelled  # type: ignore[arg-type]


ASLEEP, READY = False, True
HELD_UP = [
    # before; CPU time, time in the queue and state at both looks; the time between them; after
    (0.0, (1.0, 0.0, READY), (1.0, 0.0, READY), 0.1, 0.1),  # neither computed nor queued as far as is counted
    (0.0, (1.0, 0.0, READY), (1.05, 0.03, READY), 0.1, 0.02),
    (0.0, (1.0, 0.0, ASLEEP), (1.0, 0.0, READY), 0.1, 0.0),  # it may have slept until just now
    (0.0, (1.0, 0.0, READY), (1.0, 0.0, ASLEEP), 0.1, 0.0),
    (0.1, (1.0, 0.0, READY), (1.0, 0.15, READY), 0.05, 0.0),  # the stay in the queue has ended: now it is counted
    (0.1, (1.0, 0.0, READY), (1.0, 0.15, ASLEEP), 0.05, 0.0),
    (0.1, (1.0, 0.0, READY), (1.05, 0.0, READY), 0.05, 0.1),
]


@pytest.mark.parametrize(("before", "former", "latter", "waited", "after"), HELD_UP)
def test_whoever_is_ready_to_compute_and_cannot_is_held_up(
    before: float,
    former: tuple[float, float, bool],
    latter: tuple[float, float, bool],
    waited: float,
    after: float,
) -> None:
    def clocks(cpu_s: float, queued: float, ready: bool) -> Clocks:
        return cpu_s, (queued, 0, 0), ready

    assert held_up_s(before, clocks(*former), clocks(*latter), waited) == pytest.approx(after)
