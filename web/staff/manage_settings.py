"""For instructors: the settings of an assignment and its ladders, decisions for individual students, and the log."""

from typing import Any

from flask import Blueprint, abort, flash, request

from grader.assignment.deadline import frozen
from grader.assignment.ladders import ladders as ladders_of
from grader.definition.local_times import listed_zones, lost_zone
from grader.store.models import latest_changes
from tournament.ladder.cooldown import OverrideError, overrides
from tournament.store.tables import Tournament
from tournament.store.validation import BadForm
from web.board import ladders
from web.overview import dates
from web.overview.overview import real_names
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import changed_fields, overtaken
from web.site.inputs import number
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read
from web.staff import all_settings
from web.staff.all_settings import present

page = Blueprint("manage_settings", __name__, url_prefix="/assignments/<int:assignment_id>/settings")


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, form: str = "", **more: Any) -> str:
    """`form`: the one that was refused, with its `problems` and what was `given`, or of the settings, `changed`."""
    session, assignment = read(), seen.assignment
    if not assignment.version:
        abort(see_other("edit.show", assignment_id=assignment.id))
    people = real_names(session, assignment.course_id)
    played = ladders_of(session, assignment.id)
    groups = all_settings.groups(session, seen)
    return page_about(
        "staff/manage_settings.html",
        seen,
        groups=groups,
        present=present(groups),
        ladders=played,
        overrides=[(each, people.get(each.author_id), ladder) for ladder in played
                   for each in overrides(session, ladder.id)],
        students=access.students(session, assignment.course_id),
        people=people,
        extensions=dates.extensions_of(session, assignment, people),
        lost_zone=lost_zone(seen.viewer.course.time_zone),
        frozen=frozen(session, assignment),
        zones=listed_zones(),
        log=latest_changes(session, assignment.id),
        form=form,
        **{"problems": {}, "given": {}, "changed": {}, **more},
    )  # fmt: skip


@page.post("/")
@page.post("/deadline")  # its own address once; programs may still use it
def save(assignment_id: int) -> Any:
    """Save every setting that was changed, or none; what has consequences at once is confirmed first."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    groups = all_settings.groups(read(), seen)
    changed = changed_fields(present(groups), form)
    if not changed:
        flash("Nothing was changed.")
        return see_other("manage_settings.show", assignment_id=assignment_id)
    problems = overtaken(present(groups), form)
    with shown_again(lambda why: _page(seen, "settings", problems=why.problems, changed=changed)):
        if problems:
            raise BadForm(problems)
        for said in all_settings.save(seen, groups, changed, "confirm" in form):
            flash(said)
    return see_other("manage_settings.show", assignment_id=assignment_id)


@page.post("/exclusions")
def give_override(assignment_id: int) -> Any:
    """Give one student a cooldown of their own, or let them enter now."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    ladder = ladders.check(read().get(Tournament, form.get("tournament", 0, number)), assignment_id)
    with shown_again(lambda why: _page(seen, "exclusion", problems=why.problems, given=form)):
        seconds = None if form.get("what") == "now" else _seconds(form.get("minutes", ""))
        ladders.give(seen, ladder.id, form.get("login", ""), seconds, form.get("reason", ""))
    flash("The decision is saved, and the student has been told.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


def _seconds(text: str) -> int:
    try:
        return round(float(text) * 60)
    except (ValueError, OverflowError):
        raise OverrideError("minutes", f"“{text}” is not a number of minutes.") from None


@page.post("/exclusions/<int:override_id>/revoke")
def revoke_override(assignment_id: int, override_id: int) -> Any:
    """Take back what was decided for one student."""
    ladders.take_back(access.taught(read(), user().id, assignment_id), override_id)
    flash("The decision is taken back, and the student has been told.")
    return see_other("manage_settings.show", assignment_id=assignment_id)
