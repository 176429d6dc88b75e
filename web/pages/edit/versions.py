"""The published versions of an assignment: a list, each of them, and a draft made from one."""

from typing import Any

from flask import flash
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from grader.assignment.changes import changes
from grader.authoring.drafts import begin, content_of
from grader.authoring.versions import Unpublished, definition_of
from grader.definition.differences import differences
from grader.definition.model import Definition
from grader.store.models import Assignment, AssignmentVersion
from tournament.store.database import now
from web.editing import places
from web.pages.edit.common import editor, opened, page
from web.site.access import Seen
from web.site.auth import user
from web.site.pages import see_other
from web.site.store import read, write


@page.get("/versions/")
def versions(assignment_id: int) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    wanted = select(AssignmentVersion).where(AssignmentVersion.assignment_id == assignment_id)
    found = read().scalars(wanted.order_by(AssignmentVersion.number.desc())).all()
    return editor("versions", seen, content, versions=found, log=changes(read(), assignment_id))


@page.get("/versions/<int:number>/")
def version(assignment_id: int, number: int) -> str:
    """One version, and what it changed."""
    seen, content = opened(assignment_id)
    definition = _definition(seen, number)
    before = _definition(seen, number - 1) if number > 1 else None
    changed = [(places.in_words(seen, each), each) for each in differences(before, definition)] if before else []
    return editor("version", seen, content, number=number, definition=definition, changes=changed)


def _definition(seen: Seen, number: int) -> Definition:
    try:
        if not number:
            raise Unpublished
        return definition_of(read(), seen.assignment, number)
    except Unpublished:
        raise NotFound("This assignment has no such version.") from None


@page.post("/versions/<int:number>/take")
def take_version(assignment_id: int, number: int) -> Any:
    """Make the draft what a version says."""
    seen, _ = opened(assignment_id)
    definition = _definition(seen, number)
    with write() as session:
        draft = begin(session, session.get_one(Assignment, assignment_id, with_for_update=True), user().id)
        draft.content, draft.base, draft.revision = content_of(definition), seen.assignment.version, draft.revision + 1
        draft.saved_by, draft.saved_at = user().id, now()
        session.add(draft)
    flash(f"The draft is what version {number} says. Nothing is published yet.")
    return see_other("edit.publication", assignment_id=assignment_id)
