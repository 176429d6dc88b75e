"""Launches: people come from a course of a learning management system (a platform) to the connected course on this
site. A site accepts launches only if its settings name the people who connect platforms.

A platform shows this site in a frame, where browsers do not send its cookies. So a frame contains only a button that
begins the launch in a window of its own. The state of a launch is in the database; when the browser arrives, the cookie
of that window proves that this browser began the launch. The platform's answer is a form from another site, which
browsers send without cookies. So the answer is checked, then redirected to an address that does receive the cookies.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any, Final, cast

from flask import (
    Blueprint,
    abort,
    current_app,
    flash,
    jsonify,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_login import current_user
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from grader.store.models import Assignment
from sandbox.api import SentText
from tournament.store.database import changed, now
from tournament.store.validation import Refusal
from web.lti import deep_linking, keys, messages
from web.lti.accounts import NotAdmitted, admitted, connected_course, note_services, role_of
from web.lti.messages import CLAIM, DEEP, KeyRing, claimed, hashed, text_in
from web.lti.tables import LtiCourse, LtiLaunch, LtiMember, LtiPlatform
from web.sign_on import linking
from web.sign_on.linking import NotConnected
from web.sign_on.protocol import REFUSED, ProviderTrouble
from web.sign_on.tables import SignOnIdentity
from web.site import access, auth, inputs
from web.site.auth import SIGNED_ON, csrf, limiter, user
from web.site.models import Role, User
from web.site.pages import see_other, told_at
from web.site.serving import POLICY
from web.site.store import fresh, read, refuse_storing, settings, write

page = Blueprint("lti", __name__)
EXTENSION: Final = "quadrille-lti"
COOKIE: Final = "quadrille_lti_{}"  # one for each launch, since a browser may begin several at once
LASTS, CONNECTS = timedelta(minutes=10), timedelta(minutes=40)  # a launch, and the steps after it
TRIES: Final = "600 per minute"  # per address, which a whole class may share
FRAMES: Final = frozenset({"iframe", "frame", "embed", "object"})
FRAMED: Final = frozenset({"lti.login", "lti.launch", "lti.choose", "lti_registration.register"})
ASKED: Final = ("iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri", "lti_deployment_id")
LONGEST_TOKEN: Final = 64 << 10

STALE: Final = (
    "This launch was started in another browser or too long ago, or has already been used. Please start again."
)
UNKNOWN: Final = "No platform with this issuer and client ID is connected to this site."
NOT_YET: Final = "“{course}” of {title} is not connected to a course here yet. An instructor must open the link first."
NO_SUCH: Final = "The link leads to the assignment “{slug}”, but this course has no such assignment that you can see."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lti:
    """The logins of the people who may connect platforms, and the platforms' public keys."""

    admins: frozenset[str]
    ring: KeyRing

    @property
    def may(self) -> bool:
        """Whether the user may connect platforms."""
        return bool(current_user.is_authenticated) and user().login in self.admins

    def connections(self) -> list[tuple[LtiPlatform, SignOnIdentity]]:
        """The platforms with which the user's account is connected, each with the user's identity on it."""
        with fresh() as store:
            mine = {each.issuer: each for each in linking.identities(store, user().id)}
            found = store.scalars(select(LtiPlatform).order_by(LtiPlatform.title))
            return [(each, mine[each.provider.issuer]) for each in found if each.provider.issuer in mine]


def here() -> Lti:
    """The `Lti` object that `platforms.install` created."""
    return cast(Lti, current_app.extensions[EXTENSION])


@page.after_request
def allow_frames(response: Response) -> Response:
    """Allow platforms to frame the pages that sign nobody in and change nothing without a secret from the platform's
    message."""
    if request.endpoint in FRAMED:
        policy = response.headers.get("Content-Security-Policy", POLICY)
        response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", "frame-ancestors *")
    return response


@page.get("/lti/keys")
def published_keys() -> Any:
    """Return this site's public keys."""
    return jsonify(keys.published(settings().sessions))


@page.route("/lti/login", methods=["GET", "POST"])
@limiter.limit(TRIES)
def login() -> Any:
    """Begin a launch for a platform: redirect to the platform or, in a frame, first offer to open a separate window."""
    asked = request.values
    chooses = asked.get("target_link_uri", "").partition("?")[0].endswith(url_for("lti.choose"))
    if request.headers.get("Sec-Fetch-Dest") in FRAMES and not chooses:
        query: dict[str, Any] = {name: asked[name] for name in ASKED if name in asked}
        return render_template("lti/window.html", address=url_for("lti.login", **query))
    refuse_storing()
    platform = _platform(read(), asked.get("iss", ""), asked.get("client_id", ""))
    browser = token_urlsafe(24)
    launch, address = messages.begin(platform, asked, browser, url_for("lti.launch", _external=True))
    name = _launch_cookie(launch.state)
    with write() as store:
        store.execute(delete(LtiLaunch).where(LtiLaunch.made_at < now() - CONNECTS))
        store.add(launch)
    response = redirect(address, 303)
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    about: dict[str, Any] = {"secure": secure, "httponly": True, "samesite": "Lax", "max_age": CONNECTS}
    response.set_cookie(name, browser, path="/lti", **about)
    return response


