"""Replays that were asked for lately. What a viewer may see of a finished game does not change, and drawing it is the
dearest thing that the site does."""

import gzip
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Final

from flask import Response, request
from markupsafe import Markup

from tournament.play.record import Record
from web.site.rendering.kept import KeptPart

FILMS: Final = 256  # of about 20 kB each, in each process of the site
PAGES: Final = 128  # of about 40 kB
RECORDS: Final = 64  # of about 100 kB: a page and its film come one after the other
LEVEL: Final = 6  # half the size of level 1, and done once


def kept_replay(made_of: object, draw: Callable[[], str]) -> KeptPart[str]:
    """A replay by the digest of all that it is made of, rules and drawings included."""
    return KeptPart(sha256(repr(made_of).encode()).hexdigest()[:20], [draw])


unpacked = lru_cache(maxsize=RECORDS)(Record.unpack)
"""The record that was packed so, with the insides of all players. That saves a tenth of a film that is kept."""


@lru_cache(maxsize=FILMS)
def _packed(film: KeptPart[str]) -> bytes:
    return gzip.compress(film.made().encode(), LEVEL)


@lru_cache(maxsize=PAGES)
def page_part(replay: KeptPart[str]) -> Markup:
    """The part of a page that shows a replay."""
    return Markup(replay.made())  # noqa: S704 - a template's


def answer_film(film: KeptPart[str]) -> Response:
    """Answer with a film. Nothing that a visitor sent is in it, so that it can be compressed."""
    response, tag = Response(mimetype="application/json"), str(film.made_of)
    response.vary.add("Accept-Encoding")
    response.set_etag(tag)
    if request.if_none_match.contains(tag):
        response.status_code = 304
    elif request.accept_encodings.quality("gzip"):
        response.set_data(_packed(film))
        response.content_encoding = "gzip"
    else:
        response.set_data(gzip.decompress(_packed(film)))
    return response


def forget() -> None:
    """Keep none of them any longer."""
    _packed.cache_clear()
    page_part.cache_clear()
    unpacked.cache_clear()
