"""Determine who is signed in: by sessions and passwords for the pages, by bearer tokens for the API.

A session's signed cookie identifies the person; the database says which cookies are no longer valid. The cookie
contains `<user id>.<generation>.<key>`. The generation belongs to the user; increasing it ends all their sessions. The
key belongs to the browser; signing out stores the key's hash, which makes every copy of the cookie worthless. A sign-in
stores nothing, so it works even when the disk is full, except for people with a second factor, whose code is stored as
used. (Flask-Session would store each session, needs Flask-SQLAlchemy, and cannot end all sessions of a person.)
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from threading import BoundedSemaphore
from time import monotonic, time
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from flask import Flask, current_app, flash, g, redirect, request, session, url_for
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user
from flask_wtf import CSRFProtect
from limits import RateLimitItem, WindowStats
from limits.storage import MemoryStorage, Storage
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from sqlalchemy import bindparam, delete, exists, select, true, update
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from tournament.store.database import columns, now
from tournament.store.notices import unread_of
from tournament.store.tables import Maintenance
from tournament.store.validation import ChangedMeanwhile
from web.site.models import ACCOUNT, Account, ApiToken, Course, EndedSession, Membership, Role, User
from web.site.passwords import hashed, matches
from web.site.store import READING, read, settings, under_way, write

SHARED = {"custom.shared", "custom.shared_play", "shared_game.shared", "shared_game.play"}  # need only the address
FORGOTTEN = {"forgotten.show", "forgotten.ask", "forgotten.reset_page", "forgotten.reset"}
STOPPING = {"mail.stop_page", "mail.stop"}  # need a signed address
SIGNING_ON = {"sign_on.start", "sign_on.back", "sign_on.leave"}  # use a provider, see `web.sign_on`
LAUNCHING = {"lti.login", "lti.launch", "lti.arrive", "lti.published_keys", "lti.choose", "lti_registration.register"}
CALENDAR = {"calendar.show"}  # needs a signed address
REGISTERING = {"register.show", "register.ask", "register.confirm", "register.make"}  # need the code of a course
SECOND = {"second_factor.ask", "second_factor.enter"}  # the second step of a sign-in, see `web.second_factor`
PUBLIC = {"sign_in.show", "sign_in.enter", "metrics.healthz", "metrics.metrics", "static", "assets.game_file"}
LEGAL = {"legal.imprint", "legal.privacy"}
PUBLIC |= {*LEGAL, *SHARED, *STOPPING, *FORGOTTEN, *SIGNING_ON, *LAUNCHING, *CALENDAR, *SECOND, *REGISTERING}
CHOOSING = {"account.choose", "account.choose_password", "sign_in.leave"}  # open after using a one-time password
VIEWING = "viewing"
PENDING = "pending"  # session key: the person whose password was right, until their second step
SECOND_STEP = "second step"  # the Flask extension that says whether a person has a second factor
SIGNED_ON = "signed_on"  # session key: the name of the provider with which the session began
ENDING_VIEW = {"sign_in.leave_view", "sign_in.leave"}
FREE = PUBLIC | CHOOSING | ENDING_VIEW  # open even if a site requires another step first
PRIVATE = {"account", "calendar", "mail", "privacy", "second_factor"}
"""The blueprints of pages about the student as a person, not about a course."""

TOKEN_PREFIX = "qd_"  # noqa: S105 - lets secret scanners recognise a token
TOKEN_USE_NOTED = timedelta(minutes=5)
SIGN_IN_NOTED = timedelta(hours=1)
LIFETIME = timedelta(days=7)
"""A cookie that has not been used for this long is no longer valid. Until then, the site must remember that its session
has ended."""

ENDED = "Your session has ended, so nothing was uploaded or saved. Sign in, then send it again."
UPLOADS = "20 per minute; 200 per hour"
STORAGE_REST_S = 5.0
"""How long the storage of shared request counts is left alone after a failure, since each attempt takes a second if the
storage hangs."""

Counted = TypeVar("Counted")
log = logging.getLogger(__name__)

_checking = BoundedSemaphore(2)  # a check takes 30 ms of processor time and 19 MiB; people wait when a class signs in

csrf = CSRFProtect()


class CommonLimits(FixedWindowRateLimiter):
    """Counts requests for all processes together, or for this process alone while the shared storage cannot be reached.
    (The library's own fallback works for one request at a time: any other request that meets the failure at that moment
    ends in an error.)"""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
        self._own, self._ask_again = FixedWindowRateLimiter(MemoryStorage()), 0.0

    def _counted(self, common: Callable[..., Counted], own: Callable[..., Counted], *key: Any, **more: int) -> Counted:
        if monotonic() >= self._ask_again:
            try:
                return common(*key, **more)
            except self.storage.base_exceptions as error:
                self._ask_again = monotonic() + STORAGE_REST_S
                log.warning("requests are counted by this process alone: %s", error)
        return own(*key, **more)

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return self._counted(super().hit, self._own.hit, item, *identifiers, cost=cost)

    def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return self._counted(super().test, self._own.test, item, *identifiers, cost=cost)

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        return self._counted(super().get_window_stats, self._own.get_window_stats, item, *identifiers)

    def clear(self, item: RateLimitItem, *identifiers: str) -> None:
        return self._counted(super().clear, self._own.clear, item, *identifiers)


STRATEGIES["common"] = CommonLimits
limiter = Limiter(get_remote_address, strategy="common")
login_manager = LoginManager()


def install(app: Flask) -> None:
    """Add sessions, forgery protection and request limits."""
    login_manager.init_app(app)
    login_manager.user_loader(load)
    app.before_request(_require_sign_in)  # before the limiter, which counts by user
    app.context_processor(lambda: {"viewing": viewing()})
    csrf.init_app(app)
    limiter.init_app(app)


def _require_sign_in() -> Any:
    """Require a sign-in for every page except those in PUBLIC. People who signed in with a one-time password must first
    choose a password of their own. The API checks its tokens itself."""
    endpoint = request.endpoint
    if endpoint is None or endpoint in PUBLIC or endpoint.startswith("api."):
        return None
    signed_in = current_user.is_authenticated
    if signed_in and session.get("day") != (today := now().toordinal()):
        session["day"] = today  # daily only, since signing the cookie in every request would take time
    if signed_in and (endpoint in CHOOSING or not user().one_time or SIGNED_ON in session):
        _view(read())
        return None
    if not signed_in and endpoint == "sign_in.join_form":
        return redirect(url_for("register.show", code=request.args.get("code")), 303)
    if not signed_in and request.method == "POST" and endpoint not in ENDING_VIEW:
        flash(ENDED, "warn")
    return redirect(url_for("account.choose" if signed_in else "sign_in.show", next=asked_page()), 303)


def asked_page() -> str | None:
    """The path of the requested page, or of the page with the form that was sent, to which a sign-in can lead later."""
    if request.method == "GET":
        return request.full_path.rstrip("?")
    came = urlsplit(request.referrer or "")
    here = came.netloc == request.host and current_app.create_url_adapter(request)
    return urlunsplit(("", "", came.path, came.query, "")) if here and here.test(came.path, "GET") else None


# Sessions


@dataclass(frozen=True, eq=False)
class SignedIn(UserMixin):  # type: ignore[misc]
    """The signed-in user as Flask-Login sees it."""

    user: Account
    key: str

    def get_id(self) -> str:
        """The content of the cookie."""
        return f"{self.user.id}.{self.user.generation}.{self.key}"


def user() -> Account:
    """The signed-in person or, while an instructor views the course as a student, that student."""
    viewed = viewing()
    return viewed.student if viewed else cast(SignedIn, current_user).user


_SIGNED_IN = (
    select(*ACCOUNT, Maintenance.reason, Maintenance.since, unread_of(User.__table__.c.id))
    .outerjoin(Maintenance, true())
    .where(
        User.id == bindparam("id"),
        User.generation == bindparam("generation"),
        ~exists().where(EndedSession.sha256 == bindparam("sha256")),
    )
)
"""Building this statement only once saves 12% of the time for the home page and 5% for an assignment's page. It
includes the number of new notices, since most pages show this number, and a separate query would cost as much as the
rest of the statement."""


def load(cookie: str) -> SignedIn | None:
    """The person who is signed in with this cookie, or None. The same query reads the maintenance state and the number
    of the person's new notices."""
    id_, _, rest = cookie.partition(".")
    generation, _, key = rest.partition(".")
    if not (id_.isdigit() and generation.isdigit() and key):
        return None
    values = {"id": int(id_), "generation": int(generation), "sha256": _sha256(key)}
    found = columns(read(), _SIGNED_IN, values).first()
    if found is None:
        return None
    *person, reason, since, g.unread_notices = found
    g.maintenance = Maintenance(reason=reason, since=since) if since else None
    return SignedIn(Account(*person), key)