def _launch_cookie(state: str) -> str:
    return COOKIE.format(state[:8])


def _platform(store: Session, issuer: str, client_id: str) -> LtiPlatform:
    wanted = select(LtiPlatform).where(LtiPlatform.issuer == issuer)
    found = store.scalars(wanted.where(LtiPlatform.client_id == client_id) if client_id else wanted).all()
    if len(found) != 1:
        log.warning("a launch of an unknown platform: %r, client %r", issuer[:200], client_id[:200])
        raise NotAdmitted(UNKNOWN)
    return found[0]


@page.post("/lti/launch")
@inputs.longer(LONGEST_TOKEN, "id_token")
@limiter.limit(TRIES)
def launch() -> Any:
    """Check the platform's answer to a launch, then redirect to an address where the browser proves by its cookie that
    it began the launch. For deep linking, which needs no further message, show the choices instead."""
    with write() as store:
        row = _answered_launch(store, request.form.get("state", ""))
    with logged(row.platform.title):
        if "id_token" not in request.form:
            said = request.form.get("error", "nothing")
            raise ProviderTrouble(REFUSED.format(title=row.platform.title), f"it answered {said[:100]!r}")
        claims = messages.validated(row, SentText(request.form["id_token"]), here().ring)
    with write() as store:
        store.execute(update(LtiLaunch).where(LtiLaunch.state == row.state).values(claims=dict(claims)))
    if claims[f"{CLAIM}message_type"] == DEEP:
        return deep_linking.offered(row.platform, claims, row.ticket)
    return see_other("lti.arrive", ticket=row.ticket)


def _answered_launch(store: Session, state: str) -> LtiLaunch:
    """Mark the launch with that state as answered, and return it. This works only once. Raises ProviderTrouble."""
    ticket = token_urlsafe(24)
    open_ = (LtiLaunch.state == state, LtiLaunch.ticket == "", LtiLaunch.made_at > now() - LASTS)
    if not changed(store, update(LtiLaunch).where(*open_).values(ticket=ticket)):
        raise ProviderTrouble(STALE)
    row = store.scalars(select(LtiLaunch).where(LtiLaunch.ticket == ticket)).one()
    store.expunge_all()
    return row


def validated(store: Session, ticket: str) -> LtiLaunch:
    """The launch with that ticket, if its message has been validated. Raises ProviderTrouble."""
    row = store.scalar(select(LtiLaunch).where(LtiLaunch.ticket == ticket, LtiLaunch.made_at > now() - CONNECTS))
    if not ticket or row is None or row.claims is None:
        raise ProviderTrouble(STALE)
    return row


def _own_launch(store: Session, ticket: str) -> LtiLaunch:
    """The launch with that ticket, if this browser began it. Raises ProviderTrouble."""
    row = validated(store, ticket)
    if row.browser != hashed(request.cookies.get(_launch_cookie(row.state), "")):
        raise ProviderTrouble(STALE)
    return row


@contextmanager
def logged(title: str) -> Iterator[None]:
    """Log why a person was not signed in, or a platform not registered."""
    try:
        yield
    except Refusal as error:
        detail = error.detail if isinstance(error, ProviderTrouble) else str(error)
        log.warning("refused what came from %s: %r", title, detail)
        raise


@page.get("/lti/arrive/<ticket>")
@limiter.limit(TRIES)
def arrive(ticket: str) -> Any:
    """Sign in the person whom the platform has sent, and redirect to the target of the link."""
    with fresh() as store:
        row = _own_launch(store, ticket)
    platform, claims = row.platform, row.claims or {}
    person = claimed(platform, claims)
    try:
        with logged(platform.title), linking.connecting() as store:
            link = connected_course(store, platform, claims)
            if link:
                admitted(store, link, claims)
                note_services(link, claims)  # only after the course is locked
                store.execute(delete(LtiLaunch).where(LtiLaunch.ticket == ticket))
            elif role_of(claims.get(f"{CLAIM}roles")) is not Role.INSTRUCTOR:
                course = text_in(claims, "context", "title") or "This course"
                raise NotAdmitted(NOT_YET.format(course=course, title=platform.title))
            elif linking.known(store, person) is None:
                raise NotConnected(linking.NO_ACCOUNT.format(title=platform.title, known_as=person.known_as))
    except NotConnected as refusal:
        shown = render_template("lti/connect.html", title=platform.title, why=str(refusal), ticket=ticket)
        return shown, refusal.status
    with fresh() as store:
        auth.begin(cast(User, linking.known(store, person)), EXTENSION)
        link = connected_course(store, platform, claims)
        if link is None:
            return see_other("lti.choose_course", ticket=ticket)
        response = redirect(_target_address(store, link, claims), 303)
    response.delete_cookie(_launch_cookie(row.state), path="/lti")
    return response


