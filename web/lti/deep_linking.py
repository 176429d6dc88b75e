"""Deep linking: an instructor who adds a link to a platform's course chooses an assignment from a list on this site.
The list is shown in the platform's frame, and nobody is signed in. The platform's message identifies the person who
chooses; the ticket, which is only on this page, proves that the same person made the choice."""

from collections.abc import Sequence
from secrets import token_urlsafe
from time import time
from typing import Any, Final
from urllib.parse import SplitResult

from flask import make_response, render_template, url_for
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from grader.marks.book import mark_book
from grader.store.models import Assignment
from web.lti import keys
from web.lti.accounts import NotAdmitted, connected_course
from web.lti.messages import CLAIM, LINKING, Claims, claimed
from web.lti.tables import LtiPlatform
from web.sign_on import linking
from web.site.host_name import LOOPBACK, usable
from web.site.models import Course, Membership, Role
from web.site.serving import POLICY
from web.site.store import fresh, settings

SETTINGS: Final = f"{LINKING}deep_linking_settings"
FIRST: Final = (
    "This {title} course is not connected to a course here, or your account is not connected to {title}. Open a "
    "link to this site in the course once, then come back."
)
TEACHERS: Final = "Only instructors and tutors of {course} can choose one of its assignments."
NO_LINKS: Final = "{title} does not accept links to assignments here."
RESOURCE_ID: Final = "quadrille-{}"  # identifies an assignment's column
TAG: Final = "marks"


def column(store: Session, assignment: Assignment) -> dict[str, Any]:
    """The request that asks a platform to create an assignment's column in its gradebook."""
    most, id_ = mark_book(store, assignment, ()).out_of, RESOURCE_ID.format(assignment.id)
    whole = int(most) if most == int(most) else most
    return {"scoreMaximum": whole or 1, "label": assignment.title, "resourceId": id_, "tag": TAG}


def _parts(back: Any) -> SplitResult | None:
    return usable(back, settings().internal_hosts | LOOPBACK)


def _choices(store: Session, platform: LtiPlatform, claims: Claims) -> tuple[Course, Sequence[Assignment]]:
    """The course, and the assignments that the person in the message may choose. Raises NotAdmitted."""
    asked = claims.get(SETTINGS)
    back = asked.get("deep_link_return_url") if isinstance(asked, dict) else None
    if not isinstance(asked, dict) or _parts(back) is None or "ltiResourceLink" not in asked.get("accept_types", ()):
        raise NotAdmitted(NO_LINKS.format(title=platform.title))
    link, known = connected_course(store, platform, claims), linking.known(store, claimed(platform, claims))
    if link is None or known is None:
        raise NotAdmitted(FIRST.format(title=platform.title))
    member = store.get(Membership, (known.id, link.course_id))
    if member is None or member.role not in (Role.INSTRUCTOR, Role.TUTOR):
        raise NotAdmitted(TEACHERS.format(course=link.course.title))
    wanted = select(Assignment).where(Assignment.course_id == link.course_id, Assignment.archived.is_(False))
    return link.course, store.scalars(wanted.where(Assignment.version > 0).order_by(Assignment.id)).all()


def offered(platform: LtiPlatform, claims: Claims, ticket: str) -> str:
    """The page on which to choose assignments. Raises NotAdmitted."""
    with fresh() as store:
        course, found = _choices(store, platform, claims)
    several = claims[SETTINGS].get("accept_multiple") in (True, "true")
    shown = {"course": course, "assignments": found, "several": several, "ticket": ticket}
    return render_template("lti/choose.html", title=platform.title, **shown)


def answered(platform: LtiPlatform, claims: Claims, chosen: Sequence[str]) -> Response:
    """The page that returns the assignments with the `chosen` ids to the platform. Raises NotAdmitted."""
    asked = claims.get(SETTINGS, {})
    with fresh() as store:
        _, found = _choices(store, platform, claims)
        items = [_item(store, each, asked) for each in found if str(each.id) in chosen]
    at, back = int(time()), asked["deep_link_return_url"]
    said = {
        "iss": platform.client_id,
        "aud": [platform.issuer],
        "iat": at,
        "exp": at + 300,
        "nonce": token_urlsafe(24),
        f"{CLAIM}deployment_id": claims[f"{CLAIM}deployment_id"],
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{LINKING}content_items": items,
        **({f"{LINKING}data": asked["data"]} if "data" in asked else {}),
    }
    token = keys.signed(settings().sessions, said)
    shown = render_template("lti/chosen.html", title=platform.title, address=back, token=token, number=len(items))
    response = make_response(shown)
    parts = _parts(back)
    there = f"form-action {parts.scheme}://{parts.netloc}" if parts else ""
    response.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self'", there)
    return response


def _item(store: Session, assignment: Assignment, asked: Claims) -> dict[str, Any]:
    found = {
        "type": "ltiResourceLink",
        "title": assignment.title,
        "url": url_for("lti.launch", _external=True),
        "custom": {"assignment": assignment.slug},
    }
    if asked.get("accept_lineitem", True):
        found["lineItem"] = column(store, assignment)
    if "window" in asked.get("accept_presentation_document_targets", ()):
        found["window"] = {"targetName": f"quadrille-{assignment.slug}"}
    return found
