"""Publish a draft, now or at a set time; show what changes and for whom, the progress, and the result. Also show the
published versions, each of which can become the draft again."""

from functools import partial
from typing import Any

from flask import flash, request
from sqlalchemy import func, select
from werkzeug.exceptions import NotFound

from grader.authoring.drafts import Content, begin, content_of, definition_in, problems_in
from grader.authoring.jobs import ask, latest, said_of, waits_for
from grader.authoring.versions import Unpublished, definition_of, live
from grader.definition.differences import Difference, Touches, differences
from grader.definition.local_times import BadTime, LocalTime, parse
from grader.definition.model import Definition
from grader.regrade.batches import latest_dry_run
from grader.store.models import (
    Assignment,
    AssignmentDraft,
    AssignmentVersion,
    AuthoringJob,
    AuthoringPurpose,
    Submission,
    latest_changes,
)
from grader.store.queue import message_for
from tournament.store.database import after_commit, now
from tournament.store.jobs import PENDING
from tournament.store.tables import Entry, Tournament
from tournament.store.validation import BadForm
from web.editor import drafts
from web.editor.drafts import EVERY_MS, editor_page, open_draft, page, publisher_name
from web.site.access import Seen
from web.site.auth import user
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, settings, write
from web.staff.regrade import graded_before


@page.get("/publish/")
def publication(assignment_id: int) -> str:
    """Show the Publish page."""
    seen, content = open_draft(assignment_id)
    return _publish_page(seen, content)


def _publish_page(seen: Seen, content: Content, problem: str = "", **more: Any) -> str:
    return editor_page(
        "publish", seen, content, problem=problem, given=request.form, **_publication_shown(seen, content), **more
    )


def _publication_shown(seen: Seen, content: Content) -> dict[str, Any]:
    changes = [] if problems_in(content) else _published_changes(seen, definition_in(content))
    job = latest(read(), seen.assignment.id, AuthoringPurpose.PUBLISH)
    graded = select(func.count()).where(Submission.assignment_id == seen.assignment.id, Submission.report.is_not(None))
    of = Tournament.assignment_id == seen.assignment.id, Tournament.season_ended.is_(None)
    entered = select(func.count()).select_from(Entry).join(Entry.tournament).where(*of, Entry.author_id.is_not(None))
    touched = {each.touches for each in changes}
    draft = read().get(AssignmentDraft, seen.assignment.id)
    at = LocalTime(draft.publish_at, seen.viewer.course.zone) if draft and draft.publish_at else None
    return {
        "changes": [(drafts.in_words(seen, each), each) for each in changes],
        "touches": Touches,
        "season": Touches.SEASON in touched and read().scalar(entered),
        "graded": Touches.MARKS in touched and read().scalar(graded),
        "publish_at": at.field if at else "",
        "dry_run": latest_dry_run(read(), seen.assignment.id),
        "job": job,
        "job_places": drafts.of_result(seen, job.result) if job else [],
        "to_grade_again": graded_before(read(), seen.assignment) if job and job.result.get("version") else 0,
        "said": said_of(job.result) if job else "",
        "waits_for": partial(waits_for, read()),
        "every_ms": EVERY_MS if job and job.state in PENDING else None,
    }


@page.get("/publish/live")
def publication_live(assignment_id: int) -> str:
    """Return the part of the page that changes while a worker publishes the draft, for `refresh.js`."""
    seen, content = open_draft(assignment_id)
    return page_about(
        "editor/_published.html",
        seen,
        content=content,
        draft=read().get(AssignmentDraft, assignment_id),
        publisher=publisher_name(seen),
        places=drafts.listed_problems(seen, content),
        given=request.form,
        live=True,
        **_publication_shown(seen, content),
    )


def _published_changes(seen: Seen, definition: Definition) -> list[Difference]:
    if not seen.assignment.version:
        return []
    return differences(live(read(), seen.assignment), definition)


