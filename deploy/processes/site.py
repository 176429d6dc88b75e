"""The processes of the site. Granian speaks ASGI and waits for slow clients, which occupy a connection but no thread.
The site speaks WSGI and answers complete requests, each in a thread. If the loop of a process hangs, or all of its
threads hang, the process gives no more signs, and its watch kills it. Threads that wait for a database still give
signs."""

import asyncio
import gc
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import Any

from a2wsgi.asgi_typing import HTTPScope, Receive, Scope, Send
from a2wsgi.wsgi import build_environ
from flask import Flask
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server
from sqlalchemy.orm import sessionmaker
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response

from deploy.database import install_added_games
from deploy.processes import mail
from deploy.processes.celery import aside, make_app, sender
from deploy.processes.gate import Obstacle, wait_until_usable
from deploy.processes.supervisor import die_with
from deploy.processes.watch import watch
from deploy.processes.worker import own_name, part_with
from deploy.security import require_secure
from deploy.settings import BadSettings, Settings, host_names, parts_of
from deploy.storage.schema import schema
from sandbox import signs
from tournament.store.database import SILENCE_S, connect
from tournament.work.backlog import phases
from tournament.work.tally import DEATHS, INTERNAL_ERRORS
from tournament.work.workers import SITE, Presence
from web.app import create_app
from web.site.host_name import is_loopback
from web.site.metrics import tallying
from web.site.store import PrivacySettings, WebSettings

GRACE_S = 3  # time for requests in progress when the process is asked to stop
HEADER_SHARE = 0.25
"""The share of a request's time that its header may take; the rest is for the body. Idle connections are kept open for
as long as a header may take."""

CONNECTIONS = 4000
OTHER_FILES = 200  # files that the process needs for other things
OWN_LOGGING = {"incremental": True, "handlers": {}, "loggers": {}}
"""Makes granian log through Quadrille's handlers instead of its own."""

COLLECTED_AFTER = 10_000  # new objects before a search for cycles
SWITCHED_AFTER_S = 0.001
"""After this time, a request that computes lets another request of its process continue; Python's default is 5 ms.
Short requests gain what long ones lose: in two nights of 1,000 students, 95% of the leaderboards were served within 88
ms instead of 109, and 95% of the films within 199 ms instead of 181."""

COMPILED_AFTER_S = 10.0
"""After this time, a process compiles the templates that it has not compiled yet. Compiling all of them takes 1.3 s;
otherwise the first visitor of a page would wait for up to 0.4 s."""

LONGEST_TEXT = 200_000  # bytes of the imprint or the privacy text

FRAMING = (b"content-length", b"transfer-encoding")
"""Headers about the length of a body. They are dropped, since the whole body has been read before the site sees
them."""


def run_site(settings: Settings) -> None:
    """Serve requests until SIGTERM, as soon as the database answers and has been upgraded to this version. Raises
    Insecure."""
    require_secure(settings)
    wait_until_usable(sessionmaker(connect(settings.database, SILENCE_S)), {Obstacle.DATABASE, Obstacle.SCHEMA})
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


def load_site(settings: Settings, server: int) -> "BufferedSite":
    """Load the site in a child of this process, since connections must not be shared. This process watches the child,
    and both end with the server. With Python's defaults, the search for reference cycles would take a sixth of a
    request's time and find hardly any."""
    die_with(server)
    watch(partial(part_with, settings, SITE))
    site = make_site(settings)
    sys.setswitchinterval(SWITCHED_AFTER_S)
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER, 10, 10)
    compiles = Timer(COMPILED_AFTER_S, compile_templates, [site])
    compiles.daemon = True
    compiles.start()
    return BufferedSite(site, settings.web_threads, settings.request_s * (1 - HEADER_SHARE), at_work(site))


def allow_files(wanted: int) -> int:
    """Let this process open `wanted` files, or as many as the system allows; return that number."""
    present, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if present == resource.RLIM_INFINITY or present >= allowed:
        return allowed
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return allowed


@contextmanager
def at_work(site: Flask) -> Iterator[None]:
    """Count the requests of this process, and record that the process is running."""
    DEATHS.labels(SITE)  # 0 at first: Prometheus would not count a first value of 1 as an increase
    for phase in phases():
        INTERNAL_ERRORS.labels(phase)
    with tallying(site), Presence(site.extensions["quadrille"].sessions, own_name(), SITE):
        yield


def compile_templates(site: Flask) -> None:
    """Compile the templates of all pages, in English."""
    folder = Path(site.root_path)
    for file in folder.rglob("*.html"):
        site.jinja_env.get_template(file.relative_to(folder).as_posix())


