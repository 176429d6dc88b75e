"""A person's deadlines as a calendar to which programs can subscribe, at an address that only this person knows."""

from datetime import datetime
from hashlib import sha256
from typing import Any

from flask import Blueprint, current_app, flash, request, url_for
from flask_limiter.util import get_remote_address
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from grader.definition.local_times import LocalTime
from grader.store.models import Assignment
from tournament.store.database import now
from web.overview.dates import deadline_of
from web.site import access
from web.site.auth import limiter, user
from web.site.languages import said, speaking
from web.site.models import Course, User
from web.site.pages import see_other
from web.site.store import read, write
from web.site.text import plainly

page = Blueprint("calendar", __name__)
LONGEST = 200  # characters of a title


def address_of(user_id: int) -> str:
    """The address of a person's calendar."""
    token = _calendar_serializer().dumps(_signed(read().get_one(User, user_id)))
    return url_for("calendar.show", token=token, _external=True)


def _signed(owner: User) -> list[float]:
    """The signed content of the address. It includes the account's creation time, since after a backup is restored, the
    account's id may be given to somebody else."""
    return [owner.id, owner.calendar, owner.created_at.timestamp()]


def _calendar_serializer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.secret_key), salt="a calendar of deadlines")


def _calendar_key() -> str:  # not by network address, which many people may share
    owner = _calendar_owner((request.view_args or {}).get("token", ""))
    return f"calendar:{owner.id}" if owner else f"calendar of nobody:{get_remote_address()}"


@page.get("/calendar/<token>.ics")
@limiter.limit("120 per hour", key_func=_calendar_key)
def show(token: str) -> Response:
    """Return the calendar in the iCalendar format. Anyone who has the address can read the calendar without signing in,
    but can do nothing else with the address."""
    owner = _calendar_owner(token)
    if owner is None:
        raise NotFound("This calendar address is no longer valid. Copy the current one from your account page.")
    session, found = read(), list[tuple[Course, Assignment, datetime]]()
    for viewer in access.courses(session, owner.id):
        for each in access.assignments(session, viewer):
            if at := deadline_of(session, each, owner.id).at:
                found.append((viewer.course, each, at))
    response = Response(_calendar(owner, found), content_type="text/calendar; charset=utf-8")
    shown = [
        (each.id, each.title, course.title, course.time_zone, owner.language or course.language, at)
        for course, each, at in found
    ]
    response.set_etag(sha256(repr(shown).encode()).hexdigest()[:32], weak=True)  # the file has the time of writing too
    response.cache_control.private, response.cache_control.no_cache = True, True
    return response.make_conditional(request.environ)


def _calendar_owner(token: str) -> User | None:
    try:
        signed = _calendar_serializer().loads(token)
    except BadSignature:
        return None
    owner = read().get(User, signed[0])
    return owner if owner and _signed(owner) == signed else None


def _calendar(owner: User, deadlines: list[tuple[Course, Assignment, datetime]]) -> bytes:
    from icalendar import Calendar, Event  # needed only if people subscribe

    made = Calendar()
    made.add("prodid", "-//Quadrille//Deadlines//EN")
    made.add("version", "2.0")
    made.add("x-wr-calname", "Quadrille")
    for course, assignment, at in deadlines:
        event = Event()
        event.add("uid", f"deadline-{assignment.id}-{owner.id}@{request.host.partition(':')[0]}")
        event.add("dtstamp", now())
        event.add("dtstart", at)  # in UTC: each program converts it to its reader's zone
        with speaking(owner.language or course.language):
            event.add("summary", said(f"{assignment.title[:LONGEST]}: deadline ({course.title[:LONGEST]})"))
            event.add("description", plainly(LocalTime(at, course.zone).in_words))
        if assignment.version:
            event.add("url", url_for("assignment.show", course=course.slug, slug=assignment.slug, _external=True))
        made.add_component(event)
    content: bytes = made.to_ical()
    return content


@page.post("/account/calendar")
def renew() -> Any:
    """Replace the address of the calendar."""
    with write() as session:
        owner = session.get_one(User, user().id, with_for_update=True)
        owner.calendar += 1
    flash("Your calendar has a new address. The old address no longer works.")
    return see_other("account.show")
