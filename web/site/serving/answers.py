"""What is added to every answer: security headers, and compression if it is large, since the leaderboard of a large
class is half a megabyte.

Only answers without a visitor's own words beside a secret are compressed: that can reveal the secret (BREACH). For the
same reason not Flask-Compress: it chooses by media type, cannot be limited to these pages without decorating each view
and the static files, and brings two native compression libraries.
"""

import gzip
from functools import lru_cache

from flask import Flask, Response, request

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

FILES = {"static", "assets.game_file"}
COMPRESSED = {"api.get_definition", "leaderboard.show", "leaderboard.board", "game.play", *FILES}
SEARCHED = "find"  # what a leaderboard is searched for, which its page repeats beside the token of a form
LEAST = 2000  # bytes
LEVEL = 1  # a tenth of the size for a few milliseconds, during which other threads run


def install(app: Flask) -> None:
    """Add the security headers to every answer, and compress large ones for browsers that accept that."""
    app.after_request(_compress)
    app.after_request(_add_headers)


def _compress(response: Response) -> Response:
    if request.endpoint not in COMPRESSED or response.status_code != 200 or SEARCHED in request.args:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip") or response.content_encoding:
        return response
    response.direct_passthrough = False  # files too
    body = response.get_data()
    if len(body) >= LEAST:
        response.set_data(_file(body) if request.endpoint in FILES else gzip.compress(body, LEVEL))
        response.content_encoding = "gzip"
    return response


@lru_cache(maxsize=64)
def _file(body: bytes) -> bytes:
    """A file of every page: compressed once, and well."""
    return gzip.compress(body)


def _add_headers(response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if request.endpoint not in ("static", "assets.game_file"):
        headers.setdefault("Cache-Control", "private, no-cache")
    return response
