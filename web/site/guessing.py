"""Limits on guessing passwords, designed so that nobody's guessing locks out anybody else.

Wrong passwords are counted by address, and by address and user name together. After a burst of them a try is accepted
now and then, so people who share an address with somebody who guesses wait for seconds. A browser in which a person has
signed in before is counted separately: it carries a signed cookie, so that nobody else can use up its tries.
"""

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil

from flask import current_app, request, url_for
from itsdangerous import BadSignature, URLSafeTimedSerializer
from limits import RateLimitItem, parse
from werkzeug.wrappers import Response

from web.site.auth import limiter

COOKIE = "quadrille_known"
KNOWN_FOR_S = 365 * 24 * 60 * 60
KNOWN_LOGINS = 20  # in one browser, of a computer room perhaps


@dataclass(frozen=True, slots=True)
class TryLimit:
    """A burst of tries, and how often one is accepted after it."""

    burst: RateLimitItem
    then: RateLimitItem


OF_A_LOGIN = TryLimit(parse("10 per 5 minutes"), parse("1 per 20 seconds"))
OF_AN_ADDRESS = TryLimit(parse("300 per 5 minutes"), parse("1 per 1 second"))
"""A whole class may sit behind one address."""


def wait_s(login: str) -> int:
    """Count a try with this user name; 0 if it is allowed, else the seconds until one is. It is counted before the
    password is checked, so that sending many at once gains nothing."""
    known = _device_of(login)
    wait = 0 if known else _wait_s(OF_AN_ADDRESS, "address", _network())
    return wait or _take(OF_A_LOGIN, "login", known or _network(), _name(login))


def was_wrong(login: str) -> None:
    """Count a wrong password against the address."""
    if not _device_of(login):
        _take(OF_AN_ADDRESS, "address", _network())


def was_right(login: str, response: Response) -> None:
    """Forget the tries with this user name, and remember this browser."""
    known = _device_of(login)
    for item in (OF_A_LOGIN.burst, OF_A_LOGIN.then):
        limiter.limiter.clear(item, "login", known or _network(), _name(login))
    device, names = _cookie()
    names = [*(each for each in names if each != _name(login)), _name(login)][-KNOWN_LOGINS:]
    value = _serializer().dumps([device or secrets.token_urlsafe(12), names])
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    path = url_for("sign_in.enter")
    response.set_cookie(COOKIE, value, KNOWN_FOR_S, secure=secure, httponly=True, samesite="Lax", path=path)


def _take(limit: TryLimit, *key: str) -> int:
    counts = limiter.limiter
    return 0 if counts.hit(limit.burst, *key) or counts.hit(limit.then, *key) else _wait_s(limit, *key)


def _wait_s(limit: TryLimit, *key: str) -> int:
    counts = limiter.limiter
    if counts.test(limit.burst, *key) or counts.test(limit.then, *key):
        return 0
    return max(1, ceil(counts.get_window_stats(limit.then, *key).reset_time - time.time()))


def _network() -> str:
    """The visitor's address; for IPv6 its network, since one subscriber has a whole network."""
    address = ip_address(request.remote_addr or "0.0.0.0")  # noqa: S104 - nobody listens there
    return str(int(address) >> 64) if isinstance(address, IPv6Address) else str(address)


def _device_of(login: str) -> str:
    """The number of this browser if this person has signed in here before, else ""."""
    device, names = _cookie()
    return device if _name(login) in names else ""


def _cookie() -> tuple[str, list[str]]:
    try:
        device, names = _serializer().loads(request.cookies.get(COOKIE, ""), max_age=KNOWN_FOR_S)
    except BadSignature:
        return "", []
    return device, names


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="a browser that has signed in")


def _name(login: str) -> str:
    """A hash of a user name, so that the next visitor of a shared computer cannot read it."""
    key, text = str(current_app.secret_key).encode(), login.casefold()[:100].encode()
    return hmac.new(key, text, hashlib.sha256).hexdigest()[:16]
