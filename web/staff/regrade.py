"""For instructors: regrading submissions, or trying a draft on the submissions that count, and the resulting
changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, flash, render_template, request
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, joinedload
from werkzeug.exceptions import BadRequest, NotFound

from grader.assignment.deadline import frozen
from grader.authoring.drafts import definition_in, present_content, problems_in
from grader.definition.local_times import LocalTime
from grader.definition.model import to_json
from grader.definition.question import label
from grader.regrade import batches
from grader.regrade.batches import all_graded, that_count
from grader.regrade.difference import difference_in, summary
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Tournament
from web.site import access
from web.site.access import Seen, real_names
from web.site.auth import user
from web.site.inputs import number
from web.site.models import User
from web.site.pages import looked_at, page_about, see_other, shown_again, spreadsheet, told_at
from web.site.store import read, settings, write

page = Blueprint("regrade", __name__)
ALL = "/assignments/<int:assignment_id>/regrades"
ONE = "/regrades/<int:batch_id>"
DRY_RUNS = "/assignments/<int:assignment_id>/dry-runs"
DRY_RUN = f"{DRY_RUNS}/<int:batch_id>"
EVERY_MS = 2000
SHOWN = 50  # batches


@page.get(f"{ALL}/")
def show(assignment_id: int) -> str:
    """Show what was regraded, and the form."""
    return _regrade_page(access.taught(read(), user().id, assignment_id))


def _regrade_page(seen: Seen, problem: str = "") -> str:
    session, assignment = read(), seen.assignment
    people = real_names(session, seen.viewer.course.id)
    choices = {"count": that_count(session, assignment, people), "all": all_graded(assignment.id, people)}
    return page_about(
        "staff/regrades.html",
        seen,
        batches=_latest_batches(session, assignment.id),
        counts={what: _counted_submissions(session, wanted) for what, wanted in choices.items()},
        published=assignment.version if graded_before(session, assignment) else 0,
        best=batches.by_best(session, assignment),
        people=people,
        problem=problem,
        given=request.form,
    )


def _latest_batches(session: Session, assignment_id: int) -> Sequence[Any]:
    """Return the latest batches, each with its numbers of submissions: all of them, those left to grade, and those
    whose result changed."""
    total, left = func.count().label("total"), func.count().filter(Regrade.state.in_(PENDING)).label("left")
    changed = func.count().filter(Regrade.changed.is_(True)).label("changed")
    dry = RegradeBatch.candidate.is_not(None).label("dry")  # loading this with the batch would read the candidate
    wanted = select(RegradeBatch, total, left, changed, dry).join(Regrade, Regrade.batch_id == RegradeBatch.id)
    wanted = wanted.where(RegradeBatch.assignment_id == assignment_id)
    return session.execute(wanted.group_by(RegradeBatch.id).order_by(RegradeBatch.id.desc()).limit(SHOWN)).all()


def _counted_submissions(session: Session, wanted: Select[Any]) -> int:
    return session.scalar(select(func.count()).select_from(wanted.subquery())) or 0


def graded_before(session: Session, assignment: Assignment) -> int:
    """Return the number of submissions whose report comes from a former version of the assignment."""
    former = (Submission.assignment_id == assignment.id, Submission.version < assignment.version)
    return _counted_submissions(session, select(Submission.id).where(*former, Submission.state == JobState.DONE))


@page.post(f"{ALL}/")
def begin(assignment_id: int) -> Any:
    """Have submissions regraded: one, those that count, or all."""
    seen = access.taught(read(), user().id, assignment_id)
    people = real_names(read(), seen.viewer.course.id)
    one, what = request.form.get("submission", type=number), request.form.get("what", "")
    wanted = all_graded(assignment_id, people)
    if one is not None:
        wanted = wanted.where(Submission.id == one)
    elif what == "count":
        wanted = that_count(read(), seen.assignment, people)
    elif what != "all":
        raise BadRequest("Choose which submissions to grade again: those that count, or all.")
    with shown_again(lambda why: _regrade_page(seen, str(why))), write() as session:
        reason = request.form.get("reason", "")
        batch_id = batches.ask(session, settings().send, assignment_id, wanted, reason, seen.viewer.user_id).id
    return see_other("regrade.show_one", batch_id=batch_id)


@page.get(f"{ONE}/")
def show_one(batch_id: int) -> Any:
    """Show what a batch has changed so far."""
    batch, _ = access.regrade_batch(read(), user().id, batch_id)
    if batch.candidate is not None:
        return see_other("regrade.show_dry_run", assignment_id=batch.assignment_id, batch_id=batch_id)
    return render_template("staff/regrade.html", **_regrade(batch_id))


@page.get(f"{ONE}/live")
def live(batch_id: int) -> str:
    """Return the part of the page that changes during a regrade, for `refresh.js`."""
    return render_template("staff/_regrade.html", **_regrade(batch_id))


def _regrade(batch_id: int) -> dict[str, Any]:
    session = read()
    batch, seen = access.regrade_batch(session, user().id, batch_id)
    looked_at(user().id, "regrades", [batch.id])
    shown = _batch_progress(seen, batch)
    submissions = select(Regrade.submission_id).where(Regrade.batch_id == batch.id)
    return {
        **shown,
        "one": session.scalar(submissions) if shown["summary"].total == 1 else None,
        "unqualified": batches.unqualified(session, batch),
        "frozen": frozen(session, seen.assignment),
    }


def _batch_progress(seen: Seen, batch: RegradeBatch) -> dict[str, Any]:
    """Return the values that the pages of regrades and of dry runs have in common."""
    found = summary(read(), batch)
    return {
        "batch": batch,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "summary": found,
        "people": real_names(read(), seen.viewer.course.id),
        "titles": _titles(read(), seen.assignment.id),
        "every_ms": EVERY_MS if found.left else 0,
    }


def _titles(session: Session, assignment_id: int) -> dict[int, str]:
    """Return the titles of an assignment's tournaments by id, including former seasons."""
    wanted = select(Tournament.id, Tournament.title).where(Tournament.assignment_id == assignment_id)
    return dict(session.execute(wanted).all())


