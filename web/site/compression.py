"""Smaller answers where they are large: a class's leaderboard is half a megabyte of much the same.

Only where no visitor's words are in the answer: what is compressed beside a secret could tell of it (BREACH).
"""

import gzip

from flask import Flask, Response, request

COMPRESSED = {"leaderboard.show", "leaderboard.board", "game.play", "static", "assets.game_file"}
LEAST = 2000  # bytes
LEVEL = 1  # a tenth of the size for a few milliseconds, during which other threads run


def install(app: Flask) -> None:
    """Compress what browsers take compressed."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    if request.endpoint not in COMPRESSED or response.status_code != 200:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip") or response.content_encoding:
        return response
    response.direct_passthrough = False  # files too
    body = response.get_data()
    if len(body) >= LEAST:
        response.set_data(gzip.compress(body, LEVEL))
        response.content_encoding = "gzip"
    return response
