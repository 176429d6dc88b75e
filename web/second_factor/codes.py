"""Codes of a second factor: from an app (TOTP, RFC 6238), and for the day on which the app is lost."""

import hashlib
import hmac
import secrets
from time import time
from typing import Final

import pyotp
from limits import parse

from web.second_factor.tables import SecondFactor
from web.site.auth import limiter
from web.site.passwords import LETTERS

STEP_S: Final = 30
LEEWAY: Final = 1  # steps by which the clock of a phone may differ
RECOVERY: Final = 10
LENGTH: Final = 12  # letters of a recovery code: 59 bits
ONCE: Final = parse("1 per 20 minutes")  # longer than what is counted is valid


def step_of(secret: str, code: str, after: int = 0) -> int | None:
    """The step whose code this is, if it is about now and later than the step `after`."""
    totp, present = pyotp.TOTP(secret), int(time()) // STEP_S
    found = None
    for step in range(present - LEEWAY, present + LEEWAY + 1):
        if step > after and hmac.compare_digest(totp.at(step * STEP_S).encode(), code.encode()):
            found = step
    return found


def unused_step(row: SecondFactor, typed: str) -> int | None:
    """The step of a code of the app, if there is an app and the code was not used before; now it is."""
    code = _plain(typed)
    step = step_of(row.secret, code, row.last_step) if row.secret else None
    return None if step is None or used_before(row.user_id, step, code) else step


def used_before(*what: object) -> bool:
    """Whether this was used in the last minutes; now it is. Counted where requests are, so during maintenance too."""
    return not limiter.limiter.hit(ONCE, "second factor", *map(str, what))


def _plain(typed: str) -> str:
    return "".join(typed.split()).replace("-", "").lower()[:100]


def use(row: SecondFactor, typed: str) -> bool:
    """Whether a code is right; then it is used, and right no more. The row must be locked."""
    code = _plain(typed)
    if step := unused_step(row, typed):
        row.last_step = step
        return True
    left = [each for each in row.recovery if not hmac.compare_digest(each, _kept(row.user_id, code))]
    used = len(left) < len(row.recovery)
    row.recovery = left
    return used


def new_recovery_codes() -> list[str]:
    """Codes to be shown once."""
    return ["".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(RECOVERY)]


def kept(user_id: int, codes: list[str]) -> list[str]:
    """What is kept of recovery codes. They are random, so that a quick hash is enough."""
    return [_kept(user_id, each) for each in codes]


def _kept(user_id: int, code: str) -> str:
    return hashlib.sha256(f"{user_id} {code}".encode()).hexdigest()
