"""`quadrille serve`: the whole installation on one machine, started by one command and stopped by Ctrl-C."""

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from http import HTTPStatus
from typing import Final, TypeAlias
from urllib.error import HTTPError
from urllib.request import urlopen

import sqlalchemy.exc
from sqlalchemy.orm import sessionmaker

from deploy import demo
from deploy.machine import LOCK, Unable, locked
from deploy.processes import copies
from deploy.processes.celery import LADDER, declare_queues, forget_messages, make_app, sender
from deploy.processes.copies import Copy
from deploy.processes.supervisor import PARENT, Write, supervise
from deploy.security import require_secure
from deploy.settings import Settings
from deploy.storage.backup import upgrade
from grader.store.queue import GRADING, PLAYERS
from sandbox.choose import open_sandbox
from tournament.store.database import connected, in_a_line

log = logging.getLogger(__name__)

RunCommand: TypeAlias = Callable[[Sequence[str]], object]

POLL_S = 0.1
COMMAND: Final = (sys.executable, "-m", "deploy.cli")


class PortTaken(Unable):
    """The site cannot listen at its address; the message says why and what to do."""


class ServerMissing(Unable):
    """The database or the broker named in the settings cannot be used; the message says which and why."""


def serve(settings: Settings, write: Write, ready: Callable[[Settings], None], run: RunCommand) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is called once the site answers. `run` is called in each copy of this
    process with the words of its command, such as `worker grading`. Raises AlreadyRunning, Insecure, PortTaken, and the
    errors of `prepare`."""
    require_secure(settings)
    with locked(settings.data / LOCK) as note:
        settings = settings.model_copy(update={"port": usable_port(settings)})
        note(f"process {os.getpid()}, {address(settings)}")
        with copied(settings, run) as begin:
            prepare(settings)
            asyncio.run(_supervise_all(settings, write, ready, begin()))


def address(settings: Settings) -> str:
    """Return the site's address for a browser on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    return f"http://{host}:{settings.port}"


def usable_port(settings: Settings) -> int:
    """Return the port to listen on: the port in the settings, or a free port if that is 0. Raises PortTaken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            where = f"port {settings.port} of {settings.host}"
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(f"{where} is taken by another program; choose another with --port") from error
            raise PortTaken(f"cannot listen on {where}: {error.strerror}") from error
        return int(probe.getsockname()[1])


def prepare(settings: Settings) -> None:
    """Test the sandbox, create the queues, upgrade the database and, for a demonstration, fill it. Raises
    SandboxUnavailable, ServerMissing, WrongSchema, NoBackup."""
    open_sandbox(settings.sandbox, settings.runner).close()
    forget_messages(settings)
    app = make_app(settings)
    try:
        declare_queues(app)
    except Exception as error:  # each transport has its own errors
        url = app.connection_for_write().as_uri()  # without its password
        raise ServerMissing(f"the broker {url} cannot be used: {error}") from error
    with connected(settings.database) as engine:
        try:
            done = upgrade(settings, engine)
        except sqlalchemy.exc.OperationalError as error:
            raise ServerMissing(f"the database {engine.url!r} cannot be used: {in_a_line(error)}") from error
        if done:
            log.info("%s", done.told)
        if settings.demo:
            demo.seed(sessionmaker(engine), sender(app), demo.logins(settings))


def programs(settings: Settings) -> Mapping[str, Sequence[str]]:
    """Return the commands of an installation's processes, by name."""
    graders = [GRADING] * max(1, settings.grading_processes - 1)
    if settings.grading_processes > 1:
        graders.append(PLAYERS)  # one worker grades no programs, so that players never wait for a compiler
    return {
        "web": (*COMMAND, "web"),
        **{f"{kind}-{n}": (*COMMAND, "worker", kind) for n, kind in enumerate(graders, 1)},
        **{f"playing-{n + 1}": (*COMMAND, "worker", LADDER) for n in range(settings.playing_processes)},
        "scheduler": (*COMMAND, "scheduler"),
    }


def copied(settings: Settings, run: RunCommand) -> AbstractContextManager[Callable[[], Mapping[str, Copy]]]:
    """Return a context with copies of this process that run the installation's processes (see
    `deploy.processes.copies.waiting`), or with none where copies are not possible."""
    commands = programs(settings) if copies.POSSIBLE else {}
    given = {**environment(settings), PARENT: str(os.getpid())}
    return copies.waiting(lambda command: run(command[len(COMMAND) :]), commands, given)


def environment(settings: Settings) -> dict[str, str]:
    """Return the environment of the processes, with the options of the command line. The options come first, so that
    `copies.show` has room for them in /proc."""
    said = {"data": settings.data, "host": settings.host, "port": settings.port, "demo": settings.demo}
    named = {f"QUADRILLE_{name.upper()}": str(value) for name, value in said.items()}
    return {**named, **os.environ, **named}


async def _supervise_all(
    settings: Settings, write: Write, ready: Callable[[Settings], None], started: Mapping[str, Copy]
) -> None:
    running = asyncio.create_task(supervise(programs(settings), environment(settings), write, running=started))
    greeting = asyncio.create_task(_greet(settings, ready))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    await running
    greeting.cancel()
    with suppress(asyncio.CancelledError):
        await greeting


async def _greet(settings: Settings, ready: Callable[[Settings], None]) -> None:
    while await asyncio.to_thread(health_status, settings, 2) != HTTPStatus.OK:
        await asyncio.sleep(POLL_S)
    ready(settings)


def health_status(settings: Settings, patience_s: float) -> int:
    """Return the HTTP status of the site's answer about its health, or 0 if it does not answer."""
    try:
        with urlopen(f"{address(settings)}/healthz", timeout=patience_s) as reply:  # noqa: S310  # our own address
            return int(reply.status)
    except HTTPError as error:
        return error.code
    except OSError:
        return 0
