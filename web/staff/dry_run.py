"""For instructors: what the draft of an assignment would do to marks, tried on the submissions that count."""

from typing import Any

from flask import Blueprint, render_template
from werkzeug.exceptions import NotFound

from grader.authoring.drafts import definition_in, present_content, problems_in
from grader.definition.model import to_json
from grader.regrade.batches import ask_dry_run, cancel, try_again, why_given_up
from grader.regrade.difference import summary
from grader.store.models import Assignment, RegradeBatch
from web.overview.overview import real_names
from web.site import access
from web.site.auth import user
from web.site.pages import see_other, told_at
from web.site.store import read, settings, write
from web.staff.regrades import titles

page = Blueprint("dry_run", __name__, url_prefix="/assignments/<int:assignment_id>/dry-runs")
EVERY_MS = 2000


@page.post("/")
def begin(assignment_id: int) -> Any:
    """Try the draft on each student's submissions that count."""
    seen = access.taught(read(), user().id, assignment_id)
    people = real_names(read(), seen.viewer.course.id)
    with told_at("edit.publication", assignment_id=assignment_id), write() as session:
        assignment = session.get_one(Assignment, assignment_id)
        candidate = definition_in(present_content(session, assignment))
        batch_id = ask_dry_run(session, settings().send, assignment, candidate, people, user().id).id
    return see_other(".show", assignment_id=assignment_id, batch_id=batch_id)


@page.get("/<int:batch_id>/")
def show(assignment_id: int, batch_id: int) -> str:
    """Who would gain and who would lose, so far."""
    return render_template("staff/dry_run.html", **_context(assignment_id, batch_id))


@page.get("/<int:batch_id>/live")
def live(assignment_id: int, batch_id: int) -> str:
    """The part of the page that changes, for `refresh.js`."""
    return render_template("staff/_dry_run.html", **_context(assignment_id, batch_id))


def _context(assignment_id: int, batch_id: int) -> dict[str, Any]:
    session = read()
    batch, seen = _batch(assignment_id, batch_id)
    found = summary(session, batch)
    moved = [each for each in found.changes if each.difference.points[0] != each.difference.points[1]]
    return {
        "batch": batch,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "summary": found,
        "gain": sum(each.difference.points[1] > each.difference.points[0] for each in moved),
        "lose": sum(each.difference.points[1] < each.difference.points[0] for each in moved),
        "mistake": why_given_up(session, batch),
        "outdated": _draft(seen.assignment) != batch.candidate,
        "people": real_names(session, seen.viewer.course.id),
        "titles": titles(session, seen.assignment.id),
        "every_ms": EVERY_MS if found.left else 0,
    }


def _batch(assignment_id: int, batch_id: int) -> tuple[RegradeBatch, access.Seen]:
    seen = access.taught(read(), user().id, assignment_id)
    batch = read().get(RegradeBatch, batch_id)
    if batch is None or batch.assignment_id != assignment_id or batch.candidate is None:
        raise NotFound("This assignment has no such dry run.")
    return batch, seen


def _draft(assignment: Assignment) -> str:
    """What a dry run of the present draft would try; "" if the draft has problems."""
    content = present_content(read(), assignment)
    return "" if problems_in(content) else to_json(definition_in(content))


@page.post("/<int:batch_id>/cancel")
def stop(assignment_id: int, batch_id: int) -> Any:
    """Try it on no further submissions."""
    _batch(assignment_id, batch_id)
    with write() as session:
        cancel(session, session.get_one(RegradeBatch, batch_id, with_for_update=True))
    return see_other(".show", assignment_id=assignment_id, batch_id=batch_id)


@page.post("/<int:batch_id>/again")
def again(assignment_id: int, batch_id: int) -> Any:
    """Try again what internal errors held up."""
    _batch(assignment_id, batch_id)
    with write() as session:
        try_again(session, settings().send, session.get_one(RegradeBatch, batch_id, with_for_update=True))
    return see_other(".show", assignment_id=assignment_id, batch_id=batch_id)
