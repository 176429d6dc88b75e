"""What would let others in: an installation with any of it does not start, unless it is a demonstration."""

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deploy.host_names import LOOPBACK
from deploy.settings import Settings

log = logging.getLogger(__name__)

SHORTEST_KEY = 32  # characters; the one that is made has 64
FEWEST_DIFFERENT = 8
OFF = ("", "0", "false", "no")  # what Flask takes for no


class Insecure(Exception):
    """An installation that others could get into; the message says how, and what to do."""


@dataclass(frozen=True, slots=True)
class Weakness:
    """A way in. `name`: in a word; `mend`: what closes it."""

    name: str
    detail: str
    mend: str


def weaknesses(settings: Settings) -> Sequence[Weakness]:
    """Every one that the settings show."""
    return [*_cookies(settings), *_key(settings), *_debug()]


def _cookies(settings: Settings) -> Iterator[Weakness]:
    if settings.secure_cookies or settings.plain_http or (settings.host in LOOPBACK and not settings.proxies):
        return
    where = f"the site listens on {settings.host}" if settings.host not in LOOPBACK else "the site is behind a proxy"
    yield Weakness(
        "cookies",
        f"{where} and sends its cookies without HTTPS too, so that passwords and sessions can be overheard",
        "put a TLS proxy before it and set QUADRILLE_SECURE_COOKIES=true; or listen on 127.0.0.1; or, on a network"
        " where you trust everybody, set QUADRILLE_PLAIN_HTTP=true",
    )


def _key(settings: Settings) -> Iterator[Weakness]:
    path = settings.data / "secret-key"
    try:
        key = path.read_text(encoding="utf-8").strip()
    except OSError:  # not there: it is made; unreadable: the site says so itself
        return
    except UnicodeDecodeError:  # nothing that was made here
        key = ""
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_DIFFERENT:
        detail = f"the key in {path} can be guessed, and whoever knows it can be anybody on the site"
        yield Weakness("secret-key", detail, f"rm {path}: another is made at the start, and everybody signs in anew")


def _debug() -> Iterator[Weakness]:
    if os.environ.get("FLASK_DEBUG", "").lower() not in OFF:
        yield Weakness(
            "debugging", "FLASK_DEBUG is set, which shows visitors the program's inside", "unset FLASK_DEBUG"
        )


def require_secure(settings: Settings) -> None:
    """Raises Insecure if others could get in; of a demonstration that is only logged."""
    found = [f"{each.detail}: {each.mend}" for each in weaknesses(settings)]
    if found and not settings.demo:
        raise Insecure("refusing to start, since " + "; and ".join(found))
    for each in found:
        log.warning("only for a demonstration: %s", each)
