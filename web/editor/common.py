"""What the pages of the editor share: the frame around a form, and saving what a person or `draft.js` has sent."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from flask import Blueprint, flash, render_template, request
from sqlalchemy import select
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from grader.authoring.drafts import Content, present_content
from grader.authoring.versions import settled_in
from grader.store.models import AssignmentDraft, AssignmentVersion
from tournament.store.validation import BadForm, Refusal
from web.editor.assignments import SLUG
from web.editor.drafts import FIELDS, Change, EditedMeanwhile, Read, listed_problems, save_draft
from web.editor.forms import shown_time
from web.models import User
from web.overview.overview import real_names
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import tag
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read

EVERY_MS = 1000
"""How often a page asks how far a worker is."""

page = Blueprint("edit", __name__, url_prefix="/assignments/<int:assignment_id>/edit")


def open_draft(assignment_id: int) -> tuple[Seen, Content]:
    """An assignment that the viewer teaches, and what its draft says."""
    seen = access.taught(read(), user().id, assignment_id)
    return seen, present_content(read(), seen.assignment)


def editor_page(name: str, seen: Seen, content: Content, part: Read = lambda content: None, **more: Any) -> str:
    """A page of the editor; `part` is what its form edits."""
    session = read()
    return page_about(
        f"editor/{name}.html",
        seen,
        settled=settled_in(session, seen.assignment),
        content=content,
        draft=session.get(AssignmentDraft, seen.assignment.id),
        publisher=publisher_name(seen),
        people=real_names(session, seen.viewer.course.id),
        places=listed_problems(seen, content),
        field_time=lambda value: shown_time(value, seen.viewer.course.zone),
        **{"conflict": None, "theirs": {}, "problems": {}, "given": {}, "was": tag(part(content)), **more},
    )


def publisher_name(seen: Seen) -> str:
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


def check_slug(items: Iterable[Content], slug: str, what: str, example: str) -> None:
    """Whether another one of the `items` may be called so. Raises BadForm."""
    if not SLUG.fullmatch(slug):
        raise BadForm({"slug": f"Use up to 40 lowercase letters, digits and hyphens, e.g. {example}."})
    if any(each["slug"] == slug for each in items):
        raise BadForm({"slug": f"There is a {what} {slug} already. Choose another short name."})


def save_part(seen: Seen, part: Read, change: Change, again: Callable[..., str]) -> Any:
    """Save the part of a draft that a form shows, and answer the person or the script that sent it. If somebody else
    has changed it meanwhile, `again` shows the page with what was typed."""
    scripted = "X-Draft" in request.headers

    def overtaken(why: Refusal) -> Any:
        if scripted or not isinstance(why, EditedMeanwhile):
            return {"message": str(why)}
        typed = deepcopy(why.content)
        change(typed)
        theirs = part(why.content)
        return again(seen, typed, conflict=why, theirs=_differing(theirs, part(typed)), was=tag(theirs))

    with shown_again(overtaken):
        content = save_draft(seen, part, change, request.form.get("was", ""))
    if scripted:
        return {
            "was": tag(part(content)),
            "problems": render_template("editor/_problems.html", places=listed_problems(seen, content)),
        }
    flash("The draft is saved.")
    return to_the_form()


def to_the_form() -> Response:
    """The answer to a form that is at the address to which it is sent."""
    return see_other(request.endpoint or "", **(request.view_args or {}))


def _differing(theirs: Any, typed: Any) -> dict[str, Any]:
    """The fields in which what somebody else saved differs from what was typed."""
    if not isinstance(theirs, dict):
        return {"": theirs}
    return {FIELDS.get(name, name): each for name, each in theirs.items() if each != typed.get(name)}