@page.post(f"{ONE}/do")
def act(batch_id: int) -> Any:
    """Cancel the rest of a batch, or retry submissions that internal errors held up."""
    access.regrade_batch(read(), user().id, batch_id)
    do = request.form.get("do", "")
    if do not in ("cancel", "again"):
        raise BadRequest("You can only cancel a regrade or try it again.")
    _do(batch_id, do)
    flash("The rest of the regrade has been cancelled." if do == "cancel" else "They are queued again.")
    return see_other("regrade.show_one", batch_id=batch_id)


def _do(batch_id: int, do: str) -> None:
    with write() as session:
        batch = session.get_one(RegradeBatch, batch_id, with_for_update=True)
        if do == "cancel":
            batches.cancel(session, batch)
        else:
            batches.try_again(session, settings().send, batch)


@page.post(f"{ONE}/withdraw")
def withdraw(batch_id: int) -> Any:
    """Withdraw the chosen entries, out of those that no longer qualify."""
    access.regrade_batch(read(), user().id, batch_id)
    chosen = set(request.form.getlist("entry", type=number))
    with told_at("regrade.show_one", batch_id=batch_id), write() as session:
        batch = session.get_one(RegradeBatch, batch_id)
        done = batches.withdraw_unqualified(session, batch, chosen, user().id)
    flash(
        f"Withdrawn: {done}. Their authors have been notified."
        if done
        else "Nothing was chosen, so nothing was withdrawn."
    )
    return see_other("regrade.show_one", batch_id=batch_id)


# The spreadsheet of a batch

HEADS = ("name", "login", "submission", "file", "uploaded", "result", "points before", "points", "questions changed")
TOURNAMENTS = ("now qualifies for", "no longer qualifies for")
STATES = {
    JobState.QUEUED: "not graded yet",
    JobState.RUNNING: "not graded yet",
    JobState.PARKED: "not graded because of an internal error",
    JobState.CANCELLED: "cancelled",
}


@page.get(f"{ONE}/changes.csv")
def changes_file(batch_id: int) -> Response:
    """Download every submission of a batch with its outcome."""
    batch, seen = access.regrade_batch(read(), user().id, batch_id)
    people = real_names(read(), seen.viewer.course.id)
    return spreadsheet(_csv_lines(read(), batch, people, seen.viewer.course.zone), seen, f"regrades-{batch.id}.csv")


