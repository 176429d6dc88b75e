"""A process that waits for a player or a program gives signs of life; the time that this takes is not its silence."""

import os
from collections.abc import Iterator

import pytest

from sandbox import signs
from sandbox.api import Fault, Limits, Program, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapPrograms, BubblewrapSandbox
from sandbox.programs import Command, ProgramLimits, Stop

SLEEPS = "import time\ndef play():\n    time.sleep(9)\n"
COMPUTES = "def play():\n    while True: pass\n"


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where the signs come out."""
    reading, writing = os.pipe()
    monkeypatch.setattr(signs._TELLER, "pipe", None)
    monkeypatch.setattr(signs, "EVERY_S", 0.1)
    signs.tell_by(writing)
    yield reading
    os.close(reading)
    os.close(writing)


def given(heard: int) -> bytes:
    os.set_blocking(heard, False)
    return os.read(heard, 1000)


@pytest.mark.parametrize(("source", "verdict"), [(SLEEPS, Verdict.WTLE), (COMPUTES, Verdict.TLE)])
def test_whoever_waits_for_a_player_gives_signs(heard: int, source: str, verdict: Verdict) -> None:
    with BubblewrapSandbox() as sandbox, signs.working():
        player = sandbox.open(Program(source.encode(), {"play": (0,)}), Limits(call_s=0.7, wall_factor=1.0), 1)
        assert not isinstance(player, Fault)
        given(heard)
        reply = call(player, "play", ())
        player.close()
    assert isinstance(reply, Fault)
    assert reply.verdict is verdict
    assert given(heard).count(signs.WORKS) >= 3


def test_whoever_waits_for_a_program_gives_signs(heard: int) -> None:
    programs = BubblewrapPrograms()
    limits = ProgramLimits(cpu_s=0.7)
    command = Command(("python3", "a.py"), {"a.py": b"while True: pass"}, tools=("python3",), limits=limits)
    with signs.working(), programs.open() as jail:
        given(heard)
        assert jail.run(command).stop is Stop.CPU
    programs.close()
    assert given(heard).count(signs.WORKS) >= 3


def test_whoever_rests_is_not_silent(heard: int) -> None:
    signs.give()
    assert signs.hangs() is None
    with signs.working():
        assert signs.hangs() is False
    assert given(heard) == signs.WORKS + signs.RESTS
