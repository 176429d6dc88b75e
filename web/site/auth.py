"""Who is signed in: sessions and passwords for the pages, bearer tokens for the API, and the limits on guessing."""

import hashlib
import hmac
import secrets
from contextlib import suppress
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Any, cast
from urllib.parse import urlsplit

from flask import Flask, current_app, redirect, request, url_for
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager, current_user
from flask_wtf import CSRFProtect
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError, OperationalError
from werkzeug.security import check_password_hash, generate_password_hash

from tournament.store.database import now
from web.models import ApiToken, User
from web.site import sessions
from web.site.maintenance import under_way
from web.site.store import read, write

SHARED = {"custom.shared", "custom.shared_play"}  # replays, for whoever has their address
PUBLIC = {"sign_in.show", "sign_in.enter", "health.healthz", "metrics.metrics", "static", "assets.game_file", *SHARED}
CHOOSING = {"account.choose", "account.choose_password", "sign_in.leave"}  # all that a one-time password leads to
TOKEN_PREFIX = "qd_"  # noqa: S105 - lets secret scanners recognise a token
TOKEN_USE_NOTED = timedelta(minutes=5)
SIGN_IN_NOTED = timedelta(hours=1)
_NOBODY = generate_password_hash(secrets.token_hex())  # checked for unknown logins, so that they take as long
_checking = BoundedSemaphore(2)  # a check takes a processor for 80 ms and 32 MiB: a class that signs in waits in turn

UPLOADS = "20 per minute; 200 per hour"

csrf = CSRFProtect()
limiter = Limiter(get_remote_address, in_memory_fallback_enabled=True)  # while Redis is down
login_manager = LoginManager()


def install(app: Flask) -> None:
    """Sessions, forgery protection and request limits."""
    login_manager.init_app(app)
    login_manager.user_loader(sessions.load)
    app.before_request(_require_sign_in)  # before the limiter, which counts by user
    csrf.init_app(app)
    limiter.init_app(app)


def _require_sign_in() -> Any:
    """Every page needs a sign-in but the few in PUBLIC, and after a one-time password a choice of one's own; the API
    looks at its tokens itself."""
    endpoint = request.endpoint
    if endpoint is None or endpoint in PUBLIC or endpoint.startswith("api."):
        return None
    signed_in = current_user.is_authenticated
    if signed_in:
        sessions.prolong()
    if signed_in and (endpoint in CHOOSING or not user().one_time):
        return None
    target = request.full_path.rstrip("?") if request.method == "GET" else None
    return redirect(url_for("account.choose" if signed_in else "sign_in.show", next=target), 303)


def user() -> User:
    """Who is signed in."""
    return cast(sessions.Account, current_user).user


def sign_in(login: str, password: str) -> bool:
    """Start a session if the password is right."""
    found = read().scalar(select(User).where(User.login == login))
    with _checking:
        right = check_password_hash(found.password_hash if found else _NOBODY, password)
        if found and found.one_time:  # whose own check is quick, see `web.people.passwords`
            check_password_hash(_NOBODY, password)
    if found is None or not right:
        return False
    _note_sign_in(found)
    return sessions.start(found)


def _note_sign_in(found: User) -> None:
    if not under_way() and (found.signed_in_at is None or found.signed_in_at < now() - SIGN_IN_NOTED):
        with suppress(OperationalError), write() as store:  # a full disk must not keep anybody from reading
            store.execute(update(User).where(User.id == found.id).values(signed_in_at=now()))


def sign_out() -> None:
    """End the session, on the server too."""
    if current_user.is_authenticated:
        sessions.end(cast(sessions.Account, current_user._get_current_object()))


def set_password(person: User, password: str, end_sessions: bool = True, end_tokens: bool = True) -> None:
    """Replace a password by one of its owner's choice. This browser stays signed in; their other browsers and their
    API tokens do if asked."""
    hashed = generate_password_hash(password)
    with write() as store:
        owner = store.get_one(User, person.id)
        owner.password_hash, owner.one_time = hashed, False
        if end_sessions:
            owner.generation += 1
        if end_tokens:
            store.execute(delete(ApiToken).where(ApiToken.user_id == owner.id))
        store.flush()
        store.expunge(owner)
    if end_sessions:
        sessions.start(owner)


def password_is(person: User, password: str) -> bool:
    """Whether it is theirs."""
    return check_password_hash(person.password_hash, password)


def new_token(user_id: int, label: str, request_key: str | None = None) -> str:
    """A new bearer token; only its hash is kept, so this is the one time it can be shown. Asked for again with its
    request key it is the same one: the browser shows only the last answer to a form that was sent twice."""
    asked = f"API token of {user_id}: {request_key or secrets.token_hex()}"
    token = TOKEN_PREFIX + hmac.new(str(current_app.secret_key).encode(), asked.encode(), "sha256").hexdigest()
    with suppress(IntegrityError), write() as store:
        store.add(ApiToken(user_id=user_id, label=label, sha256=_sha256(token)))
    return token


def token_owner(token: str) -> User | None:
    """Whose token it is; notes that it was used, at most every few minutes."""
    found = read().scalar(select(ApiToken).where(ApiToken.sha256 == _sha256(token)))
    if found is None:
        return None
    if not under_way() and (found.used_at is None or found.used_at < now() - TOKEN_USE_NOTED):
        with suppress(OperationalError), write() as store:  # a full disk must not keep anybody from reading
            store.execute(update(ApiToken).where(ApiToken.id == found.id).values(used_at=now()))
    return found.user


def local_path(target: str | None) -> str | None:
    """`target` if it is a path on this site, else None: a sign-in never leads elsewhere."""
    if not target or not target.startswith("/") or target.startswith(("//", "/\\")):
        return None
    parts = urlsplit(target)
    printable = all(character.isprintable() and character != "\\" for character in target)
    return target if printable and not parts.scheme and not parts.netloc else None


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
