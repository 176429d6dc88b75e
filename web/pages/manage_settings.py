"""For instructors: the settings of an assignment and its ladders, decisions for individual students, and the log."""

from typing import Any

from flask import Blueprint, abort, flash, render_template, request

from grader.changes import changes, note
from grader.dates import UnknownZone, listed_zones
from grader.deadline_notices import frozen
from grader.gates import gates_of
from grader.ladders import ladders as ladders_of
from grader.models import Assignment
from grader.publishing.versions import definition_of
from tournament.custom.games import BadQuota, parse_quota
from tournament.ladder import settings as ladder_settings
from tournament.ladder.exclusion import OverrideError, overrides
from tournament.ladder.settings import LABELS, BadLadderSettings
from tournament.store.tables import Ranking, Tournament
from web.assignment import deadlines, gates, kits, ladders
from web.assignment.overview import real_names
from web.models import Course
from web.pages.deadline import take_forms
from web.people import members
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import see_other
from web.site.store import read, write
from web.site.text import count

page = Blueprint("manage_settings", __name__, url_prefix="/assignments/<int:assignment_id>/settings")


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, form: str = "", **more: Any) -> str:
    """`form`: the one that was refused, with its `problems` and what was `given`."""
    session, assignment = read(), seen.assignment
    if not assignment.version:
        abort(see_other("edit.show", assignment_id=assignment.id))
    definition = definition_of(session, assignment)
    found = ladders_of(session, assignment.id)
    people = real_names(session, assignment.course_id)
    return render_template(
        "manage_settings.html",
        assignment=assignment,
        viewer=seen.viewer,
        ladders=[(each, ladder_settings.shown(ladder_settings.settings_of(each))) for each in found],
        labels=LABELS,
        questions=definition.asked,
        gates=gates_of(definition, assignment.gates),
        gate_words=gates.WORDS,
        full_kit=kits.WORDS if kits.has_full_kit(definition) else {},
        rankings=list(Ranking),
        overrides=[(each, people.get(each.author_id), ladder) for ladder in found
                   for each in overrides(session, ladder.id)],
        students=access.students(session, assignment.course_id),
        people=people,
        **deadlines.shown(seen, people),
        frozen=frozen(session, assignment),
        zones=listed_zones(),
        log=changes(session, assignment.id),
        form=form,
        **{"problems": {}, "given": {}, "confirm": "", **more},
    )  # fmt: skip


@page.post("/ladders/<int:tournament_id>")
def change_ladder(assignment_id: int, tournament_id: int) -> Any:
    """Change the settings of a ladder; what takes players out of play is confirmed first."""
    seen, form = access.taught(read(), user().id, assignment_id), f"ladder-{tournament_id}"
    ladder = ladders.check(read().get(Tournament, tournament_id), assignment_id)
    try:
        changed = ladders.change(seen, ladder.id, request.form, "confirm" in request.form)
    except BadLadderSettings as error:
        return _page(seen, form, problems=error.problems, given=request.form), 422
    except ladders.Unconfirmed as consequence:
        return _page(seen, form, given=request.form, confirm=str(consequence)), 422
    flash(f"Changed: {count(changed, 'setting')}." if changed else "Nothing was changed.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


@page.post("/gates")
def change_gates(assignment_id: int) -> Any:
    """Change what must pass before a player may enter. Graded submissions keep their outcome."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        changed = gates.change(seen, request.form)
    except gates.BadGates as error:
        return _page(seen, "gates", problems=error.problems, given=request.form), 422
    flash(f"Changed: {count(changed, 'setting')}." if changed else "Nothing was changed.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


@page.post("/exclusions")
def give_override(assignment_id: int) -> Any:
    """Give one student an exclusion of their own, or let them enter now."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    ladder = ladders.check(read().get(Tournament, form.get("tournament", 0, number)), assignment_id)
    try:
        seconds = None if form.get("what") == "now" else _seconds(form.get("minutes", ""))
        ladders.give(seen, ladder.id, form.get("login", ""), seconds, form.get("reason", ""))
    except deadlines.NoSuchStudent as error:
        return _page(seen, "exclusion", problems={"login": str(error)}, given=form), 422
    except OverrideError as error:
        return _page(seen, "exclusion", problems={error.field: str(error)}, given=form), 422
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


@page.post("/custom-games")
def change_quota(assignment_id: int) -> Any:
    """Set how many custom games each member may request per hour."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        quota = parse_quota(request.form.get("quota", ""))
    except BadQuota as error:
        return _page(seen, "custom-games", problems={"quota": error.message}, given=request.form), 422
    with write() as session:
        assignment = session.get_one(Assignment, assignment_id, with_for_update=True)
        former, assignment.custom_games_hour = assignment.custom_games_hour, quota
        note(session, assignment_id, seen.viewer.user_id, "Custom games an hour", str(former), str(quota))
    flash("The quota has been changed." if quota != former else "Nothing was changed.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


@page.post("/full-kit")
def change_full_kit(assignment_id: int) -> Any:
    """Say when the full kit is offered."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        changed = kits.change(seen, request.form.get("full_kit", ""))
    except kits.BadFullKit as error:
        return _page(seen, "full-kit", problems={"full_kit": str(error)}, given=request.form), 422
    flash("The setting has been changed." if changed else "Nothing was changed.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


@page.post("/time-zone")
def change_time_zone(assignment_id: int) -> Any:
    """Change the time zone of the course."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        with write() as session:
            course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
            former = members.change_time_zone(session, course, user().id, request.form.get("time_zone", ""))
            name = course.time_zone
    except UnknownZone as error:
        return _page(seen, "zone", problems={"time_zone": str(error)}, given=request.form), 422
    same = "The deadlines are the same moments as before: check what the clock shows for them now."
    flash(f"The time zone of the course is {name}. {same}" if name != former else "Nothing was changed.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


take_forms(page, _page)
