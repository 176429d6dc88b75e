"""Security weaknesses: an installation with any of them does not start, unless it is a demonstration."""

import logging
import os
from collections.abc import Iterator

from deploy.machine import Unable
from deploy.settings import Settings
from sandbox.host.probe import Finding
from web.site.host_name import LOOPBACK

log = logging.getLogger(__name__)

SHORTEST_KEY = 32  # characters; generated keys have 64
FEWEST_DIFFERENT = 8
OFF = ("", "0", "false", "no")  # the values that Flask treats as no


class Insecure(Unable):
    """The installation has a weakness; the message says which, and how to fix it."""


def weaknesses(settings: Settings) -> Iterator[Finding]:
    """Yield all weaknesses that the settings have."""
    accepted = settings.secure_cookies or settings.plain_http
    if not accepted and (settings.host not in LOOPBACK or settings.proxies):
        where = f"listens on {settings.host}" if settings.host not in LOOPBACK else "is behind a proxy"
        yield Finding(
            "cookies",
            False,
            f"the site {where} and sends its cookies without HTTPS too, so others can read passwords and sessions on"
            " the way",
            "put a TLS proxy in front of it and set QUADRILLE_SECURE_COOKIES=true; or listen on 127.0.0.1; or, on a"
            " network where you trust everyone, set QUADRILLE_PLAIN_HTTP=true",
        )
    yield from _weak_key(settings)
    if os.environ.get("FLASK_DEBUG", "").lower() not in OFF:
        what = "FLASK_DEBUG is set, which shows visitors the program's internals"
        yield Finding("debugging", False, what, "unset FLASK_DEBUG")


def _weak_key(settings: Settings) -> Iterator[Finding]:
    path = settings.data / "secret-key"
    try:
        key = path.read_text(encoding="utf-8").strip()
    except OSError:  # a missing key is created; the site reports an unreadable one
        return
    except UnicodeDecodeError:  # not written by Quadrille
        key = ""
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_DIFFERENT:
        detail = f"the key in {path} can be guessed, and anyone who knows it can sign in as anyone"
        yield Finding(
            "secret-key", False, detail, f"rm {path}: a new key is created at the start, and everyone signs in again"
        )


def require_secure(settings: Settings) -> None:
    """Raise Insecure if there is a weakness; for a demonstration, only log the weaknesses."""
    found = [f"{each.detail}: {each.fix}" for each in weaknesses(settings)]
    if found and not settings.demo:
        raise Insecure("refusing to start, since " + "; and ".join(found))
    for each in found:
        log.warning("only for a demonstration: %s", each)
