"""Pages for instructors: the webhooks of a course, and whether the latest messages to each webhook were delivered."""

from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, flash, make_response, render_template, request
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.store.models import note_course_change
from tournament.store.mail import Mail
from tournament.store.validation import Refusal
from tournament.store.webhooks import EVENTS, CourseEvent, Service, Webhook, call_of
from web.course.course import course_taught
from web.site.access import Viewer
from web.site.auth import limiter, own_secret, user
from web.site.forms import line
from web.site.host_name import usable
from web.site.inputs import new_nonce, once
from web.site.pages import see_other, shown_again
from web.site.store import fresh, read, settings, write

page = Blueprint("webhooks", __name__, url_prefix="/courses/<course>/webhooks")
MOST, LONGEST, SHOWN = 10, 500, 5


class BadWebhook(Refusal):
    """A webhook's address cannot be added; the message says why."""

    status = 422


@page.get("/")
def show(course: str) -> str:
    """Show the page with a course's webhooks."""
    return _webhooks_page(course_taught(course))


def _webhooks_page(viewer: Viewer, problem: str = "", secret: str = "") -> str:
    with fresh() as session:  # an address may have been added after `read` took its snapshot
        hooks = session.scalars(select(Webhook).where(Webhook.course_id == viewer.course.id).order_by(Webhook.id)).all()
        latest = {
            each.id: session.scalars(
                select(Mail).where(Mail.webhook_id == each.id).order_by(Mail.id.desc()).limit(SHOWN)
            ).all()
            for each in hooks
        }
        shown = {
            "hooks": hooks,
            "latest": latest,
            "hosts": {each.id: urlsplit(each.address).hostname for each in hooks},
        }
        services = [(each.value, each.value) for each in Service]
        about = {"events": EVENTS, "services": services, "nonce": new_nonce(), "given": request.form}
        return render_template("course/webhooks.html", viewer=viewer, problem=problem, secret=secret, **shown, **about)


@page.post("/")
def add(course: str) -> Any:
    """Add an address. The secret that signs JSON messages is shown only once, in this answer."""
    viewer, form = course_taught(course), request.form
    with shown_again(lambda why: _webhooks_page(viewer, str(why))):
        address, service = line(form, "address"), form.get("service", "")
        if len(address) > LONGEST or usable(address, settings().internal_hosts) is None:
            raise BadWebhook(
                f"Copy the whole address from the service: it begins with https:// and has at most {LONGEST}"
                " characters."
            )
        events = [each for each in CourseEvent if each in form.getlist("events")]
        if service not in {*Service} or not events:
            raise BadWebhook("Choose a service, and the events that it is notified of.")
        secret = own_secret(f"webhook of {viewer.course.id}: {once(form, 'address') or new_nonce()}")
        _store_hook(viewer, Webhook(address=address, service=Service(service), events=list(events), secret=secret))
    if service != Service.JSON:
        flash("The webhook has been added. Send a test to see whether it works.")
        return see_other("webhooks.show", course=course)
    response = make_response(_webhooks_page(viewer, secret=secret))
    response.headers["Cache-Control"] = "no-store"
    return response


def _store_hook(viewer: Viewer, hook: Webhook) -> None:
    hook.course_id, hook.made_by = viewer.course.id, user().id
    with suppress(IntegrityError), write() as session:  # the form was sent twice
        known = session.scalars(select(Webhook).where(Webhook.course_id == hook.course_id)).all()
        if any((each.address, each.secret) == (hook.address, hook.secret) for each in known):
            return
        if len(known) >= MOST or any(each.address == hook.address for each in known):
            raise BadWebhook(f"A course can have at most {MOST} different addresses. Remove one first.")
        session.add(hook)
        _log(session, viewer, hook, "", "added")


def _log(session: Session, viewer: Viewer, hook: Webhook, former: str, value: str) -> None:
    host = urlsplit(hook.address).hostname  # the rest of the address is a secret
    note_course_change(session, viewer.course.id, user().id, f"Webhook to {host}", former, value)


@page.post("/<int:webhook_id>/test")
@limiter.limit("10 per minute; 60 per hour", key_func=lambda: f"user:{user().id}")
def test(course: str, webhook_id: int) -> Any:
    """Send a test message in the same way as all other messages."""
    hook = _hook(course_taught(course), webhook_id)
    with write() as session:
        text = "If you can read this, it works."
        session.add(call_of(hook, "test", "A test from Quadrille", text, f"/courses/{course}/webhooks/"))
    flash("The test will be sent within seconds. Reload this page to see whether it arrived.")
    return see_other("webhooks.show", course=course)


@page.post("/<int:webhook_id>/remove")
def remove(course: str, webhook_id: int) -> Any:
    """Remove an address and all unsent messages to it."""
    viewer = course_taught(course)
    hook = _hook(viewer, webhook_id)
    if "confirm" not in request.form:
        flash("Nothing was removed: tick the box to confirm.")
        return see_other("webhooks.show", course=course)
    with write() as session:
        if session.get(Webhook, hook.id, with_for_update=True):  # locked, so that nothing more is sent to it
            _log(session, viewer, hook, "added", "removed")
        session.execute(delete(Mail).where(Mail.webhook_id == hook.id))
        session.execute(delete(Webhook).where(Webhook.id == hook.id))
    flash("The address has been removed. Nothing more will be sent there.")
    return see_other("webhooks.show", course=course)


def _hook(viewer: Viewer, id_: int) -> Webhook:
    found = read().get(Webhook, id_)
    if found is None or found.course_id != viewer.course.id:
        raise NotFound
    return found
