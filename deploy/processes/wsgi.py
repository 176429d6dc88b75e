"""The site as a WSGI application."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Final

from flask import Flask
from sqlalchemy.orm import sessionmaker
from werkzeug.middleware.proxy_fix import ProxyFix

from deploy import packages
from deploy.host_names import hosts, public
from deploy.processes.celery import aside, make_app, sender
from deploy.processes.worker import own_name
from deploy.settings import Settings
from deploy.storage.schema import schema
from tournament.store.database import SILENCE_S, connect
from tournament.work.counters import DEATHS
from tournament.work.workers import SITE, Presence
from web.app import create_app
from web.site.metrics import tallying
from web.site.store import WebSettings

COLLECTED_AFTER = 10_000  # new objects
SWITCHED_AFTER_S = 0.001
"""After this time a request that computes lets another one of its process go on; Python's default is 5 ms. Short
requests win what long ones lose: in two nights of 1,000 students, 95% of the leaderboards came within 88 ms instead of
109, and of the films within 199 ms instead of 181."""

COMPILED_AFTER_S = 10.0
"""A process that has run for this long compiles what it has not compiled yet of its templates. All of them take 1.3 s,
for up to 0.4 s of which the first visitor of a page would wait."""


def ready_site(settings: Settings) -> Flask:
    """The site of an installation in its own process.

    A request leaves thousands of objects behind, hardly any of them in a cycle. With Python's defaults, the search for
    cycles would take a sixth of a request's time."""
    site = make_site(settings)
    keep_freed_memory()
    sys.setswitchinterval(SWITCHED_AFTER_S)
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER, 10, 10)
    compiles = Timer(COMPILED_AFTER_S, compile_templates, [site])
    compiles.daemon = True
    compiles.start()
    return site


@contextmanager
def at_work(site: Flask) -> Iterator[None]:
    """Count the requests of this process, and show that it is there."""
    DEATHS.labels(SITE)  # 0 at first: Prometheus would not take a first value of 1 for an increase
    with tallying(site), Presence(site.extensions["quadrille"].sessions, own_name(), SITE):
        yield


def compile_templates(site: Flask) -> None:
    """Have the templates of all pages ready."""
    folder = Path(site.root_path) / str(site.template_folder)
    for file in folder.rglob("*.html"):
        site.jinja_env.get_template(file.relative_to(folder).as_posix())


def make_site(settings: Settings) -> Flask:
    """The site of an installation."""
    known = hosts(settings.host, settings.site, settings.hosts)
    sessions = sessionmaker(connect(settings.database, SILENCE_S, settings.web_threads))
    packages.install(settings, sessions)
    app = create_app(
        WebSettings(
            secret_key=settings.secret_key,
            record_key=settings.record_key,
            sessions=sessions,
            send=aside(sender(make_app(settings))),
            limits=settings.limits,
            limits_storage=settings.rate_limits,
            metrics_token=settings.metrics_token,
            metrics_here=not settings.proxies and not public(known),
            hosts=known,
            demo=settings.demo,
            new_courses=settings.new_courses,
            secure_cookies=settings.secure_cookies,
            schema_problem=lambda connection: schema(connection).trouble,
        )
    )
    if count := settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return app


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # mallopt(3)

LARGEST: Final = 32 << 20  # bytes of a block that is kept for the next request
UNUSED: Final = 64 << 20  # bytes that may lie idle at the end of the heap
HEAPS: Final = 2  # for all threads: Python runs one at a time, and each heap keeps what its threads freed


def keep_freed_memory() -> bool:
    """Keep freed memory for the next request, which saves a quarter of joining and compressing a leaderboard: a string
    of half a megabyte, for which the C library would ask the kernel each time, at the cost of 440 page faults. Returns
    False, and changes nothing, unless the C library is GNU's."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    wanted = (_MMAP_THRESHOLD, LARGEST), (_TRIM_THRESHOLD, UNUSED), (_ARENA_MAX, HEAPS)
    return mallopt is not None and all(mallopt(*each) for each in wanted)
