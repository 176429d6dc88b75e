"""The web processes: gunicorn, serving requests in threads."""

import selectors
import socket
import struct
from functools import partial
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.gthread import TConn, ThreadWorker

from deploy.files import allow_files
from deploy.settings import Settings
from deploy.wsgi import ready_site

GRACE_S = 3  # for requests that are being answered when the process is asked to stop
SILENCE_S = 10
"""A client that says nothing for so long in the middle of a request is hung up on: its connection broke."""

IDLE_S = 5  # how long a connection stays open without a request
CONNECTIONS = 4000
OTHER_FILES = 200  # that the process may need besides


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn is not typed
    """Threads that no idle or broken connection keeps for long.

    gunicorn leaves slow clients to a proxy in front. Without one, a browser that connects early would keep a thread for
    five seconds, an upload from a train that entered a tunnel would keep it for ever, and hanging up on that one would
    hold up the loop that accepts connections."""

    def init_process(self) -> None:
        """Take as many connections as there may be open files."""
        self.worker_connections = allow_files(CONNECTIONS + OTHER_FILES) - OTHER_FILES
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Take a connection; it gets a thread when it says something."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        conn = TConn(self.cfg, client, address, listener.getsockname())
        conn.set_timeout()
        self.pending_conns.append(conn)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def handle(self, conn: TConn) -> Any:
        """Answer a request; a connection that is not kept is closed here, in its own thread."""
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", SILENCE_S, 0))
        kept = super().handle(conn)
        if not kept:
            conn.close(graceful=True)
            conn.close = _closed
        return kept


def _closed(graceful: bool = False) -> None:
    """In the place of closing again."""


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in options(self.settings).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return ready_site(self.settings)


def options(settings: Settings) -> dict[str, Any]:
    """Gunicorn's. Each process loads the site by itself: connections to the database are not to be shared."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": settings.web_processes,
        "worker_class": PatientWorker,
        "keepalive": IDLE_S,
        "threads": settings.web_threads,
        "graceful_timeout": GRACE_S,
        "loglevel": "warning",
        "control_socket_disable": True,
    }


def run_site(settings: Settings) -> None:
    """Serve requests until SIGTERM."""
    _Server(settings).run()
