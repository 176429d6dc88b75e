"""A worker on another host: a network namespace of its own, with its own host name and process numbers."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.services import killable_redis, missing, postgresql_server
from tests.whole.stack import PATIENCE_S, Stack, eventually, serving
from tournament.ladder.rerate import recompute_standings
from tournament.store.database import now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, PlayedGame, Tournament, Worker

pytestmark = pytest.mark.full

ELSEWHERE = "elsewhere"


def ip(*command: str) -> None:
    subprocess.run(["ip", *command], check=True)


@dataclass(frozen=True)
class Network:
    """A cable to another host. `address`: of this host on it."""

    address: str
    namespace: str
    plug: str

    def cut(self) -> None:
        """Pull the other host's plug."""
        ip("-n", self.namespace, "link", "set", self.plug, "down")

    def mend(self) -> None:
        """Put it back."""
        ip("-n", self.namespace, "link", "set", self.plug, "up")


@pytest.fixture
def network() -> Iterator[Network]:
    number = os.getpid()
    near, far, namespace = f"qd{number}n", f"qd{number}f", f"quadrille-{number}"
    subnet = f"10.231.{number % 256}"
    try:
        ip("netns", "add", namespace)
    except (OSError, subprocess.CalledProcessError):
        missing("the right to make network namespaces, or iproute2,")
    with ExitStack() as undo:
        undo.callback(ip, "netns", "del", namespace)
        ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", namespace)
        undo.callback(ip, "link", "del", near)
        ip("addr", "add", f"{subnet}.1/30", "dev", near)
        ip("-n", namespace, "addr", "add", f"{subnet}.2/30", "dev", far)
        ip("link", "set", near, "up")
        for device in ("lo", far):
            ip("-n", namespace, "link", "set", device, "up")
        yield Network(f"{subnet}.1", namespace, far)


@contextmanager
def worker_elsewhere(
    network: Network, data: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """`quadrille worker ladder` on the other host; it is killed in the end, if it has not left."""
    begin = 'hostname "$0" && exec "$@"'
    apart = ("unshare", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child")
    work = (sys.executable, "-m", "deploy.cli", "worker", "ladder")
    command = ("ip", "netns", "exec", network.namespace, *apart, "sh", "-c", begin, ELSEWHERE, *work)
    process = subprocess.Popen(command, env={**os.environ, **environment, "QUADRILLE_DATA": str(data)})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_worker_on_another_host_joins_is_cut_off_comes_back_and_leaves(network: Network, tmp_path: Path) -> None:
    with postgresql_server(host=network.address) as database, killable_redis(network.address) as broker:
        urls = {"QUADRILLE_DATABASE_URL": database.url, "QUADRILLE_BROKER_URL": broker.url}
        with serving(tmp_path / "data", **urls) as stack:
            with worker_elsewhere(network, tmp_path / "elsewhere", urls) as worker:
                eventually(lambda: present(stack))
                held = hold_elsewhere(stack)
                network.cut()
                end_lease(stack, held)
                stack.rest_after(0)  # what was begun is played all the same
                eventually(lambda: state_of(stack, held) is JobState.DONE)
                network.mend()
                mended = now()
                eventually(lambda: present(stack, mended))
                hold_elsewhere(stack)
                os.kill(only_child(worker.pid), signal.SIGTERM)
                eventually(lambda: not present(stack))
                assert worker.wait(PATIENCE_S) == 0
            every_game_counts_once(stack)


def only_child(pid: int) -> int:
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def hold_elsewhere(stack: Stack) -> int:
    """Have games played until the worker elsewhere plays a block; the block."""
    stack.never_rest()
    return eventually(lambda: held_elsewhere(stack), every_s=0.05) or 0


def held_elsewhere(stack: Stack) -> int | None:
    """The block that the worker elsewhere is playing."""
    with reading(stack.sessions) as session:
        theirs = select(Block.id).where(Block.state == JobState.RUNNING, Block.owner.startswith(f"{ELSEWHERE}:"))
        return session.scalar(theirs)


def end_lease(stack: Stack, block: int) -> None:
    """Nobody waits a minute and a half for it."""
    with writing(stack.sessions) as session:
        session.execute(update(Block).where(Block.id == block).values(lease_until=now()))


def state_of(stack: Stack, block: int) -> JobState:
    with reading(stack.sessions) as session:
        return session.get_one(Block, block).state


def present(stack: Stack, since: datetime | None = None) -> bool:
    """Whether it is among the workers that instructors see; with `since`, whether it gave a sign after that."""
    with reading(stack.sessions) as session:
        seen = session.scalar(select(Worker.seen_at).where(Worker.name.startswith(f"{ELSEWHERE}:")))
        return seen is not None and (since is None or seen > since)


def every_game_counts_once(stack: Stack) -> None:
    with writing(stack.sessions) as session:
        for tournament in session.scalars(select(Tournament)):
            assert recompute_standings(session, tournament) == []
        done = session.scalars(select(Block.id).where(Block.state == JobState.DONE)).all()
        assert Counter(session.scalars(select(PlayedGame.block_id))) == dict.fromkeys(done, 4)
