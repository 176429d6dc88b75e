"""For instructors: the queue of the installation, the submissions of this assignment that are stuck, and what each
worker is doing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from flask import Blueprint, Response, flash, request
from sqlalchemy import Select, and_, bindparam, func, or_, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import Conflict

from grader.programs.grading import titles
from grader.store.models import Submission, note_change
from grader.store.queue import NOT_DONE, Crew, crew_of, lacking, seconds_to_wait, unmet_needs
from tournament.store.database import UtcDateTime, now
from tournament.store.jobs import PENDING, JobState, cancel, job_kinds
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Worker
from tournament.work.backlog import pending
from tournament.work.workers import workers
from web.pictures.lines import Curve, line_picture
from web.pictures.picture import Picture, number_axis, time_axis
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.models import Course, User
from web.site.pages import page_about, see_other, spreadsheet
from web.site.store import read, write

PHASES = {
    "grading": "uploads",
    "regrade": "regrades",
    "ladder": "blocks of ladders",
    "final": "blocks of finals",
    "bracket": "blocks of brackets",
    "trial": "trial games",
    "custom": "custom games",
    "hand": "games played by hand",
}
"""The name of each phase of work, shown beside its number of jobs."""

HOURS = 24
MOST_STUCK = 100


@dataclass(frozen=True, slots=True)
class Forecast:
    """The number of waiting uploads in the whole installation, the time since which the oldest has waited, the seconds
    per upload at the present pace, and the time at which all will be graded. The last two are None if too few
    uploads were graded to estimate them."""

    waiting: int
    oldest: datetime | None
    each_s: float | None
    end: datetime | None


def forecast(session: Session, at: datetime) -> Forecast:
    """Forecast when all uploads in the present queue will be graded."""
    queued = select(func.count(), func.min(Submission.queued_at)).where(Submission.state == JobState.QUEUED)
    waiting, oldest = session.execute(queued).one()
    each_s = seconds_to_wait(session, crew_of(session), 1) if waiting else None
    return Forecast(waiting, oldest, each_s, at + timedelta(seconds=each_s * waiting) if each_s is not None else None)


def history(session: Session, at: datetime, course: Course) -> Picture:
    """Return a picture of how many submissions of the installation were graded in each hour of the last day."""
    first = at.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS - 1)
    hours = [first + timedelta(hours=number) for number in range(HOURS)]
    ends = [*hours[1:], hours[-1] + timedelta(hours=1)]
    given = {f"t{number}": moment for number, moment in enumerate([first, *ends])}
    counts = [*session.execute(_done_in_hours(), given).one()]
    points = [(hour.timestamp(), float(number)) for hour, number in zip(hours, counts, strict=True)]
    line = Curve([*points, (ends[-1].timestamp(), float(counts[-1]))], step=True)
    title = "Submissions graded per hour"
    drawing = line_picture(title, [line], time_axis(first, ends[-1], course.zone), number_axis(0, max(1, *counts), 5))
    rows = [[f"{hour.astimezone(course.zone):%d %b %H:%M}", number] for hour, number in zip(hours, counts, strict=True)]
    reading = "The last 24 hours, for the whole installation; the current hour is incomplete."
    return Picture("graded", title, reading, drawing, ["Hour from", "Graded"], rows)


@cache
def _done_in_hours() -> Select[Any]:
    """Return a query that counts the submissions graded between `t0` and `t1`, `t1` and `t2` …, by ranges of an index.
    Reading their times instead would take up a third of the time for the page."""
    at, done = Submission.finished_at, func.lower(Submission.state) == JobState.DONE.value  # not by the states' index
    ends = [bindparam(f"t{number}", type_=UtcDateTime()) for number in range(HOURS + 1)]
    counts = [select(func.count()).where(done, at >= begin, at < end) for begin, end in pairwise(ends)]
    return select(*(each.scalar_subquery().label(f"hour{number}") for number, each in enumerate(counts)))


def stuck(session: Session, assignment_id: int) -> Sequence[tuple[Submission, User, str]]:
    """Return the submissions of the assignment that will not be graded without help, or that failed before. Each comes
    with its author and the reason: it is parked, is being retried, or waits for a language that no worker has."""
    failed = and_(Submission.state == JobState.QUEUED, Submission.attempts > 0)
    again = and_(Submission.state == JobState.RUNNING, Submission.attempts > 1)
    crew = crew_of(session)
    lack = unmet_needs(session, crew, Submission.assignment_id == assignment_id)
    unmet = and_(Submission.state == JobState.QUEUED, Submission.needs.in_(lack))
    wanted = select(Submission, User).join(User, User.id == Submission.author_id)
    wanted = wanted.where(
        NOT_DONE,
        Submission.assignment_id == assignment_id,
        or_(Submission.state == JobState.PARKED, failed, again, unmet),
    )
    found = session.execute(wanted.order_by(Submission.id).limit(MOST_STUCK)).all()
    return [(row, author, _reason(crew, row)) for row, author in found]


def _reason(crew: Crew, row: Submission) -> str:
    missing = titles(lacking(crew, row.needs)) if row.state is JobState.QUEUED and row.needs else ""
    if missing:
        return f"It needs {missing}, and no worker has it."
    if row.state is JobState.PARKED:
        return f"It is parked: {row.trouble or 'it failed three times because of an internal error'}."
    return f"It was tried before: {row.trouble or 'its worker ended before it was done'}."


def doing(session: Session, found: Sequence[Worker], at: datetime) -> dict[str, str]:
    """Return what each worker is doing now, by the worker's name; idle workers are left out."""
    names = [each.name for each in found]
    acts: dict[str, str] = {}
    for kind in job_kinds():
        held: Any = (kind.state == JobState.RUNNING, kind.owner.in_(names), kind.lease_until > at)
        for owner, number in session.execute(select(kind.owner, kind.id).where(*held)):
            acts[owner] = f"{kind.__tablename__.replace('_', ' ')} {number}"
    return acts