def _start(person: Account, provider: str = "") -> bool:
    session.clear()
    if provider:
        session[SIGNED_ON] = provider
    session.permanent = True
    return bool(login_user(SignedIn(person, secrets.token_urlsafe(18))))


def sign_in(login: str, password: str) -> bool:
    """Start a session if the password is right. For people with a second factor, only remember the sign-in as
    PENDING."""
    found = read().scalar(select(User).where(User.login == login)) if takes_password(login) else None
    with _checking:
        right = matches(found.password_hash if found else _nobody(), password)
        if found and found.one_time:  # one-time passwords are quick to check, see `web.site.passwords`
            matches(_nobody(), password)
    return bool(found and right and first_step(found))


def first_step(person: User) -> bool:
    """Start a session for a person who has given their password or may replace it. If they have a second factor, only
    remember them as PENDING. Call `lead_on` afterwards."""
    if current_app.extensions.get(SECOND_STEP, lambda _: False)(person.id):
        session.clear()
        session[PENDING] = [person.id, person.generation, int(time())]
        return True
    return begin(person)


def lead_on(target: str | None = None) -> Response:
    """Continue a sign-in: redirect to the second step if one is still required, else to `target` or the home page."""
    second = url_for("second_factor.ask", next=target) if PENDING in session else ""
    return redirect(second or target or url_for("home.show"), 303)