def make_site(settings: Settings) -> Flask:
    """Create the site of an installation."""
    known = settings.answers_to
    sessions = sessionmaker(connect(settings.database, SILENCE_S, settings.web_threads))
    install_added_games(settings, sessions)
    app = create_app(
        WebSettings(
            secret_key=settings.secret_key,
            record_key=settings.record_key,
            sessions=sessions,
            send=aside(sender(make_app(settings))),
            data=settings.data,
            limits=settings.limits,
            limits_storage=settings.rate_limits,
            metrics_token=settings.metrics_token,
            metrics_here=not settings.proxies and all(map(is_loopback, known)),
            hosts=known,
            internal_hosts=host_names(settings.internal_hosts),
            demo=settings.demo,
            new_courses=settings.new_courses,
            mail=mail.is_set_up(settings),
            mail_links=mail.is_set_up(settings) and bool(settings.address),
            passwords_for=settings.emergency_login if settings.passwords == "emergency" else None,
            extras=_extras(settings),
            privacy=PrivacySettings(
                imprint=_text_in(settings, "imprint"),
                text=_text_in(settings, "privacy_text"),
                consent=settings.consent,
                keep_days=settings.keep_work_days,
                forget_days=settings.forget_days,
                log_days=settings.access_log_days,
                log_shown=settings.access_log_shown,
            ),
            secure_cookies=settings.secure_cookies,
            schema_problem=lambda connection: schema(connection).trouble,
        )
    )
    if count := settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return app


def _text_in(settings: Settings, name: str) -> str:
    """Return the text of the file that a setting names, relative to the data folder unless its path is absolute. Raises
    BadSettings."""
    named: str = getattr(settings, name)
    if not named:
        return ""
    where = f"QUADRILLE_{name.upper()} is {named!r}: this file"
    try:
        with (settings.data / named).open("rb") as file:
            content = file.read(LONGEST_TEXT + 1)
        if len(content) > LONGEST_TEXT:
            raise BadSettings(f"{where} has more than {LONGEST_TEXT} bytes")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{where} cannot be read ({error})") from error


def _extras(settings: Settings) -> Sequence[Callable[[Flask], None]]:
    """Return the features that only some sites have. Other sites do not load the modules for them."""
    found = list[Callable[[Flask], None]]()
    if settings.sign_on:
        from web.sign_on import sign_on

        found.append(partial(sign_on.install, settings.sign_on))
    if settings.lti:
        from web.lti import platforms

        found.append(partial(platforms.install, frozenset(parts_of(settings.lti))))
    if settings.second_factor != "off":
        from web.second_factor import second_factor

        found.append(partial(second_factor.install, settings.second_factor == "staff", settings.address))
    return found


class HungUp(Exception):
    """The request was cut short: the client closed the connection, or sent a chunk without a valid length."""


class BufferedSite:
    """An ASGI application that answers as the site does, in `threads` threads, while the context `at_work` lasts. A
    request whose body is not complete `deadline_s` seconds after its headers is answered with 408. If a body exceeds
    the site's limit, only its length is kept, and the site refuses the request."""

    def __init__(self, site: Flask, threads: int, deadline_s: float, at_work: AbstractContextManager[None]) -> None:
        self._site, self._deadline_s, self._at_work = site, deadline_s, at_work
        self._most: int = site.config["MAX_CONTENT_LENGTH"]
        self._threads = ThreadPoolExecutor(threads, "request", signs.join_in)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; or, when the server calls this once for its own lifetime, run until the server ends."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        assert scope["type"] == "http"  # noqa: S101  # the server is configured for HTTP only
        try:
            async with asyncio.timeout(self._deadline_s):
                body, length = await _body(receive, self._most)
            environ = _environ(scope, body, length)
        except HungUp:
            answer = _refusing_answer(400, "The body of the request broke off, or its framing is not valid HTTP.")
        except TimeoutError:
            answer = _refusing_answer(
                408, f"The request was not complete after {self._deadline_s:g} seconds. Please try again."
            )
        except UnicodeDecodeError:
            answer = _refusing_answer(400, "The address holds characters that have to be percent-encoded.")
        else:
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, environ)
        await _send_answer(answer, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        with self._at_work, signs.working():
            await send({"type": "lifespan.startup.complete"})
            giving = asyncio.create_task(self._give_signs())
            await receive()
            giving.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _give_signs(self) -> None:
        """Give a sign of life whenever a thread is free. Threads that answer requests give their own signs."""
        while True:
            await asyncio.get_running_loop().run_in_executor(self._threads, signs.give)
            await asyncio.sleep(signs.EVERY_S)

    def _answer(self, environ: dict[str, Any]) -> Response:
        signs.give()
        return Response.from_app(self._site, environ, buffered=True)


async def _body(receive: Receive, most: int) -> tuple[bytes, int]:
    """Return the body of a request and its length; the body is empty if it is longer than `most` bytes. Raises
    HungUp."""
    body, length, more = bytearray(), 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise HungUp
        part = message.get("body", b"")
        length += len(part)
        body = body + part if length <= most else bytearray()
        more = message.get("more_body", False)
    return bytes(body), length


def _environ(scope: HTTPScope, body: bytes, length: int) -> dict[str, Any]:
    """Return the request in WSGI's form. Headers with underscores in their names are dropped: WSGI could not
    distinguish them from headers with hyphens, such as those of a proxy. Raises UnicodeDecodeError."""
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name and name not in FRAMING]
    environ = build_environ({**scope, "headers": headers}, BytesIO(body))  # type: ignore[arg-type]
    return {**environ, "CONTENT_LENGTH": str(length), "wsgi.errors": sys.stderr}


def _refusing_answer(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, {"Connection": "close"}, content_type="text/plain; charset=utf-8")


async def _send_answer(answer: Response, send: Send) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": answer.get_data()})
