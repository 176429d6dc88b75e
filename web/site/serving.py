"""Check each request before anything else reads it, add headers to every response, compress large answers, and time
each request.

The site answers only under the host names that it knows, because under any other name, links on pages could lead
elsewhere. If the database is migrated to another revision while the site runs, every request is refused until a site of
that revision takes over or the earlier database is restored.

Every answer gets security headers. Some large answers are compressed, since the leaderboard of a large class is half a
megabyte. An answer that contains both a visitor's own words and a secret is not compressed, since its size could reveal
the secret (BREACH). Flask-Compress is not used for the same reason: it chooses answers by media type, cannot be limited
to these pages without decorating each view and the static files, and needs two native compression libraries.
"""

import gzip
import logging
from collections.abc import Callable
from functools import lru_cache
from time import monotonic
from typing import Any, Final

from flask import Flask, Response, g, request
from prometheus_client import Histogram
from sqlalchemy import Connection

from tournament.work.tally import COUNTED
from web.site import errors
from web.site.host_name import name_of
from web.site.store import READING, read, settings

REQUESTS = Histogram(
    "quadrille_request_seconds",
    "From a request's arrival in the process to its answer, in seconds.",
    ["route", "status"],
    registry=COUNTED,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0),
)
FILES = {"static", "assets.game_file"}
LOOK_S = 2.0
"""A request that only reads may rely on a check made up to this many seconds ago."""

RETRY_S = 30
REFUSAL = (
    "Quadrille is being upgraded and will be back in a moment. Everything that was stored is safe. Anything that you"
    " sent just now was not stored: please send it again then."
)
UNKNOWN_HOST = (
    "This site does not answer under the host name in this address. If it should, its operator has to add the name to"
    " the setting QUADRILLE_HOSTS (or QUADRILLE_SITE) and restart it."
)

_EDITOR: Final = ("add_files", "save_file", "upload_cases", "save_case", "begin_attempt")
_MARKS: Final = ("gradebook.complete_files", "rubric.complete")
LARGE: Final = frozenset({"course.show", "course.add", *_MARKS, *(f"edit.{name}" for name in _EDITOR)})
"""Endpoints whose forms contain an author's files. Their forms may be larger than the application's general limit."""

MOST: Final = 16 << 20

log = logging.getLogger(__name__)


class RevisionWatch:
    """Checks whether the database still has this program's revision. For `schema_problem`, see `web.site.store`."""

    def __init__(self, schema_problem: Callable[[Connection], str]) -> None:
        self._schema_problem, self._found = schema_problem, ""
        self._due = monotonic()

    def found(self, now: bool) -> str:
        """The problem, or "" if there is none. If `now`, check the database even if the last check is recent."""
        if now or monotonic() >= self._due:
            found, former = self._schema_problem(read().connection()), self._found
            self._found, self._due = found, monotonic() + LOOK_S
            if found != former:
                log.warning("%s", f"refusing all requests: {found}" if found else "answering requests again")
        return self._found


def install(app: Flask) -> None:
    """Check every request before anything else queries the database or reads a form, and add headers to every response.
    A large form is refused before it is read if its sender may not send it (see `web.site.auth`). Install this first,
    so that the whole request is timed."""
    app.before_request(_begin)
    app.after_request(_end)
    app.after_request(_compress)
    app.after_request(_add_headers)
    app.before_request(_refuse_unknown_host)
    watch = RevisionWatch(app.extensions["quadrille"].schema_problem)

    def refuse() -> Any:
        if request.endpoint in FILES or not watch.found(now=request.method not in READING):
            return None
        return errors.answer(503, REFUSAL, RETRY_S, bare=True)

    app.before_request(refuse)
    app.before_request(_allow_large)


def _begin() -> None:
    g.begun = monotonic()


def _end(response: Response) -> Response:
    if "begun" in g:
        route, status = request.endpoint or "none", f"{response.status_code // 100}xx"
        REQUESTS.labels(route, status).observe(monotonic() - g.begun)
    return response


def _refuse_unknown_host() -> Any:
    known = settings().hosts
    if known is None or name_of(request.host) in known:
        return None
    return errors.answer(400, UNKNOWN_HOST, bare=True)


def _allow_large() -> None:
    if request.endpoint in LARGE:
        request.max_content_length = max(MOST, request.max_content_length or 0)
        request.max_form_memory_size = max(MOST, request.max_form_memory_size or 0)


POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

COMPRESSED = {"api.get_definition", "leaderboard.show", "leaderboard.board", "game.play", *FILES}
SEARCHED = "find"  # the search text; the leaderboard's page repeats it beside a form's token
LEAST = 2000  # bytes
LEVEL = 1  # a tenth of the size, in a few milliseconds; other threads run meanwhile


def _compress(response: Response) -> Response:
    if request.endpoint not in COMPRESSED or response.status_code != 200 or SEARCHED in request.args:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip") or response.content_encoding:
        return response
    response.direct_passthrough = False  # compress files too
    body = response.get_data()
    if len(body) >= LEAST:
        response.set_data(_packed_file(body) if request.endpoint in FILES else gzip.compress(body, LEVEL))
        response.content_encoding = "gzip"
    return response


@lru_cache(maxsize=64)
def _packed_file(body: bytes) -> bytes:
    """Compress a file that every page uses. The result is cached, so gzip's best level is affordable."""
    return gzip.compress(body)


def _add_headers(response: Response) -> Response:
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if request.endpoint not in FILES:
        headers.setdefault("Cache-Control", "private, no-cache")
    return response
