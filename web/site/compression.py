"""Compression of large answers: the leaderboard of a large class is half a megabyte.

Only answers without a visitor's own words beside a secret are compressed: that can reveal the secret (BREACH). For the
same reason not Flask-Compress: it chooses by media type, cannot be limited to these pages without decorating each view
and the static files, and brings two native compression libraries.
"""

import gzip

from flask import Flask, Response, request

COMPRESSED = {"api.get_definition", "leaderboard.show", "leaderboard.board", "game.play", "static", "assets.game_file"}
LEAST = 2000  # bytes
LEVEL = 1  # a tenth of the size for a few milliseconds, during which other threads run


def install(app: Flask) -> None:
    """Compress answers for browsers that accept that."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    return compressed(response) if request.endpoint in COMPRESSED and response.status_code == 200 else response


def compressed(response: Response) -> Response:
    """Compress an answer if the browser accepts that."""
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip") or response.content_encoding:
        return response
    response.direct_passthrough = False  # files too
    body = response.get_data()
    if len(body) >= LEAST:
        response.set_data(gzip.compress(body, LEVEL))
        response.content_encoding = "gzip"
    return response
