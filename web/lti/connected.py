"""Pages for the instructors of a course: the platforms' courses that are connected with it, the people in those
courses, and the marks that were sent to them."""

from typing import Any, Final

from flask import Blueprint, abort, flash, render_template, request
from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload
from werkzeug.exceptions import NotFound

from tournament.store.validation import Refusal
from web.lti import roster
from web.lti.scores import send_again
from web.lti.services import PlatformServices, ServiceFailed
from web.lti.tables import LtiCourse, LtiItem, LtiMember, LtiScore, Sends
from web.people.members import OTHERWISE
from web.site import access
from web.site.access import Viewer
from web.site.auth import limiter, user
from web.site.forms import tag
from web.site.models import Course
from web.site.pages import see_other, shown_again
from web.site.roles import teaching_course
from web.site.store import fresh, read, settings, write
from web.site.text import count

page = Blueprint("lti_connected", __name__, url_prefix="/courses/<course>/platforms")
SHOWN: Final = 500  # marks
ASKS: Final = "20 per minute"  # requests for lists of people
WORDS: Final = {
    Sends.NEVER: "never",
    Sends.PUBLISHED: "when they are published",
    Sends.LIVE: "as they are now, updated every minute",
}


class PlatformSilent(Refusal):
    """A platform does not list its course's people; the message says why."""

    status = 502
    code = "unavailable"


def _taught_course(course: str) -> Viewer:
    return teaching_course(access.course(read(), user().id, course))


def _link_to_change(store: Session, viewer: Viewer, id_: int, locked: bool = False) -> LtiCourse:
    found = store.get(LtiCourse, id_, with_for_update=locked)
    if found is None or found.course_id != viewer.course.id:
        raise NotFound("This course is not connected to that one.")
    return found


@page.get("/")
def show(course: str) -> str:
    """Show the page."""
    return _connected_page(_taught_course(course))


def _connected_page(viewer: Viewer, problem: str = "") -> str:
    with fresh() as store:
        links = store.scalars(select(LtiCourse).where(LtiCourse.course_id == viewer.course.id)).all()
        sent = select(LtiScore).where(LtiScore.lti_course_id.in_([each.id for each in links]))
        along = (joinedload(LtiScore.user), joinedload(LtiScore.assignment))
        scores = store.scalars(sent.order_by(LtiScore.id.desc()).limit(SHOWN).options(*along)).all()
        return render_template(
            "lti/connected.html", viewer=viewer, links=links, scores=scores, sends=WORDS, most=SHOWN, problem=problem
        )


@page.post("/<int:link_id>/")
def change(course: str, link_id: int) -> Any:
    """Choose when marks are sent and whether new people are added automatically, retry marks that were given up, or end
    the connection."""
    viewer, form = _taught_course(course), request.form
    if form.get("sends", Sends.NEVER) not in WORDS:
        abort(400)
    with write() as store:
        link = _link_to_change(store, viewer, link_id, locked=True)
        if form.get("do") == "end":
            for each in (LtiScore, LtiItem, LtiMember):
                store.execute(delete(each).where(each.lti_course_id == link_id))
            store.delete(link)
        elif form.get("do") == "again":
            send_again(store, link)
        else:
            link.sends, link.follows = Sends(form.get("sends", Sends.NEVER)), "follows" in form
    flash("The connection has been removed." if form.get("do") == "end" else "That has been saved.")
    return see_other("lti_connected.show", course=course)


@page.post("/<int:link_id>/people")
@limiter.limit(ASKS)
def people(course: str, link_id: int) -> Any:
    """Ask the platform for the people in its course. First preview what would be done with each person; once confirmed,
    do it."""
    viewer = _taught_course(course)
    with fresh() as store:
        link = _link_to_change(store, viewer, link_id)
    with shown_again(lambda why: _connected_page(viewer, str(why))):
        try:
            found = roster.fetched(PlatformServices(settings().sessions, settings().internal_hosts), link)
        except ServiceFailed as error:
            raise PlatformSilent(
                f"{link.platform.title} did not provide the list of people in its course: {error}"
            ) from error
    with write() as store:
        store.get_one(Course, viewer.course.id, with_for_update=True)
        row = _link_to_change(store, viewer, link_id)
        present = roster.roster(store, row, found)
        plan = roster.planned(store, row, present)
        confirmed = request.form.get("was") == tag(repr(plan))
        if confirmed:
            roster.carry_out(store, row, viewer.user_id, present, plan)
    if confirmed:
        flash(f"{count(len(plan.adding), 'person has', 'people have')} been added, {len(plan.updating)} updated.")
        return see_other("lti_connected.show", course=course)
    problem = OTHERWISE if "was" in request.form else ""
    shown = {"plan": plan, "was": tag(repr(plan)), "problem": problem, "link": link}
    return render_template("lti/roster.html", viewer=viewer, **shown)
