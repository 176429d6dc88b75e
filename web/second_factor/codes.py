"""Codes of a second factor: codes from an app (TOTP, RFC 6238), and recovery codes in case the app is lost."""

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
ONCE: Final = parse("1 per 20 minutes")  # longer than the validity of any code or answer


def step_of(secret: str, code: str, after: int = 0) -> int | None:
    """Return the step to which this code belongs, if that step is close to the present time and later than `after`;
    otherwise None."""
    totp, present = pyotp.TOTP(secret), int(time()) // STEP_S
    found = None
    for step in range(present - LEEWAY, present + LEEWAY + 1):
        if step > after and hmac.compare_digest(totp.at(step * STEP_S).encode(), code.encode()):
            found = step
    return found


def unused_step(row: SecondFactor, typed: str) -> int | None:
    """Return the step of a code from the app; None if there is no app, or the code is wrong or was used before. Marks
    the code as used."""
    code = _bare_code(typed)
    step = step_of(row.secret, code, row.last_step) if row.secret else None
    return None if step is None or used_before(row.user_id, step, code) else step


def used_before(*what: object) -> bool:
    """Whether a code or answer was used in the last few minutes. Marks it as used in the store for rate limits, which
    is available during maintenance too."""
    return not limiter.limiter.hit(ONCE, "second factor", *map(str, what))


def _bare_code(typed: str) -> str:
    return "".join(typed.split()).replace("-", "").lower()[:100]


def use(row: SecondFactor, typed: str) -> bool:
    """Whether a code is correct. This uses up a correct code. The caller has locked the row."""
    code = _bare_code(typed)
    if step := unused_step(row, typed):
        row.last_step = step
        return True
    left = [each for each in row.recovery if not hmac.compare_digest(each, _kept(row.user_id, code))]
    used = len(left) < len(row.recovery)
    row.recovery = left
    return used


def new_recovery_codes() -> list[str]:
    """Return new recovery codes, to be shown only once."""
    return ["".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(RECOVERY)]


def kept(user_id: int, codes: list[str]) -> list[str]:
    """Return hashes of recovery codes, for storage. The codes are random, so a quick hash is enough."""
    return [_kept(user_id, each) for each in codes]


def _kept(user_id: int, code: str) -> str:
    return hashlib.sha256(f"{user_id} {code}".encode()).hexdigest()
