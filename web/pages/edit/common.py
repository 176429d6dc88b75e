"""What the pages of the editor share: the frame around a form, and saving what a person or `draft.js` has sent."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from flask import Blueprint, flash, render_template, request
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from grader.authoring.drafts import Content, present_content
from grader.store.models import AssignmentDraft, AssignmentVersion
from web.assignment.overview import real_names
from web.editing import places
from web.editing.drafts import Change, EditedMeanwhile, Read, save
from web.editing.forms import shown_time
from web.models import User
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import tag
from web.site.pages import page_about, see_other
from web.site.store import read

page = Blueprint("edit", __name__, url_prefix="/assignments/<int:assignment_id>/edit")


def opened(assignment_id: int) -> tuple[Seen, Content]:
    """An assignment that the viewer teaches, and what its draft says."""
    seen = access.taught(read(), user().id, assignment_id)
    return seen, present_content(read(), seen.assignment)


def editor(name: str, seen: Seen, content: Content, **more: Any) -> str:
    """A page of the editor."""
    session = read()
    return page_about(
        f"edit/{name}.html",
        seen,
        content=content,
        draft=session.get(AssignmentDraft, seen.assignment.id),
        publisher=publisher(seen),
        people=real_names(session, seen.viewer.course.id),
        places=places.listed(seen, content),
        field_time=lambda value: shown_time(value, seen.viewer.course.zone),
        **{"conflict": None, "theirs": {}, "was": "", **more},
    )


def publisher(seen: Seen) -> str:
    """Who published the latest version."""
    by = User.id == AssignmentVersion.published_by
    latest = AssignmentVersion.assignment_id == seen.assignment.id, AssignmentVersion.number == seen.assignment.version
    return read().scalar(select(User.name).join(AssignmentVersion, by).where(*latest)) or "Somebody at the command line"


def question_in(content: Content, slug: str) -> Content:
    """The question of a draft with that slug."""
    found: Content | None = next((each for each in content["questions"] if each["slug"] == slug), None)
    if found is None:
        raise NotFound("The draft has no such question. Perhaps it was renamed or removed.")
    return found


def keep(seen: Seen, part: Read, change: Change, again: Callable[..., str], address: tuple[str, dict[str, Any]]) -> Any:
    """Save the part of a draft that a form shows, and answer the person or the script that sent it. If somebody else
    has changed it meanwhile, `again` shows the page with what was typed."""
    scripted = "X-Draft" in request.headers
    try:
        content = save(seen, part, change, request.form.get("was", ""))
    except EditedMeanwhile as error:
        if scripted:
            return {"message": str(error)}, 409
        typed = deepcopy(error.content)
        change(typed)
        theirs = _differing(part(error.content), part(typed))
        return again(seen, typed, conflict=error, theirs=theirs, was=tag(part(error.content))), 409
    if scripted:
        found = places.listed(seen, content)
        return {"was": tag(part(content)), "problems": render_template("edit/_problems.html", places=found)}
    flash("The draft is saved.")
    endpoint, values = address
    return see_other(endpoint, assignment_id=seen.assignment.id, **values)


def _differing(theirs: Any, typed: Any) -> dict[str, Any]:
    """The fields in which what somebody else saved differs from what was typed."""
    if not isinstance(theirs, dict):
        return {"": theirs}
    return {places.FIELDS.get(name, name): each for name, each in theirs.items() if each != typed.get(name)}