@page.post("/publish/")
def publish(assignment_id: int) -> Any:
    """Publish the draft now, or schedule its publication."""
    seen, content = open_draft(assignment_id)
    with shown_again(lambda why: _publish_page(seen, content, str(why))):
        definition = definition_in(content)
        if seen.assignment.version and not _published_changes(seen, definition):
            raise BadForm({"": "There is nothing to publish: the draft matches the published version."})
    job = latest(read(), assignment_id, AuthoringPurpose.PUBLISH)
    if job and job.state in PENDING:  # the button was pressed in two windows
        return see_other("edit.publication", assignment_id=assignment_id)
    with shown_again(lambda why: _publish_page(seen, content, problems={"at": str(why)})):
        at = parse(request.form.get("at", ""), seen.viewer.course.zone) if request.form.get("when") == "later" else None
        if at and at.at <= now():
            raise BadTime(f"{at.in_words} is in the past. Choose a later time, or publish it now.")
    with write() as session:
        assignment = session.get_one(Assignment, assignment_id, with_for_update=True)
        draft = session.get_one(AssignmentDraft, assignment_id)
        draft.publish_at = at.at if at else None
        if at:
            draft.saved_by = user().id
        else:
            job = AuthoringJob(purpose=AuthoringPurpose.PUBLISH, asked_by=user().id)
            message = message_for(ask(session, assignment, definition, job).needs)
            after_commit(session, lambda: settings().send(message))
    if at:
        flash(f"The draft will be published on {at.in_words}, with all changes made by then.")
    return see_other("edit.publication", assignment_id=assignment_id)


@page.post("/publish/not-then")
def publish_not_then(assignment_id: int) -> Any:
    """Cancel the scheduled publication of the draft."""
    open_draft(assignment_id)
    with write() as session:
        draft = session.get(AssignmentDraft, assignment_id, with_for_update=True)
        if draft:
            draft.publish_at = None
    flash("The scheduled publication was cancelled.")
    return see_other("edit.publication", assignment_id=assignment_id)


@page.post("/publish/over")
def publish_over(assignment_id: int) -> Any:
    """Base the draft on the latest version, although somebody else published that version in the meantime."""
    seen, _ = open_draft(assignment_id)
    with write() as session:
        draft = session.get(AssignmentDraft, assignment_id, with_for_update=True)
        if draft:
            draft.base, draft.revision = seen.assignment.version, draft.revision + 1
    flash("The draft now follows the latest version. Check what would change, then publish it.")
    return see_other("edit.publication", assignment_id=assignment_id)


# The versions


@page.get("/versions/")
def versions(assignment_id: int) -> str:
    """Show the Versions page."""
    seen, content = open_draft(assignment_id)
    wanted = select(AssignmentVersion).where(AssignmentVersion.assignment_id == assignment_id)
    found = read().scalars(wanted.order_by(AssignmentVersion.number.desc())).all()
    log = latest_changes(read(), seen.viewer.course.id, assignment_id)
    return editor_page("versions", seen, content, versions=found, log=log)


@page.get("/versions/<int:number>/")
def version(assignment_id: int, number: int) -> str:
    """Show the page of one version and its changes."""
    seen, content = open_draft(assignment_id)
    definition = _definition(seen, number)
    before = _definition(seen, number - 1) if number > 1 else None
    changed = [(drafts.in_words(seen, each), each) for each in differences(before, definition)] if before else []
    return editor_page("version", seen, content, number=number, definition=definition, changes=changed)


def _definition(seen: Seen, number: int) -> Definition:
    try:
        if not number:
            raise Unpublished
        return definition_of(read(), seen.assignment, number)
    except Unpublished:
        raise NotFound("This assignment has no such version.") from None


@page.post("/versions/<int:number>/take")
def take_version(assignment_id: int, number: int) -> Any:
    """Replace the draft's content with that of a version."""
    seen, _ = open_draft(assignment_id)
    definition = _definition(seen, number)
    with write() as session:
        draft = begin(session, session.get_one(Assignment, assignment_id, with_for_update=True), user().id)
        draft.content, draft.base, draft.revision = content_of(definition), seen.assignment.version, draft.revision + 1
        draft.saved_by, draft.saved_at = user().id, now()
        session.add(draft)
    flash(f"The draft now matches version {number}. Nothing has been published yet.")
    return see_other("edit.publication", assignment_id=assignment_id)