def _csv_lines(
    session: Session, batch: RegradeBatch, people: Mapping[int, User], zone: ZoneInfo
) -> Iterator[Sequence[Any]]:
    """Yield the lines of the file, beginning with the reason and the headings."""
    yield ["reason", batch.reason]
    yield [*HEADS, *TOURNAMENTS]
    titles = _titles(session, batch.assignment_id)
    wanted = select(Regrade).where(Regrade.batch_id == batch.id).order_by(Regrade.id)
    for regrade in session.scalars(wanted.options(joinedload(Regrade.submission))):
        person, submission = people.get(regrade.submission.author_id), regrade.submission
        who = [person.name, person.login] if person else ["(no longer in the course)", ""]
        uploaded = LocalTime(submission.queued_at, zone).iso
        yield [*who, submission.id, submission.filename, uploaded, *_cells_of_result(regrade, submission, titles)]


def _cells_of_result(regrade: Regrade, submission: Submission, titles: Mapping[int, str]) -> list[Any]:
    if regrade.difference is None:
        return [STATES[regrade.state], submission.points]
    found = difference_in(regrade)
    questions = ", ".join(f"{label(each.slug)} {'gained' if each.gained else 'lost'}" for each in found.questions)
    gained, lost = (", ".join(titles[id_] for id_ in ids) for ids in (found.gained, found.lost))
    return ["changed" if regrade.changed else "as before", *found.points, questions, gained, lost]


# Dry runs: how the draft of an assignment would change marks


@page.post(f"{DRY_RUNS}/")
def begin_dry_run(assignment_id: int) -> Any:
    """Try the draft on each student's submissions that count."""
    seen = access.taught(read(), user().id, assignment_id)
    people = real_names(read(), seen.viewer.course.id)
    with told_at("edit.publication", assignment_id=assignment_id), write() as session:
        assignment = session.get_one(Assignment, assignment_id)
        candidate = definition_in(present_content(session, assignment))
        batch_id = batches.ask_dry_run(session, settings().send, assignment, candidate, people, user().id).id
    return see_other("regrade.show_dry_run", assignment_id=assignment_id, batch_id=batch_id)


@page.get(f"{DRY_RUN}/")
def show_dry_run(assignment_id: int, batch_id: int) -> str:
    """Show which students would gain or lose, as far as is known."""
    return render_template("staff/dry_run.html", **_dry_run(*_tried(assignment_id, batch_id)))


@page.get(f"{DRY_RUN}/live")
def live_dry_run(assignment_id: int, batch_id: int) -> str:
    """Return the part of the page that changes during a dry run, for `refresh.js`."""
    return render_template("staff/_regrade.html", **_dry_run(*_tried(assignment_id, batch_id)))


def _tried(assignment_id: int, batch_id: int) -> tuple[Seen, RegradeBatch]:
    seen = access.taught(read(), user().id, assignment_id)
    batch = read().get(RegradeBatch, batch_id)
    if batch is None or batch.assignment_id != assignment_id or batch.candidate is None:
        raise NotFound("This assignment has no such dry run.")
    return seen, batch


def _dry_run(seen: Seen, batch: RegradeBatch) -> dict[str, Any]:
    shown, content = _batch_progress(seen, batch), present_content(read(), seen.assignment)
    points = [each.difference.points for each in shown["summary"].changes]
    return {
        **shown,
        "gain": sum(then > now for now, then in points),
        "lose": sum(then < now for now, then in points),
        "mistake": batches.why_given_up(read(), batch),
        "outdated": bool(problems_in(content)) or to_json(definition_in(content)) != batch.candidate,
    }


@page.post(f"{DRY_RUN}/cancel", defaults={"do": "cancel"})
@page.post(f"{DRY_RUN}/again", defaults={"do": "again"})
def act_on_dry_run(assignment_id: int, batch_id: int, do: str) -> Any:
    """Stop trying the draft on further submissions, or retry submissions that internal errors held up."""
    _tried(assignment_id, batch_id)
    _do(batch_id, do)
    return see_other("regrade.show_dry_run", assignment_id=assignment_id, batch_id=batch_id)