page = Blueprint("queue", __name__, url_prefix="/assignments/<int:assignment_id>/queue")
LONGEST_REASON = 500


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the page."""
    return _queue_page(access.taught(read(), user().id, assignment_id))


def _queue_page(seen: Seen, refused: int = 0, problem: str = "") -> str:
    """Return the page; `refused` is the submission whose form had the `problem`."""
    session, at = read(), now()
    found = workers(session)
    return page_about(
        "staff/queue.html",
        seen,
        forecast=forecast(session, at),
        pending=[(PHASES.get(each.phase, f"{each.phase.replace('_', ' ')}s"), each) for each in pending(session, at)],
        history=history(session, at, seen.viewer.course),
        stuck=stuck(session, seen.assignment.id),
        workers=found,
        doing=doing(session, found, at),
        at=at,
        refused=refused,
        problem=problem,
        given=request.form.get("reason", ""),
    )


@page.get("/graded.csv")
def history_file(assignment_id: int) -> Response:
    """Download the figures of the picture as a spreadsheet."""
    seen = access.taught(read(), user().id, assignment_id)
    found = history(read(), now(), seen.viewer.course)
    return spreadsheet([found.headers, *found.rows], seen, "graded-per-hour.csv")


@page.post("/give-up/<int:submission_id>")
def give_up(assignment_id: int, submission_id: int) -> Any:
    """Cancel a submission that has not been graded; its author is told the reason. The submission counts as never
    uploaded."""
    seen, reason = access.taught(read(), user().id, assignment_id), request.form.get("reason", "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        return _queue_page(seen, submission_id, f"Give a reason of at most {LONGEST_REASON} characters."), 422
    with write() as session:
        row = session.get(Submission, submission_id, with_for_update=True)
        if row is None or row.assignment_id != seen.assignment.id or row.state not in (*PENDING, JobState.PARKED):
            raise Conflict("This submission has already been graded or cancelled, so you cannot give up grading it.")
        cancel(row, reason)
        note_change(session, seen.assignment.id, seen.viewer.user_id, f"Submission {row.id}", "not graded", "given up")
        text = f"An instructor has stopped grading it: {reason} Upload the file again to have it graded."
        links = [("submission", row.id, f"Submission {row.id}")]
        tell(
            session, row.author_id, row.assignment_id, f"{row.filename} is not graded", text, links, NoticeKind.TROUBLE
        )
    flash("The submission is cancelled, and the student has been notified.")
    return see_other("queue.show", assignment_id=assignment_id)
