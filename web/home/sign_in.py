"""Sign in and out, join a course with a code from its instructors, and choose the name that fellow students see, until
the first entry into a tournament.

The limits on wrong passwords are designed so that one person's guessing never locks out anybody else. Wrong passwords
are counted by address, and by address and user name together. After a burst of them, single attempts are still accepted
at intervals, so people who share an address with somebody who guesses wait only seconds. A browser in which a person
has signed in before is counted separately: it has a signed cookie, so nobody else can use up its attempts.
"""

import secrets
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Any

from flask import Blueprint, current_app, flash, redirect, render_template, request, url_for
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeTimedSerializer
from limits import RateLimitItem, parse
from werkzeug.wrappers import Response

from web.people import enrolment, members
from web.people.enrolment import free_pseudonym, pseudonyms_of
from web.people.members import join_with
from web.people.roster import has_entered
from web.site import access, auth
from web.site.access import Viewer
from web.site.auth import lead_on, limiter, local_path, own_secret, sign_in, sign_out, user
from web.site.models import Course, User
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write
from web.site.text import duration

COOKIE = "quadrille_known"
KNOWN_FOR_S = 365 * 24 * 60 * 60
KNOWN_LOGINS = 20  # per browser, which may be in a computer room


@dataclass(frozen=True, slots=True)
class TryLimit:
    """How many attempts are accepted in a burst, and how often a single attempt is accepted after that."""

    burst: RateLimitItem
    then: RateLimitItem


OF_A_LOGIN = TryLimit(parse("10 per 5 minutes"), parse("1 per 20 seconds"))
OF_AN_ADDRESS = TryLimit(parse("300 per 5 minutes"), parse("1 per 1 second"))
"""The limits for one address, which a whole class may share."""


def wait_s(login: str) -> int:
    """Count an attempt with this user name. Returns 0 if the attempt is allowed, otherwise the seconds until one will
    be allowed. An attempt is counted before the password is checked, so that sending many attempts at once gains
    nothing."""
    known = _device_of(login)
    wait = 0 if known else _wait_s(OF_AN_ADDRESS, "address", network())
    return wait or _take_from_limit(OF_A_LOGIN, "login", known or network(), _hash_of_name(login))


def was_wrong(login: str) -> None:
    """Count a wrong password against the visitor's address."""
    if not _device_of(login):
        _take_from_limit(OF_AN_ADDRESS, "address", network())


def was_right(login: str, response: Response) -> None:
    """Forget the attempts with this user name, and remember this browser."""
    known = _device_of(login)
    for item in (OF_A_LOGIN.burst, OF_A_LOGIN.then):
        limiter.limiter.clear(item, "login", known or network(), _hash_of_name(login))
    device, names = _visitor_cookie()
    names = [*(each for each in names if each != _hash_of_name(login)), _hash_of_name(login)][-KNOWN_LOGINS:]
    value = _visitor_serializer().dumps([device or secrets.token_urlsafe(12), names])
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    path = url_for("sign_in.enter")
    response.set_cookie(COOKIE, value, KNOWN_FOR_S, secure=secure, httponly=True, samesite="Lax", path=path)


def _take_from_limit(limit: TryLimit, *key: str) -> int:
    counts = limiter.limiter
    return 0 if counts.hit(limit.burst, *key) or counts.hit(limit.then, *key) else _wait_s(limit, *key)


def _wait_s(limit: TryLimit, *key: str) -> int:
    counts = limiter.limiter
    if counts.test(limit.burst, *key) or counts.test(limit.then, *key):
        return 0
    return max(1, ceil(counts.get_window_stats(limit.then, *key).reset_time - time.time()))


def network() -> str:
    """The visitor's address or, with IPv6, the visitor's network, since an IPv6 subscriber has a whole network."""
    address = ip_address(request.remote_addr or "0.0.0.0")  # noqa: S104 - nobody listens there
    return str(int(address) >> 64) if isinstance(address, IPv6Address) else str(address)


def _device_of(login: str) -> str:
    """The identifier of this browser if this person has signed in with it before, else ""."""
    device, names = _visitor_cookie()
    return device if _hash_of_name(login) in names else ""


