"""Throw-away servers for the tests: PostgreSQL in a temporary cluster, and Redis, each on a socket or port of its own.

Missing on a laptop, the tests that need them are skipped; where CI is set, they fail.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

POSTGRESQL = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
PATIENCE_S = 30


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


def _unprivileged(folder: Path) -> Sequence[str]:
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


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty cluster's database, which lives as long as the context."""
    initdb, pg_ctl = _postgresql_tool("initdb"), _postgresql_tool("pg_ctl")
    with tempfile.TemporaryDirectory(prefix="quadrille-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        user = _unprivileged(folder)
        data, log = folder / "data", folder / "log"
        _run(*user, initdb, "-D", str(data), "-U", "quadrille", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        _run(*user, pg_ctl, "-D", str(data), "-l", str(log), "-w", "-t", str(PATIENCE_S), "-o", options, "start")
        try:
            yield f"postgresql+psycopg://quadrille@/postgres?host={folder}"
        finally:
            _run(*user, pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop")


def free_port() -> int:
    """A port that was free a moment ago."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def redis_server() -> Iterator[str]:
    """The URL of an empty Redis, which lives as long as the context."""
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="quadrille-redis-") as folder:
        options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder)
        server = subprocess.Popen((str(program), *options), stdout=subprocess.DEVNULL)
        try:
            _await_port(port, server)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait(PATIENCE_S)


def _await_port(port: int, server: "subprocess.Popen[bytes]") -> None:
    end = monotonic() + PATIENCE_S
    while monotonic() < end and server.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.02)
    pytest.fail("Redis did not start")
