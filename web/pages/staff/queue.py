"""For instructors: the queue of the installation, what is stuck in this assignment, and what the workers do."""

from typing import Any

from flask import Blueprint, Response, flash, request

from tournament.store.database import now
from tournament.work.backlog import pending
from tournament.work.workers import workers
from web.assignment import queue_overview as overview
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.pages import page_about, see_other
from web.site.store import read

page = Blueprint("queue", __name__, url_prefix="/assignments/<int:assignment_id>/queue")
LONGEST_REASON = 500


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, refused: int = 0, problem: str = "") -> str:
    """`refused`: the submission whose form had the `problem`."""
    session, at = read(), now()
    found = workers(session)
    return page_about(
        "staff/queue.html",
        seen,
        forecast=overview.forecast(session, at),
        pending=[(overview.called(each.phase), each) for each in pending(session, at)],
        history=overview.history(session, at, seen.viewer.course),
        stuck=overview.stuck(session, seen.assignment.id),
        workers=found,
        doing=overview.doing(session, found, at),
        at=at,
        refused=refused,
        problem=problem,
        given=request.form.get("reason", ""),
    )


@page.get("/graded.csv")
def history_file(assignment_id: int) -> Response:
    """The figures of the picture, for a spreadsheet."""
    seen = access.taught(read(), user().id, assignment_id)
    found = overview.history(read(), now(), seen.viewer.course)
    return spreadsheet([found.headers, *found.rows], seen, "graded-per-hour.csv")


@page.post("/give-up/<int:submission_id>")
def give_up(assignment_id: int, submission_id: int) -> Any:
    """Cancel a submission that cannot be graded, with a reason that its author is told."""
    seen, reason = access.taught(read(), user().id, assignment_id), request.form.get("reason", "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        return _page(seen, submission_id, f"Give a reason, of at most {LONGEST_REASON} characters."), 422
    overview.give_up(seen, submission_id, reason)
    flash("The submission is cancelled, and the student has been told.")
    return see_other("queue.show", assignment_id=assignment_id)
