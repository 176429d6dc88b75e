"""Replays that were asked for lately. What a viewer may see of a finished game does not change, and drawing it is the
dearest thing that the site does."""

import gzip
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Final

from flask import Response, request

from tournament.play.record import Record
from web.replay.film import Scene
from web.site.rendering.kept import KeptPart

FILMS: Final = 512  # of about 13 kB each, in each process of the site
SCENES: Final = 256  # of about 30 kB
RECORDS: Final = 64  # of about 100 kB: a page and its film come one after the other
LEVEL: Final = 6  # half the size of level 1, and done once


unpacked = lru_cache(maxsize=RECORDS)(Record.unpack)
"""The record that was packed so, with the insides of all players. That saves a tenth of a film that is kept."""


def kept_film(made_of: object, draw: Callable[[], str]) -> KeptPart[str]:
    """A film by the digest of all that it is made of, rules and drawings included."""
    return KeptPart(_digest(made_of), [draw])


def kept_scene(made_of: object, make: Callable[[], Scene]) -> Scene:
    """A scene, which is made only if none is kept that is made of the same."""
    return _scene(KeptPart(_digest(made_of), [make]))


def _digest(made_of: object) -> str:
    return sha256(repr(made_of).encode()).hexdigest()[:20]


@lru_cache(maxsize=FILMS)
def _packed(film: KeptPart[str]) -> bytes:
    return gzip.compress(film.made().encode(), LEVEL)


@lru_cache(maxsize=SCENES)
def _scene(scene: KeptPart[Scene]) -> Scene:
    return scene.made()


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
    _scene.cache_clear()
    unpacked.cache_clear()
