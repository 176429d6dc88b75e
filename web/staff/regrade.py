"""For instructors: grading submissions again, the progress, and what has changed."""

from collections.abc import Collection
from typing import Any

from flask import Blueprint, Response, flash, render_template, request
from sqlalchemy import Select, select
from werkzeug.exceptions import BadRequest

from grader.assignment.deadline import frozen
from grader.regrade.batches import (
    all_graded,
    ask,
    by_best,
    cancel,
    that_count,
    try_again,
    unqualified,
    withdraw_unqualified,
)
from grader.regrade.difference import summary
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from web.overview.overview import real_names
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.inputs import number
from web.site.notices import looked_at
from web.site.pages import page_about, see_other, shown_again, told_at
from web.site.store import read, settings, write
from web.staff.regrades import batches, counts, graded_before, lines, titles

page = Blueprint("regrade", __name__)
ALL = "/assignments/<int:assignment_id>/regrades"
ONE = "/regrades/<int:batch_id>"
EVERY_MS = 2000


@page.get(f"{ALL}/")
def show(assignment_id: int) -> str:
    """The page: what was graded again, and the form."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, problem: str = "") -> str:
    session, people = read(), real_names(read(), seen.viewer.course.id)
    return page_about(
        "staff/regrades.html",
        seen,
        batches=batches(session, seen.assignment.id),
        counts=counts(session, seen.assignment, people),
        published=seen.assignment.version if graded_before(session, seen.assignment) else 0,
        best=by_best(session, seen.assignment),
        people=people,
        problem=problem,
        given=request.form,
    )


@page.post(f"{ALL}/")
def begin(assignment_id: int) -> Any:
    """Have submissions graded again: one, those that count, or all."""
    seen = access.taught(read(), user().id, assignment_id)
    wanted = _wanted(seen.assignment, real_names(read(), seen.viewer.course.id))
    with shown_again(lambda why: _page(seen, str(why))), write() as session:
        reason = request.form.get("reason", "")
        batch_id = ask(session, settings().send, assignment_id, wanted, reason, seen.viewer.user_id).id
    return see_other("regrade.show_one", batch_id=batch_id)


def _wanted(assignment: Assignment, members: Collection[int]) -> Select[int]:
    one, what = request.form.get("submission", type=number), request.form.get("what", "")
    if one is not None:
        return all_graded(assignment.id, members).where(Submission.id == one)
    if what not in ("count", "all"):
        raise BadRequest("Choose which submissions to grade again: those that count, or all.")
    return that_count(read(), assignment, members) if what == "count" else all_graded(assignment.id, members)


@page.get(f"{ONE}/")
def show_one(batch_id: int) -> Any:
    """What a batch has changed so far."""
    batch, _ = access.regrade_batch(read(), user().id, batch_id)
    if batch.candidate is not None:
        return see_other("dry_run.show", assignment_id=batch.assignment_id, batch_id=batch_id)
    return render_template("staff/regrade.html", **_context(batch_id))


@page.get(f"{ONE}/live")
def live(batch_id: int) -> str:
    """The part of the page that changes, for `refresh.js`."""
    return render_template("staff/_regrade.html", **_context(batch_id))


def _context(batch_id: int) -> dict[str, Any]:
    session = read()
    batch, seen = access.regrade_batch(session, user().id, batch_id)
    looked_at(user().id, "regrades", [batch.id])
    found = summary(session, batch)
    submissions = select(Regrade.submission_id).where(Regrade.batch_id == batch.id)
    return {
        "batch": batch,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "summary": found,
        "one": session.scalar(submissions) if found.total == 1 else None,
        "unqualified": unqualified(session, batch),
        "people": real_names(session, seen.viewer.course.id),
        "titles": titles(session, seen.assignment.id),
        "frozen": frozen(session, seen.assignment),
        "every_ms": EVERY_MS if found.left else 0,
    }


@page.get(f"{ONE}/changes.csv")
def changes_file(batch_id: int) -> Response:
    """Every submission of a batch with its outcome, for a spreadsheet."""
    batch, seen = access.regrade_batch(read(), user().id, batch_id)
    people = real_names(read(), seen.viewer.course.id)
    return spreadsheet(lines(read(), batch, people, seen.viewer.course.zone), seen, f"regrades-{batch.id}.csv")


@page.post(f"{ONE}/do")
def act(batch_id: int) -> Any:
    """Cancel what is left, or try again what internal errors held up."""
    access.regrade_batch(read(), user().id, batch_id)
    do = request.form.get("do", "")
    if do not in ("cancel", "again"):
        raise BadRequest("Grading again can only be cancelled or tried again.")
    with write() as session:
        batch = session.get_one(RegradeBatch, batch_id, with_for_update=True)
        if do == "cancel":
            cancel(session, batch)
        else:
            try_again(session, settings().send, batch)
    flash("The rest has been cancelled." if do == "cancel" else "They are queued again.")
    return see_other("regrade.show_one", batch_id=batch_id)


@page.post(f"{ONE}/withdraw")
def withdraw(batch_id: int) -> Any:
    """Withdraw the chosen entries among those that no longer qualify."""
    access.regrade_batch(read(), user().id, batch_id)
    chosen = set(request.form.getlist("entry", type=number))
    with told_at("regrade.show_one", batch_id=batch_id), write() as session:
        done = withdraw_unqualified(session, session.get_one(RegradeBatch, batch_id), chosen, user().id)
    flash(f"Withdrawn: {done}. Their authors have been told." if done else "Nothing was chosen and nothing withdrawn.")
    return see_other("regrade.show_one", batch_id=batch_id)
