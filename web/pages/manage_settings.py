"""For instructors: the settings of an assignment and its ladders, what was decided for single students, and the log."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound

from grader.changes import changes, note
from grader.deadline import DeadlineError, DeadlinePast, extensions
from grader.entering import PAIR, ladders
from tournament import ladder_settings
from tournament.db import after_commit, now
from tournament.exclusion import ExclusionOverride, OverrideError, override, overrides, revoke
from tournament.ladder_settings import LABELS, BadLadderSettings, Effect, change_settings, effect, parse_ladder_settings
from tournament.models import Ranking, Tournament, TournamentKind
from web import access, deadlines
from web.access import Seen
from web.auth import user
from web.overview import real_names
from web.settings import settings
from web.store import read, write
from web.text import count

page = Blueprint("manage_settings", __name__, url_prefix="/assignments/<int:assignment_id>/settings")


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(_teaching(assignment_id))


def _teaching(assignment_id: int) -> Seen:
    return access.teaching(access.assignment(read(), user().id, assignment_id))


def _page(seen: Seen, form: str = "", **more: Any) -> str:
    """`form`: which one was sent and refused; `problems` and `given` are its."""
    session, assignment = read(), seen.assignment
    found = ladders(session, assignment.id)
    people = real_names(session, assignment.course_id)
    return render_template(
        "manage_settings.html",
        assignment=assignment,
        viewer=seen.viewer,
        ladders=[(each, ladder_settings.shown(ladder_settings.settings_of(each))) for each in found],
        labels=LABELS,
        rankings=list(Ranking),
        overrides=[(each, people.get(each.author_id), ladder) for ladder in found
                   for each in overrides(session, ladder.id)],
        students=access.students(session, assignment.course_id),
        people=people,
        due=deadlines.shown(assignment.due_at),
        extensions=sorted((people[id_].name, id_, until) for id_, until in extensions(session, assignment).items()
                          if id_ in people),
        log=changes(session, assignment.id),
        form=form,
        **{"problems": {}, "given": {}, "confirm": "", **more},
    )  # fmt: skip


@page.post("/ladders/<int:tournament_id>")
def change_ladder(assignment_id: int, tournament_id: int) -> Any:
    """Change the settings of a ladder; what takes players out of play is confirmed first."""
    seen, form = _teaching(assignment_id), f"ladder-{tournament_id}"
    _ladder(assignment_id, tournament_id)
    try:
        wanted = parse_ladder_settings(request.form, seen.assignment.game)
        with write() as session:
            tournament = session.get_one(Tournament, tournament_id)
            consequence = _consequence(effect(session, tournament, wanted))
            if consequence and "confirm" not in request.form:
                return _page(seen, form, given=request.form, confirm=consequence), 422
            changed = change_settings(session, tournament, wanted, now())
            for label, former, value in changed:
                note(session, assignment_id, seen.viewer.user_id, f"{tournament.title}: {label}", former, value)
            after_commit(session, lambda: settings().send(PAIR))
    except BadLadderSettings as error:
        return _page(seen, form, problems=error.problems, given=request.form), 422
    flash(f"Changed: {count(len(changed), 'setting')}." if changed else "Nothing was changed.")
    return _back(assignment_id)


def _consequence(what: Effect) -> str:
    """What new settings would do at once; "" if nothing."""
    parts = []
    if what.replaced:
        parts.append(f"{count(what.replaced, 'active entry', 'active entries')} would be replaced by newer ones")
    if what.out:
        parts.append(f"{count(what.out, 'entry', 'entries')} would be out, with as many invalid plays already")
    return f"{' and '.join(parts)}. They stop playing at once." if parts else ""


@page.post("/exclusions")
def give_override(assignment_id: int) -> Any:
    """Give one student an exclusion of their own, or let them enter now."""
    seen, form = _teaching(assignment_id), request.form
    ladder = _ladder(assignment_id, form.get("tournament", 0, int))
    try:
        student = deadlines.student_named(seen, form.get("login", ""))
        seconds = None if form.get("what") == "now" else _seconds(form.get("minutes", ""))
        with write() as session:
            tournament = session.get_one(Tournament, ladder.id)
            override(session, tournament, student, seconds, form.get("reason", ""), seen.viewer.user_id)
            note(session, assignment_id, seen.viewer.user_id, *_logged(form["login"], seconds))
    except deadlines.NoSuchStudent as error:
        return _page(seen, "exclusion", problems={"login": str(error)}, given=form), 422
    except OverrideError as error:
        return _page(seen, "exclusion", problems={error.field: str(error)}, given=form), 422
    flash("It is done, and the student is told.")
    return _back(assignment_id)


def _logged(login: str, seconds: int | None) -> tuple[str, str, str]:
    value = "lifted once" if seconds is None else f"{seconds / 60:g} minutes"
    return f"Exclusion of {login.strip()}", "", value


def _seconds(text: str) -> int:
    try:
        return round(float(text) * 60)
    except (ValueError, OverflowError):
        raise OverrideError("minutes", f"“{text}” is no number of minutes.") from None


@page.post("/exclusions/<int:override_id>/revoke")
def revoke_override(assignment_id: int, override_id: int) -> Any:
    """Take back what was decided for one student."""
    seen = _teaching(assignment_id)
    with write() as session:
        row = session.get(ExclusionOverride, override_id)
        if row is None or session.get_one(Tournament, row.tournament_id).assignment_id != assignment_id:
            raise NotFound("This assignment has nothing of that kind to take back.")
        revoke(session, row)
        person = real_names(read(), seen.assignment.course_id).get(row.author_id)
        what, value, none = _logged(person.login if person else "a former student", row.seconds)
        note(session, assignment_id, seen.viewer.user_id, what, none, value or "as for everybody")
    flash("It is taken back, and the student is told.")
    return _back(assignment_id)


@page.post("/deadline")
def change_deadline(assignment_id: int) -> Any:
    """Set the deadline; one that has passed is confirmed first."""
    seen = _teaching(assignment_id)
    try:
        due = deadlines.change_deadline(seen, request.form)
    except DeadlineError as error:
        past = "I mean a deadline that has passed" if isinstance(error, DeadlinePast) else ""
        return _page(seen, "deadline", problems={"due": str(error)}, given=request.form, confirm=past), 422
    flash("The deadline is set." if due else "There is no deadline any more.")
    return _back(assignment_id)


@page.post("/extensions")
def change_extension(assignment_id: int) -> Any:
    """Give a student an extension, or take it back."""
    seen = _teaching(assignment_id)
    try:
        until = deadlines.change_extension(seen, request.form)
    except DeadlineError as error:
        field = "login" if isinstance(error, deadlines.NoSuchStudent) else "until"
        return _page(seen, "extension", problems={field: str(error)}, given=request.form), 422
    flash("The extension is set." if until else "The extension is taken back.")
    return _back(assignment_id)


def _ladder(assignment_id: int, tournament_id: int) -> Tournament:
    found = read().get(Tournament, tournament_id)
    if found is None or found.assignment_id != assignment_id or found.kind is not TournamentKind.LADDER:
        raise NotFound("This assignment has no such ladder.")
    return found


def _back(assignment_id: int) -> Any:
    return redirect(url_for("manage_settings.show", assignment_id=assignment_id), 303)