def takes_password(login: str) -> bool:
    """Whether this person may sign in with a password."""
    only = settings().passwords_for
    return only is None or login == only


def begin(person: User, provider: str = "") -> bool:
    """Start a session for somebody who has proved their identity. `provider` names the provider with which they signed
    in, if any. Any earlier session in this browser ends."""
    unnoted = person.signed_in_at is None or person.signed_in_at < now() - SIGN_IN_NOTED
    if unnoted and not under_way():
        with suppress(OperationalError), write() as store:  # people must be able to read even if the disk is full
            store.execute(update(User).where(User.id == person.id).values(signed_in_at=now()))
    return _start(Account.of(person), provider)


@cache
def _nobody() -> str:
    """The hash of a password that nobody has. It is checked for unknown logins, so that they take as long as known
    ones. The hash is calculated only when first needed, since this takes a tenth of a process's start-up time."""
    return hashed(secrets.token_hex())


def sign_out() -> str:
    """End the session in this browser, and invalidate all copies of its cookie. Return the provider with which the
    session began, or "" if it began with a password."""
    if not current_user.is_authenticated:
        return ""
    provider: str = session.get(SIGNED_ON, "")
    with suppress(IntegrityError, OperationalError), write() as store:  # the form was sent twice, or the disk is full
        store.execute(delete(EndedSession).where(EndedSession.ended_at < now() - LIFETIME - timedelta(days=1)))
        store.add(EndedSession(sha256=_sha256(cast(SignedIn, current_user).key)))
    logout_user()
    session.clear()
    return provider


