"""Throw-away servers for the tests: PostgreSQL in a temporary cluster, and Redis, each on a socket or port of its own.

Missing on a laptop, the tests that need them are skipped; where CI is set, they fail.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from time import monotonic, sleep

import pytest

POSTGRESQL = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
WORKER, WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]), 8  # which of how many, who share the ports
PATIENCE_S = 120  # of whoever waits for what happens soon, on however busy a machine


def missing(what: str) -> None:
    """Skip the test on a laptop; fail it in CI."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed", pytrace=False)
    pytest.skip(f"{what} is not installed")


def _postgresql_tool(name: str) -> str:
    found = sorted(POSTGRESQL.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    tool = str(found[-1]) if found else shutil.which(name)
    if tool is None:
        missing("PostgreSQL")
    return str(tool)


def unprivileged(folder: Path) -> Sequence[str]:
    """What to put before a command that refuses to run as root; the folder is handed over."""
    if os.geteuid() != 0:
        return ()
    import pwd

    users = [name for name in UNPRIVILEGED if name in {entry.pw_name for entry in pwd.getpwall()}]
    shutil.chown(folder, users[0])
    return ("runuser", "-u", users[0], "--")


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stdout


@dataclass(frozen=True)
class Server:
    """A server that can be killed outright and started again."""

    url: str
    kill: Callable[[], None]
    start: Callable[[], None]


FAST = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0"
    " -c autovacuum=off"
)
"""Loses what was stored last if it is killed."""

SAFE = "-c fsync=off -c full_page_writes=off"
"""Loses nothing unless the whole machine dies."""


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty cluster's database, which lives as long as the context."""
    with postgresql_server(FAST) as server:
        yield server.url


@contextmanager
def postgresql_server(options: str = SAFE, host: str = "") -> Iterator[Server]:
    """An empty cluster, on a socket of its own or, with a `host`, on a port of that address."""
    initdb, pg_ctl = _postgresql_tool("initdb"), _postgresql_tool("pg_ctl")
    with tempfile.TemporaryDirectory(prefix="quadrille-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        user = unprivileged(folder)
        data, log = folder / "data", folder / "log"
        _run(*user, initdb, "-D", str(data), "-U", "quadrille", "-A", "trust", "-E", "UTF8", "--no-sync")
        port = free_port(host) if host else 5432
        if host:
            with (data / "pg_hba.conf").open("a") as file:
                file.write("host all all samenet trust\n")
        options = f"-k {folder} -c listen_addresses='{host}' -c port={port} {options}"

        def start() -> None:
            _run(*user, pg_ctl, "-D", str(data), "-l", str(log), "-w", "-t", str(PATIENCE_S), "-o", options, "start")

        def kill() -> None:
            own = int((data / "postmaster.pid").read_text().split()[0])
            others = [pid for pid in all_processes() if parent(pid) == own]
            for pid in (own, *others):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _await(lambda: not any(map(_runs, (own, *others))), "PostgreSQL did not die")
            for lock in (data / "postmaster.pid", folder / f".s.PGSQL.{port}.lock"):
                lock.unlink()  # or it takes a zombie for a server that runs

        start()
        try:
            where = f"{host}:{port}/postgres" if host else f"/postgres?host={folder}"
            yield Server(f"postgresql+psycopg://quadrille@{where}", kill, start)
        finally:
            _run(*user, pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop")


def all_processes() -> list[int]:
    """Their numbers."""
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def parent(pid: int) -> int | None:
    state = _state(pid)
    return int(state[1]) if state else None


def _runs(pid: int) -> bool:
    state = _state(pid)
    return state is not None and state[0] != "Z"


def _state(pid: int) -> list[str] | None:
    """What the kernel tells of a process after its name: its state, its parent, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def free_port(host: str = "127.0.0.1") -> int:
    """A port that was free a moment ago, and that no connection is given: whoever calls a server that is down, from
    such a port, may else reach itself, and the server cannot have it back."""
    while True:
        port = 15_000 + SystemRandom().randrange(15_000) // WORKERS * WORKERS + WORKER
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.bind((host, port))
            return port


@contextmanager
def redis_server() -> Iterator[str]:
    """The URL of an empty Redis, which lives as long as the context."""
    with killable_redis() as server:
        yield server.url


@contextmanager
def killable_redis(host: str = "127.0.0.1") -> Iterator[Server]:
    """An empty Redis; whenever it is started again it is empty again."""
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis")
    port = free_port(host)
    running: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="quadrille-redis-") as folder:
        options = ("--bind", host, "--protected-mode", "no", "--save", "", "--appendonly", "no", "--dir", folder)

        def start() -> None:
            command = (str(program), "--port", str(port), *options)
            running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            await_port(host, port, running[-1])

        def kill() -> None:
            running[-1].kill()
            running[-1].wait()

        start()
        try:
            yield Server(f"redis://{host}:{port}/0", kill, start)
        finally:
            running[-1].terminate()
            running[-1].wait(PATIENCE_S)


def await_port(host: str, port: int, server: "subprocess.Popen[bytes]") -> None:
    """Return when it takes connections."""

    def answers() -> bool:
        assert server.poll() is None, "the server did not start"
        with closing(socket.socket()) as probe:
            return probe.connect_ex((host, port)) == 0

    _await(answers, "the server did not start")


def _await(true: Callable[[], bool], else_: str) -> None:
    end = monotonic() + PATIENCE_S
    while not true():
        if monotonic() > end:
            pytest.fail(else_)
        sleep(0.02)
