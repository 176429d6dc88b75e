"""On which core a player computes, and how important it is."""

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.api import Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.choose import open_sandbox
from sandbox.host import jail_process
from sandbox.host.jailed_session import JailedSession
from tests.services import PATIENCE_S

SOURCE = b"""
import time

def quick(): return 1

def slow():
    before = time.process_time()
    while time.process_time() < before + 0.2:
        pass
    return 2
"""


@pytest.fixture
def session() -> Iterator[JailedSession]:
    with BubblewrapSandbox() as sandbox:
        opened = sandbox.open(Program(SOURCE, {"quick": (0,), "slow": (0,)}), Limits(wall_factor=100.0), 1)
        assert isinstance(opened, JailedSession)
        yield opened
        opened.close()


@pytest.fixture
def allowed() -> Iterator[set[int]]:
    """The cores of this thread; it has them again afterwards."""
    before = os.sched_getaffinity(0)
    yield before
    os.sched_setaffinity(0, before)


def answers(session: JailedSession, function: str, expected: int, quick_s: int = PATIENCE_S) -> set[int]:
    """The cores on which the player may run after a call, where an answer within `quick_s` comes quickly."""
    session.process._channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", quick_s, 1000))
    reply = call(session, function, ())
    assert isinstance(reply, Value), reply
    assert reply.data == expected
    return os.sched_getaffinity(session.process.pid)


def test_a_quick_player_follows_its_host(session: JailedSession, allowed: set[int]) -> None:
    assert os.sched_getaffinity(session.process.pid) == allowed, "players load wherever there is room"
    for core in (*allowed, *allowed):
        os.sched_setaffinity(0, {core})
        assert answers(session, "quick", 1) == {core}


def test_a_slow_player_goes_where_there_is_room(session: JailedSession, allowed: set[int]) -> None:
    assert len(answers(session, "quick", 1)) == 1
    assert answers(session, "slow", 2, quick_s=0) == allowed
    assert len(answers(session, "quick", 1)) == 1


def test_a_process_that_is_gone_is_let_be() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    assert jail_process.bring_here(pid, jail_process.ANYWHERE) == jail_process.ANYWHERE
    assert jail_process.let_go(pid) == jail_process.ANYWHERE
    jail_process.send_away(pid)


def test_players_are_made_where_their_host_is_not(session: JailedSession, allowed: set[int]) -> None:
    assert isinstance(call(session, "quick", ()), Value)
    jail = session.process._jail
    for pid in (jail._server, jail._first.pid):
        elsewhere = os.sched_getaffinity(pid)
        assert elsewhere <= allowed
        assert len(elsewhere) == max(1, len(allowed) - 1)


def test_on_a_single_core_all_is_done_there(session: JailedSession, allowed: set[int]) -> None:
    os.sched_setaffinity(0, {min(allowed)})
    jail_process.send_away(session.process.pid)
    assert os.sched_getaffinity(session.process.pid) == {min(allowed)}


@pytest.mark.parametrize("niceness", [0, 7])
def test_players_give_way_where_they_are_told_to(niceness: int) -> None:
    with open_sandbox("bubblewrap", niceness=niceness) as sandbox:
        session = sandbox.open(Program(SOURCE, {"quick": (0,)}), Limits(), 1)
        assert isinstance(session, JailedSession)
        player, here = session.process.pid, os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, player) == max(here, niceness)
        assert share(player) in (niceness, None)
        assert os.getpgid(player) == player, "signals to its group reach it alone"
        session.close()


def share(pid: int) -> int | None:
    """The niceness of the session that a process is of; None where sessions have no share of the processors."""
    file = Path(f"/proc/{pid}/autogroup")
    said = file.read_text().split() if file.exists() else []
    return int(said[-1]) if said else None