def _visitor_cookie() -> tuple[str, list[str]]:
    try:
        device, names = _visitor_serializer().loads(request.cookies.get(COOKIE, ""), max_age=KNOWN_FOR_S)
    except BadSignature:
        return "", []
    return device, names


def _visitor_serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="a browser that has signed in")


def _hash_of_name(login: str) -> str:
    """Hash a user name, so that the next visitor of a shared computer cannot read it."""
    return own_secret(login.casefold()[:100])[:16]


page = Blueprint("sign_in", __name__)
PSEUDONYM = "/courses/<course>/pseudonym/"
TOO_MANY = "There were too many wrong passwords from your network. Wait {}, then try again."
TRIES = "10 per minute; 60 per hour"  # for codes, and for pseudonyms, since the answer reveals which are taken
WRONG = "The user name or the password is wrong. Check both; the password is case-sensitive."


@page.get("/sign-in")
def show() -> Any:
    """Show the form."""
    if current_user.is_authenticated:
        return redirect(url_for("home.show"))
    return _sign_in_page(next=local_path(request.args.get("next")))


def _sign_in_page(**shown: Any) -> str:
    return render_template("home/sign_in.html", emergency=settings().passwords_for is not None, **shown)


@page.post("/sign-in")
def enter() -> Any:
    """Check the password, and redirect to the page that the visitor wanted."""
    login, target = request.form.get("login", "").strip(), local_path(request.form.get("next"))
    shown = {"next": target, "login": login}
    if wait := wait_s(login):
        error = TOO_MANY.format(duration(wait))
        return _sign_in_page(**shown, error=error), 429, {"Retry-After": str(wait)}
    if not sign_in(login, request.form.get("password", "")):
        was_wrong(login)
        return _sign_in_page(**shown, error=WRONG), 401
    response = lead_on(target)
    was_right(login, response)
    return response


@page.post("/sign-out")
def leave() -> Any:
    """End the session here and at the provider with which it began (see `web.sign_on`)."""
    by_provider = sign_out() and "sign_on" in current_app.blueprints
    return see_other("sign_on.leave" if by_provider else "sign_in.show")


# Joining a course


@page.get("/join/")
def join_form() -> str:
    """Show the form; a link may contain the code."""
    return _join_page(request.args.get("code", ""))


def _join_page(code: str, problem: str = "") -> str:
    return render_template("home/join.html", code=code, problem=problem)


@page.post("/join/")
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def join() -> Any:
    """Join the course to which the code belongs."""
    code = request.form.get("code", "")
    with shown_again(lambda why: _join_page(code, str(why))), write() as session:
        title = join_with(session, session.get_one(User, user().id), code).title
    flash(f"You are in {title} now. If that is not your course, ask its instructors to remove you.")
    return see_other("home.show")


# The name that fellow students see


@page.get(PSEUDONYM)
def pseudonym(course: str) -> str:
    """Show the page for choosing a pseudonym."""
    return _pseudonym_page(access.course(read(), user().id, course))


def _pseudonym_page(viewer: Viewer, problem: str = "", given: str = "") -> str:
    fixed = has_entered(read(), viewer.course.id, viewer.user_id)
    return render_template(
        "home/pseudonym.html",
        viewer=viewer,
        fixed=members.ENTERED if fixed else "",
        problem=problem,
        given=given or viewer.pseudonym,
        idea="" if fixed else free_pseudonym(pseudonyms_of(read(), viewer.course)),
        shortest=enrolment.SHORTEST_PSEUDONYM,
        longest=enrolment.LONGEST_PSEUDONYM,
    )


@page.post(PSEUDONYM)
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def take_pseudonym(course: str) -> Any:
    """Change the pseudonym."""
    viewer, wanted = access.course(read(), user().id, course), request.form.get("pseudonym", "")
    with shown_again(lambda why: _pseudonym_page(viewer, str(why), wanted)), write() as session:
        held = session.get_one(Course, viewer.course.id, with_for_update=True)
        chosen = members.choose_pseudonym(session, held, viewer.user_id, wanted)
    flash(f"Your fellow students in {viewer.course.title} now see you as {chosen}.")
    return see_other("sign_in.pseudonym", course=course)


@page.post("/view/leave")
def leave_view() -> Any:
    """Stop viewing a course as a student."""
    auth.end_view()
    flash("You have left the student’s view.")
    return see_other("home.show")
