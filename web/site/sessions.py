"""Browsers that are signed in. A signed cookie says who it is; the database says which cookies no longer count.

The cookie holds `<user id>.<generation>.<key>`. The generation is the user's: counting it up ends all their sessions.
The key is this browser's own: signing out stores its hash, so that a copy of the cookie is worth nothing afterwards.
So a sign-in stores nothing and works while the disk is full. (Flask-Session would store each session, needs
Flask-SQLAlchemy, and cannot end all sessions of a person.)
"""

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from flask import g, session
from flask_login import UserMixin, login_user, logout_user
from sqlalchemy import bindparam, delete, exists, select, true
from sqlalchemy.exc import IntegrityError, OperationalError

from tournament.store.database import now
from tournament.store.tables import Maintenance
from web.models import EndedSession, User
from web.site.store import read, write

LIFETIME = timedelta(days=7)
"""A cookie that has not been used for as long is worth nothing; until then it must be remembered that it was ended."""

_SIGNED_IN = (
    select(User, Maintenance)
    .outerjoin(Maintenance, true())
    .where(
        User.id == bindparam("id"),
        User.generation == bindparam("generation"),
        ~exists().where(EndedSession.sha256 == bindparam("sha256")),
    )
)
"""Every page needs to know the user and the maintenance; one query less in each."""


@dataclass(frozen=True, eq=False)
class Account(UserMixin):  # type: ignore[misc]
    """The signed-in user as Flask-Login sees it."""

    user: User
    key: str

    def get_id(self) -> str:
        """What the cookie holds."""
        return f"{self.user.id}.{self.user.generation}.{self.key}"


def load(cookie: str) -> Account | None:
    """Who is signed in with such a cookie, if anybody."""
    id_, _, rest = cookie.partition(".")
    generation, _, key = rest.partition(".")
    if not (id_.isdigit() and generation.isdigit() and key):
        return None
    values = {"id": int(id_), "generation": int(generation), "sha256": _sha256(key)}
    found = read().execute(_SIGNED_IN, values).first()
    if found is None:
        return None
    g.maintenance = found[1]
    return Account(found[0], key)


def start(user: User) -> bool:
    """Sign the user in, in this browser."""
    session.clear()
    session.permanent = True
    return bool(login_user(Account(user, secrets.token_urlsafe(18))))


def prolong() -> None:
    """A session ends a week after it was used last, to the day: signing its cookie in every request would take time."""
    if session.get("day") != (today := now().toordinal()):
        session["day"] = today


def end(account: Account) -> None:
    """Sign out, in this browser; no copy of its cookie counts any more."""
    with suppress(IntegrityError, OperationalError), write() as store:  # sent twice; or the disk is full
        store.execute(delete(EndedSession).where(EndedSession.ended_at < now() - LIFETIME - timedelta(days=1)))
        store.add(EndedSession(sha256=_sha256(account.key)))
    logout_user()
    session.clear()


def _sha256(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
