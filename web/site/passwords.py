"""Hash passwords, check the passwords that people choose, and create one-time passwords. A one-time password is shown
once, to the person who passes it on to its owner; the owner must replace it at the next sign-in.

Hashes are Argon2id with the memory and passes that OWASP's cheat sheet on password storage lists first.
"""

import secrets

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from sqlalchemy import delete
from sqlalchemy.orm import Session
from werkzeug.security import check_password_hash, generate_password_hash

from web.site.models import Account, ApiToken, User

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""Checking a password takes 19 MiB of memory and about 30 ms of processor time."""


def hashed(password: str) -> str:
    """The hash to store for a password that its owner has chosen."""
    return _hasher.hash(password)


def matches(stored: str, password: str) -> bool:
    """Whether a stored hash belongs to this password."""
    if not stored.startswith("$argon2"):
        return check_password_hash(stored, password)
    try:
        return _hasher.verify(stored, password)
    except VerifyMismatchError:
        return False


LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # no lookalikes, and nothing that begins a formula in a spreadsheet
GROUPS, GROUP = 3, 5  # 74 bits
QUICK = "pbkdf2:sha256:1000"
"""A fast hash for one-time passwords: nobody can guess 74 random bits, however fast each attempt is. Hashing 1,000 of
these passwords for a class takes under a second."""

SHORTEST, LONGEST = 10, 1000  # characters
LOOKED_AT = 72  # only this many characters are judged, since judging takes more than linear time
GUESSABLE = 10**6  # guesses; the 10,000 most common passwords, and similar ones, need fewer


def refusal(password: str, owner: Account) -> str:
    """Why this password is refused for its owner, and what to do about it; "" if the password is accepted."""
    if len(password) < SHORTEST:
        return f"A password needs at least {SHORTEST} characters; this one has {len(password)}."
    if len(password) > LONGEST:
        return f"A password can have at most {LONGEST:,} characters; this one has {len(password):,}."
    if matches(owner.password_hash, password):
        return "This is the one-time password." if owner.one_time else "This is your current password."
    from zxcvbn import zxcvbn  # loading its word lists takes a tenth of a second, and few processes judge passwords

    judged = zxcvbn(password[:LOOKED_AT], ["quadrille", owner.login, *owner.name.split()])
    if judged["guesses"] < GUESSABLE:
        return f"This password is easy to guess. {judged['feedback']['warning']}".strip()
    return ""


def one_time_password() -> str:
    """A random password such as `k7mqx-2fdrh-9wbtz`."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(GROUP)) for _ in range(GROUPS))


def new_account(session: Session, login: str, name: str) -> tuple[User, str]:
    """Create an account and return it with its one-time password, of which only the hash is stored."""
    password = one_time_password()
    user = User(login=login, name=name, password_hash=generate_password_hash(password, QUICK), one_time=True)
    session.add(user)
    return user, password


def replace_password(session: Session, user: User) -> str:
    """Replace an account's password with a one-time password, end its sessions and revoke its API tokens. Return the
    one-time password."""
    password = one_time_password()
    user.password_hash, user.one_time = generate_password_hash(password, QUICK), True
    user.generation += 1
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))
    return password
