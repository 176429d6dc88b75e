"""Hashes of passwords: Argon2id with the memory and passes that OWASP's cheat sheet on password storage names first.
One-time passwords have a hash of Werkzeug's, see `web.people.passwords`."""

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from werkzeug.security import check_password_hash

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""A check takes 19 MiB and some 30 ms of processor time."""


def hashed(password: str) -> str:
    """The hash to store for a password that its owner chose."""
    return _hasher.hash(password)


def matches(stored: str, password: str) -> bool:
    """Whether a stored hash is of this password."""
    if not stored.startswith("$argon2"):
        return check_password_hash(stored, password)
    try:
        return _hasher.verify(stored, password)
    except VerifyMismatchError:
        return False