def _target_address(store: Session, link: LtiCourse, claims: messages.Claims) -> str:
    """The address of the link's target: an assignment of the connected course or, without one, the home page."""
    if not (slug := text_in(claims, "custom", "assignment")):
        return url_for("home.show")
    wanted = select(Assignment.id).where(Assignment.course_id == link.course_id, Assignment.slug == slug)
    if store.scalar(wanted) is None:
        flash(NO_SUCH.format(slug=slug), "bad")
        return url_for("home.show")
    return url_for("assignment.show", course=link.course.slug, slug=slug)


# Connecting an account or a course, in the window of the launch


@page.get("/lti/connect/<ticket>")
def connect_page(ticket: str) -> str:
    """Ask whether to connect the signed-in account."""
    row = _own_launch(read(), ticket)
    known_as = claimed(row.platform, row.claims or {}).known_as
    return render_template("lti/connect.html", title=row.platform.title, known_as=known_as, ticket=ticket)


@page.post("/lti/connect/<ticket>")
def connect(ticket: str) -> Any:
    """Connect the account, and continue the launch."""
    with linking.connecting() as store:
        row = _own_launch(store, ticket)
        linking.connect(store, user().id, row.platform.provider, claimed(row.platform, row.claims or {}))
    return see_other("lti.arrive", ticket=ticket)


@page.get("/lti/connect/<ticket>/course")
def choose_course(ticket: str) -> str:
    """Ask which course on this site to connect with the platform's course."""
    with fresh() as store:
        row = _taught_launch(store, ticket)
    taught = [each.course for each in access.courses(read(), user().id) if each.instructs]
    course = text_in(row.claims or {}, "context", "title")
    return render_template("lti/course.html", title=row.platform.title, courses=taught, course=course)


@page.post("/lti/connect/<ticket>/course")
def connect_course(ticket: str) -> Any:
    """Connect the course, and continue the launch."""
    viewer = access.course(read(), user().id, request.form.get("course", ""))
    if not viewer.instructs:
        abort(403)
    with linking.connecting() as store:
        row = _taught_launch(store, ticket)
        claims = row.claims or {}
        place = {"deployment": claims[f"{CLAIM}deployment_id"], "context": text_in(claims, "context", "id")}
        own = {"title": place["context"], "course_id": viewer.course.id, "connected_by": user().id}
        link = LtiCourse(platform_id=row.platform_id, **own, **place)
        note_services(link, claims)
        store.add(link)
    flash(f"The course is connected to {viewer.course.title}.")
    return see_other("lti.arrive", ticket=ticket)


def _taught_launch(store: Session, ticket: str) -> LtiLaunch:
    """The launch with that ticket, if the user began the launch and teaches the course at the platform. Raises
    ProviderTrouble."""
    row = _own_launch(store, ticket)
    known = linking.known(store, claimed(row.platform, row.claims or {}))
    if (
        known is None
        or known.id != user().id
        or role_of((row.claims or {}).get(f"{CLAIM}roles")) is not Role.INSTRUCTOR
    ):
        raise ProviderTrouble(STALE)
    return row


@page.post("/lti/connections/<int:identity_id>/disconnect")
def disconnect(identity_id: int) -> Any:
    """Disconnect the user's account from a platform, which then receives no more marks for this account. The user's
    other browsers are signed out."""
    ended = [each.id for each, identity in here().connections() if identity.id == identity_id] or abort(404)
    with told_at("account.show"), write() as store:
        linking.disconnect(store, user().id, identity_id)
        there = LtiMember.lti_course_id.in_(select(LtiCourse.id).where(LtiCourse.platform_id.in_(ended)))
        store.execute(delete(LtiMember).where(LtiMember.user_id == user().id, there))
    by = session.get(SIGNED_ON, "")
    with fresh() as store:
        auth.begin(store.get_one(User, user().id), "" if by == EXTENSION else by)
    flash("The connection has ended, and your other browsers have been signed out.")
    return see_other("account.show")


# Choosing the assignment for a link in a platform


@page.post("/lti/choose")
@limiter.limit(TRIES)
def choose() -> Any:
    """Return the chosen assignments to the platform. The ticket of the platform's message, which nobody else knows, is
    valid once."""
    with write() as store:
        row = validated(store, request.form.get("ticket", ""))
        store.execute(delete(LtiLaunch).where(LtiLaunch.ticket == row.ticket))
        store.expunge_all()
    return deep_linking.answered(row.platform, row.claims or {}, request.form.getlist("assignment"))


for _view in (login, launch, choose):
    csrf.exempt(_view)