def set_password(person: Account, password: str, end_sessions: bool = True, end_tokens: bool = True) -> None:
    """Replace a person's password with one that they chose. This browser stays signed in; their other browsers are
    signed out and their API tokens revoked, unless the arguments say otherwise. Raises ChangedMeanwhile if their
    password is no longer the one in `person`."""
    stored = hashed(password)
    with write() as store:
        owner = store.get_one(User, person.id, with_for_update=True)
        if (owner.password_hash, owner.generation) != (person.password_hash, person.generation):
            raise ChangedMeanwhile("This password has just been replaced. Sign in again.")
        owner.password_hash, owner.one_time = stored, False
        if end_sessions:
            owner.generation += 1
        if end_tokens:
            store.execute(delete(ApiToken).where(ApiToken.user_id == owner.id))
        store.flush()
        changed = Account.of(owner)
    if end_sessions:
        _start(changed, session.get(SIGNED_ON, ""))


def local_path(target: str | None) -> str | None:
    """Return `target` if it is a path on this site, else None, so that a sign-in never leads to another site."""
    if not target or not target.startswith("/") or target.startswith(("//", "/\\")):
        return None
    parts = urlsplit(target)
    printable = all(character.isprintable() and character != "\\" for character in target)
    return target if printable and not parts.scheme and not parts.netloc else None


# Tokens


def new_token(user_id: int, label: str, request_key: str | None = None) -> str:
    """Create a bearer token. Only its hash is stored, so the token can be shown only now. The same request key returns
    the same token: if a form is sent twice, the browser shows only the last answer."""
    asked = f"API token of {user_id}: {request_key or secrets.token_hex()}"
    token = TOKEN_PREFIX + own_secret(asked)
    with suppress(IntegrityError), write() as store:
        store.add(ApiToken(user_id=user_id, label=label, sha256=_sha256(token)))
    return token


def token_owner(token: str) -> User | None:
    """The owner of a token, or None if the token does not exist. Its use is recorded at most once every few minutes."""
    found = read().scalar(select(ApiToken).where(ApiToken.sha256 == _sha256(token)))
    if found is None:
        return None
    if not under_way() and (found.used_at is None or found.used_at < now() - TOKEN_USE_NOTED):
        with suppress(OperationalError), write() as store:  # people must be able to read even if the disk is full
            store.execute(update(ApiToken).where(ApiToken.id == found.id).values(used_at=now()))
    return found.user


def own_secret(words: str) -> str:
    """Derive a secret from these words. Nobody outside this site can derive it, and the same words always give the same
    secret."""
    return hmac.new(str(current_app.secret_key).encode(), words.encode(), "sha256").hexdigest()


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


# “View as this student”
#
# The instructor's session says which student they view. Meanwhile, `user` is the student, only that course is visible,
# the student's own account and notices are closed, and every form is refused. The API is not affected.


@dataclass(frozen=True, slots=True)
class Viewing:
    """The student whom an instructor views, and the assignment to return to."""

    student: Account
    course: Course
    assignment_id: int


def viewing() -> Viewing | None:
    """The student whom the instructor views in this request, or None."""
    found: Viewing | None = g.get(VIEWING)
    return found


def begin_view(course_id: int, user_id: int, assignment_id: int) -> None:
    """View the course as this student from the next request on."""
    session[VIEWING] = [course_id, user_id, assignment_id]


def end_view() -> None:
    """Stop viewing as a student, so that `user` is the instructor again."""
    session.pop(VIEWING, None)


def _view(store: Session) -> None:
    """Make this request show what the student would see, if the session says so and the instructor still teaches the
    course. Raises Forbidden for pages and actions that are not part of a student view."""
    if VIEWING not in session:
        return
    course_id, user_id, assignment_id = session[VIEWING]
    mine = store.get(Membership, (current_user.user.id, course_id))
    theirs = store.get(Membership, (user_id, course_id))
    if mine is None or mine.role is not Role.INSTRUCTOR or theirs is None or theirs.role is not Role.STUDENT:
        end_view()
        return
    if request.endpoint in ENDING_VIEW:
        return
    g.viewing = Viewing(Account.of(theirs.user), theirs.course, assignment_id)
    g.pop("unread_notices", None)  # otherwise the instructor's number would be shown
    name = theirs.user.name
    if request.method not in READING:
        raise Forbidden(
            f"You are viewing the course as {name} and cannot change anything in this view. Leave that view first."
        )
    if request.blueprint in PRIVATE:
        raise Forbidden(f"Only {name} can see this page. This view shows only the course, as they see it.")
