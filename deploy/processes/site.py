"""The web processes: granian waits for slow clients, and threads answer complete requests."""

import os
import resource
from functools import partial

from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from deploy.processes.buffer import Buffered
from deploy.processes.supervisor import die_with
from deploy.processes.watch import watch
from deploy.processes.worker import part_with
from deploy.processes.wsgi import at_work, ready_site
from deploy.settings import Settings
from tournament.work.workers import SITE


def allow_files(wanted: int) -> int:
    """Let this process open `wanted` files, or as many as the system allows; return that number."""
    present, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if present == resource.RLIM_INFINITY or present >= allowed:
        return allowed
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return allowed


GRACE_S = 3  # for requests that are being answered when the process is asked to stop
HEADER_SHARE = 0.25
"""The header's share of the time in which a request must arrive; the rest is for the body. An idle connection is kept
for as long."""

CONNECTIONS = 4000
OTHER_FILES = 200  # that the process needs for other things
OWN_LOGGING = {"incremental": True, "handlers": {}, "loggers": {}}
"""Makes granian log through our handlers instead of its own."""


def run_site(settings: Settings) -> None:
    """Serve requests until SIGTERM."""
    server = Server(
        "deploy.processes.site",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        loop=Loops.asyncio,
        workers=settings.web_processes,
        respawn_failed_workers=True,
        workers_kill_timeout=GRACE_S,
        backpressure=allow_files(CONNECTIONS + OTHER_FILES) - OTHER_FILES,
        http1_settings=HTTP1Settings(header_read_timeout=round(1000 * settings.request_s * HEADER_SHARE)),
        log_level=LogLevels.warning,
        log_dictconfig=OWN_LOGGING,
    )
    server.serve(target_loader=partial(load_site, settings, os.getpid()), wrap_loader=False)


def load_site(settings: Settings, server: int) -> Buffered:
    """Load the site in a child of this process, which watches it and ends with the server. Each process loads its own,
    since database connections must not be shared."""
    die_with(server)
    watch(partial(part_with, settings, SITE))
    site = ready_site(settings)
    return Buffered(site, settings.web_threads, settings.request_s * (1 - HEADER_SHARE), at_work(site))
