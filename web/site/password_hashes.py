"""Hashes of passwords: Argon2id with the memory and passes that OWASP's cheat sheet on password storage names first.

Former versions stored scrypt. Those hashes are read as well, and replaced when their owners sign in.
"""

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from werkzeug.security import check_password_hash

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""A check takes 19 MiB. It takes three tenths of the processor time of the scrypt before (33 ms beside 113, on one
machine), which was two fifths of what the site used while a class signed in."""


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


def outdated(stored: str) -> bool:
    """Whether to replace a hash, now that its password is known."""
    return stored.startswith("scrypt:")
