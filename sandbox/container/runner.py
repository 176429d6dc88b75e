"""The only service with access to the Docker socket: it starts a container for each worker that asks, and removes it
when the worker is done.

Anyone who can use the Docker socket is root on the host. So neither the workers, which hold students' files, nor the
site, which faces the students, can use that socket. They can only ask this service for a jail, over a Unix socket. The
requests have no parameters, so an attacker who takes over a worker gets nothing but jails, which every worker can get
anyway.

A worker connects, sends one of `REQUESTS` (for players, or for programs) and gets a JSON object: `{"trouble": why there
is no jail}`, or `{"about": what the image says, "memory": bytes, "nested": whether what runs there gets namespaces of
its own}` with the descriptor of the jail's control socket. The container is removed when the worker closes the
connection. If the worker dies, the kernel closes it.
"""

import contextlib
import fcntl
import json
import logging
import os
import secrets
import shutil
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import docker
from docker.errors import DockerException

from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.container.recipe import Recipe, started
from sandbox.host.probe import nesting_works

log = logging.getLogger(__name__)

REQUESTS: Final = b"jail", b"prog"
SOCKET: Final = "runner"  # the name of the socket, in the folder that runner and workers share
LABEL: Final = "quadrille.runner"  # each container's label; its value is the runner's folder
REAP_EVERY_S: Final = 60.0
REQUEST_S: Final = 10.0


class Runner:
    """Starts containers and tracks which are in use. A folder has at most one runner."""

    def __init__(self, folder: Path, recipe: Recipe, programs: Recipe | None = None) -> None:
        """`recipe` is for players, `programs` for programs. Raises SandboxUnavailable if the folder is in use, or the
        Docker daemon cannot be reached."""
        self.folder = folder.resolve()
        self.recipe = recipe
        self._recipes = dict(zip(REQUESTS, (recipe, programs), strict=True))
        self._jails = self.folder / "jails"
        self._jails.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _lock_folder(self.folder / "lock")
        self._in_use: set[str] = set()
        self._changing = threading.Lock()
        try:
            self._engine = docker.from_env()
        except (DockerException, OSError) as error:
            raise SandboxUnavailable(
                f"the Docker daemon cannot be reached ({error}); start it, or set DOCKER_HOST to its socket"
            ) from error

    @contextmanager
    def jail(self, request: bytes = REQUESTS[0]) -> Iterator[tuple[socket.socket, dict[str, Any]]]:
        """Start a container, and remove it at the end. Yields the socket to its guest, and the answer for the worker.
        Raises SandboxUnavailable."""
        recipe = self._recipes[request]
        if not recipe:
            raise SandboxUnavailable("this runner starts no jails for programs")
        with self._name() as name, ExitStack() as stack:
            folder = self._jails / name
            folder.mkdir(mode=0o755)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            control, about = stack.enter_context(started(self._engine, recipe, name, folder, {LABEL: str(self.folder)}))
            nested = bool(recipe.seccomp) and nesting_works()
            yield control, {"about": about, "memory": recipe.memory, "nested": nested}

    @contextmanager
    def _name(self) -> Iterator[str]:
        name = f"quadrille-{secrets.token_hex(8)}"
        with self._changing:
            if len(self._in_use) >= self.recipe.jails:
                raise SandboxUnavailable(f"all {self.recipe.jails} jails of the runner are in use")
            self._in_use.add(name)
        try:
            yield name
        finally:
            self._in_use.discard(name)

    def reap(self) -> list[str]:
        """Remove containers that an earlier runner or Docker left behind, and return their names. Raises
        SandboxUnavailable."""
        try:
            found = self._engine.containers.list(
                all=True, filters={"label": f"{LABEL}={self.folder}"}, ignore_removed=True
            )
            left = [container for container in found if container.name not in self._in_use]
            for container in left:
                with suppress(docker.errors.APIError):  # it is already being removed, or will be removed next time
                    container.remove(force=True)
        except (DockerException, OSError) as error:
            raise SandboxUnavailable(f"the Docker daemon cannot be reached: {error}") from error
        for folder in self._jails.iterdir():
            if folder.name not in self._in_use:
                shutil.rmtree(folder, ignore_errors=True)
        return [str(container.name) for container in left]

    def close(self) -> None:
        """End every jail."""
        self._in_use.clear()
        with suppress(SandboxUnavailable):
            self.reap()
        self._engine.close()
        os.close(self._lock)


def _lock_folder(path: Path) -> int:
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise SandboxUnavailable(f"another runner serves {path.parent}") from error
    return lock


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        path = runner.folder / SOCKET
        path.unlink(missing_ok=True)
        super().__init__(str(path), _Worker)
        os.chmod(path, 0o660)
        os.chown(path, -1, runner.folder.stat().st_gid)  # members of the folder's group may connect


class _Worker(socketserver.BaseRequestHandler):
    """The connection of one worker, in its own thread."""

    server: _Server
    request: socket.socket

    def handle(self) -> None:
        try:
            self.request.settimeout(REQUEST_S)
            request = self.request.recv(len(REQUESTS[0]))
            if request not in REQUESTS:
                return
            self.request.settimeout(None)
            with self.server.runner.jail(request) as (control, answer):
                socket.send_fds(self.request, [json.dumps(answer).encode()], [control.fileno()])
                control.close()
                self.request.recv(1)  # returns when the worker closes the connection
        except SandboxError as error:
            log.warning("no jail: %s", error)
            with suppress(OSError):  # the worker has disconnected
                self.request.send(json.dumps({"trouble": str(error)}).encode())
        except OSError as error:
            log.info("a worker has gone: %s", error)


@contextmanager
def serving(folder: Path, recipe: Recipe, programs: Recipe | None = None) -> Iterator[Runner]:
    """Serve workers in threads until the context ends, then end every jail. Raises SandboxUnavailable."""
    with contextlib.closing(Runner(folder, recipe, programs)) as runner:
        if left := runner.reap():
            log.warning("removed containers that were left behind: %s", ", ".join(left))
        stopping = threading.Event()
        with _Server(runner) as server:
            threads = [
                threading.Thread(target=server.serve_forever, name="runner"),
                threading.Thread(target=_reap, args=(runner, stopping), name="reaper"),
            ]
            for thread in threads:
                thread.start()
            try:
                yield runner
            finally:
                stopping.set()
                server.shutdown()
                for thread in threads:
                    thread.join()


def _reap(runner: Runner, stopping: threading.Event) -> None:
    while not stopping.wait(REAP_EVERY_S):
        try:
            left = runner.reap()
        except SandboxError as error:
            log.warning("%s", error)
        else:
            if left:
                log.warning("removed containers that were left behind: %s", ", ".join(left))
