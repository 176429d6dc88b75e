"""The home page: the next step in each of the user's assignments, with a sentence and a button, sorted by deadline; and
the courses that the user teaches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, render_template
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from grader.authoring.versions import definition_of
from grader.definition.local_times import plain_section
from grader.marks.counted import counted
from grader.marks.mark import MarkAccount
from grader.marks.publishing import own_accounts
from grader.marks.requests import open_numbers
from grader.marks.tables import told_of
from grader.store.models import Assignment, Submission
from grader.submissions.submit import OUTCOMES_ALONG
from tournament.final.finals import final_of
from tournament.store.jobs import PENDING, JobState
from tournament.store.notices import notices
from tournament.store.tables import EntryState, FinalPhase
from web.overview.dates import Deadline, deadline_of, of_sections
from web.overview.standings import Stand, stands_of
from web.site import access
from web.site.auth import user
from web.site.pages import links_of, unread_notices
from web.site.store import read
from web.site.text import count, percent


@dataclass(frozen=True, slots=True)
class StudentWork:
    """A student's work on an assignment. `points`: without a ladder, the points that count, out of `most`. `mark`: the
    published mark; `final`: whether the marks of the final are published. `late`: the cost of uploads after the
    deadline, if these count."""

    viewer: access.Viewer
    assignment: Assignment
    stands: Sequence[Stand]
    latest: Submission | None
    deadline: Deadline
    points: float | None = None
    most: float = 0.0
    mark: MarkAccount | None = None
    final: bool = False
    late: str = ""

    @property
    def entered(self) -> Stand | None:
        """A ladder in which the student has a player. A ladder with a disqualified player takes precedence."""
        own = [stand for stand in self.stands if stand.entry]
        return min(own, key=lambda stand: bool(stand.entry and stand.entry.state is not EntryState.OUT), default=None)


@dataclass(frozen=True, slots=True)
class NextStep:
    """The state of the work (`state`, in the colour of `tone`), a sentence about it, and a button with its link."""

    state: str
    tone: str  # a class for badges: good, warn, bad, won or none
    sentence: str
    button: str
    endpoint: str
    values: Mapping[str, Any]


def next_step(work: StudentWork) -> NextStep:
    """The one thing that the student should do or know now."""
    latest = work.latest
    if latest is None:
        what = "a player" if work.stands else "a file"
        if work.deadline.ended:
            return _upload_step(work, "not submitted", "Uploads have ended.", "See the assignment")
        told = _after_deadline(work) if work.deadline.over else f"Upload {what} to have it tested."
        return _upload_step(work, "not submitted", told, f"Upload {what}")
    if latest.state is not JobState.DONE:
        return _ungraded(work, latest)
    if not work.stands:
        return _earned(work, latest)
    if step := _newer(work, latest) or _playing(work):
        return step
    # The player has been withdrawn, or belongs to a former season.
    return _report(latest, "not entered", "", "You have no player in the tournament.", "See your latest upload")


def _after_deadline(work: StudentWork) -> str:
    if work.stands:
        return "The deadline has passed; an upload is still tested and can play, but the final does not use it."
    if work.late:  # the card shows the cost
        return "The deadline has passed; an upload is still tested."
    return "The deadline has passed; an upload is still tested, but does not count."


def _upload_step(work: StudentWork, state: str, sentence: str, button: str) -> NextStep:
    at = {"course": work.viewer.course.slug, "slug": work.assignment.slug, "_anchor": "upload-heading"}
    return NextStep(state, "", sentence, button, "assignment.show", at)


def _report(latest: Submission, state: str, tone: str, sentence: str, button: str = "See the report") -> NextStep:
    return NextStep(state, tone, sentence, button, "submission.show", {"submission_id": latest.id})


def _ungraded(work: StudentWork, latest: Submission) -> NextStep:
    if latest.state in PENDING:
        return _report(latest, "being graded", "warn", "The report fills in while you watch.")
    if latest.state is JobState.PARKED:
        error = "You did nothing wrong. It will be graded when the error has been fixed."
        return _report(latest, "delayed by an internal error", "warn", error)
    return _upload_step(work, "cancelled", "Your last upload was cancelled before it was graded.", "Upload again")


def _earned(work: StudentWork, latest: Submission) -> NextStep:
    if work.points is None:
        return _report(latest, "graded", "good", "No upload before the deadline, so none counts.")
    full = work.points >= work.most
    state = f"{work.points:g} of {work.most:g} point{'' if work.most == 1 else 's'}"
    sentence = "You have all possible points." if full else "The report shows what is missing."
    return _report(latest, state, "good" if full else "warn", sentence)


def _newer(work: StudentWork, latest: Submission) -> NextStep | None:
    """The next step for the latest upload; None if its player is playing or was disqualified."""
    if any(outcome.entering for outcome in latest.outcomes):
        return _report(latest, "playing trial games", "warn", "It enters the tournament after the trial games.")
    if any(outcome.entry for outcome in latest.outcomes):
        return None
    entry = work.entered.entry if work.entered else None
    active = entry if entry and entry.state is not EntryState.OUT else None
    meanwhile = f" Version {active.entry.version} keeps playing." if active else ""
    if not latest.qualifies:
        told = f"The report on your latest upload shows what must still pass.{meanwhile}"
        return _report(latest, "does not qualify yet", "bad", told)
    if latest.at_fault:
        told = f"Your latest upload broke a rule, crashed or ran out of time.{meanwhile}"
        return _report(latest, "at fault in a trial game", "bad", told, "See what went wrong")
    told = f"Your latest upload qualifies. It has not entered the tournament.{meanwhile}"
    return _report(latest, "qualifies", "good", told, "Enter it")


def _playing(work: StudentWork) -> NextStep | None:
    stand = work.entered
    if stand is None or stand.entry is None:
        return None
    row, at = stand.entry, {"entry_id": stand.entry.entry.id}
    if row.state is EntryState.OUT:
        told = f"Your player lost {count(row.faults, 'game')} by an invalid play. Fix it, and enter it again."
        return NextStep("out", "bad", told, "See why it was disqualified", "entry.show", {**at, "faults": 1})
    games = f"{count(row.games, 'game')}, {percent(row.win_rate)} won."
    if row.rank is None:
        return NextStep("entered, not ranked yet", "good", games, "Watch its games", "entry.show", at)
    first = "won" if row.rank == 1 else "good"
    return NextStep(f"rank {row.rank} of {stand.ranked}", first, games, "Watch its games", "entry.show", at)


page = Blueprint("home", __name__)
NEVER = datetime.max.replace(tzinfo=UTC)
NEWS = 5


@page.get("/")
def show() -> str:
    """Show the home page."""
    session, own, taught = read(), list[StudentWork](), []
    courses, marks = access.courses(session, user().id), own_accounts(session, user().id)
    for viewer in courses:
        found = access.assignments(session, viewer)
        if viewer.staff:
            asked = open_numbers(session, viewer.course.id, viewer.pupils)
            taught.append(
                (viewer, [_taught_assignment(session, viewer, each, asked.get(each.id, 0)) for each in found])
            )
        else:
            own += [_work(session, viewer, each, marks.get(each.id)) for each in found]
    due = sorted(own, key=lambda work: work.deadline.at or NEVER)
    new = notices(session, user().id, NEWS, new=True) if unread_notices() else []
    return render_template(
        "home/home.html",
        courses=courses,
        studied=[(each, sum(work.viewer is each for work in own)) for each in courses if not each.staff],
        taught=taught,
        open=[work for work in due if not work.deadline.over],
        past=[work for work in reversed(due) if work.deadline.over],
        next_step=next_step,
        news=[(each, links[0][0] if links else "") for each, links in zip(new, links_of(new), strict=True)],
    )


_LATEST = (
    select(Submission)
    .where(Submission.assignment_id == bindparam("assignment"), Submission.author_id == bindparam("author"))
    .order_by(Submission.id.desc())
    .limit(1)
    .options(OUTCOMES_ALONG)
)
"""Building this query only once saves 7% of the time for the page."""


def _work(session: Session, viewer: access.Viewer, assignment: Assignment, mark: MarkAccount | None) -> StudentWork:
    standing, own, most = stands_of(session, assignment, viewer.user_id), None, 0.0
    deadline = deadline_of(session, assignment, viewer.user_id)
    final = final_of(session, assignment.id) if standing and deadline.over else None
    if not standing:
        own = counted(session, assignment, viewer.user_id).get(viewer.user_id)
        most = definition_of(session, assignment).max_points
    return StudentWork(
        viewer,
        assignment,
        standing,
        session.scalars(_LATEST, {"assignment": assignment.id, "author": viewer.user_id}).unique().one_or_none(),
        deadline,
        own.points if own else None,
        most,
        mark,
        final is not None and final.phase is FinalPhase.PUBLISHED,
        told_of(session, assignment.id)[0] if deadline.over and not deadline.ended and not standing else "",
    )


def _taught_assignment(session: Session, viewer: access.Viewer, assignment: Assignment, asked: int) -> dict[str, Any]:
    """The values with which the home page shows an assignment that the user helps to teach; `asked`: the number of open
    requests from the user's students."""
    dates = [
        each for each in of_sections(assignment) if not viewer.sections or plain_section(each[0]) in viewer.sections
    ]
    waiting = (Submission.assignment_id == assignment.id, Submission.state.in_(PENDING))
    return {
        "assignment": assignment,
        "stands": stands_of(session, assignment, viewer.user_id),
        "waiting": session.scalar(select(func.count()).where(*waiting)),
        "requests": asked,
        "section_dates": dates,
    }
