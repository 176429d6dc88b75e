"""The deadlines of an assignment: extensions, the entries that are in time for the final, and notices about moved
deadlines.

An automatic entry counts from the time of the upload; any other entry counts from the time when the student pressed the
button. Waiting in a queue therefore never makes an entry late. Each function works in the caller's transaction.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.ladders import former_seasons, ladders
from grader.definition.local_times import UTC_ZONE, LocalTime, OwnDates
from grader.definition.model import STANDARD
from grader.store.models import Assignment, Extension, Outcome, Submission, sections_of
from grader.store.uploads import UploadError
from tournament.final.finals import Entrant, FinalPlan, final_of, freeze_plan
from tournament.final.rounds import FinalError
from tournament.final.settings import FinalSettings
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, EntryState, Final, FinalPhase
from tournament.store.validation import Unconfirmed
from tournament.store.webhooks import CourseEvent, announce


class DeadlineError(FinalError):
    """A deadline is invalid, or prevents the final from being frozen; the message says why."""

    status = 422


class StillWaiting(DeadlineError):
    """Uploads made before the deadline are still being graded or playing trial games. `uploads` contains their ids. The
    final can be frozen without them."""

    code = "deadline_error"

    def __init__(self, uploads: Sequence[int]) -> None:
        self.uploads = uploads
        one = len(uploads) == 1
        super().__init__(
            f"{len(uploads)} {'upload' if one else 'uploads'} that arrived before the deadline "
            f"{'is' if one else 'are'} still being graded or playing trial games. Freeze the final once that is done."
        )


class UploadsEnded(UploadError):
    """The student's uploads to the assignment have ended."""


class DeadlinePast(DeadlineError, Unconfirmed):
    """The new deadline has already passed. It can be set if the user confirms it."""


@dataclass(frozen=True, slots=True)
class Participants:
    """The participants of the final. `notes` tells instructors who does not take part, and why."""

    entrants: Sequence[Entrant]
    notes: Sequence[str]


def set_deadline(
    session: Session, assignment: Assignment, due: LocalTime | None, at: datetime, confirmed: bool = False
) -> None:
    """Set the deadline; None removes it. Raises DeadlinePast, which says how many students would be shut out."""
    if due is not None and due.at <= at and not confirmed:
        if not assignment.game:
            raise DeadlinePast(
                "This deadline has already passed: uploads after it would not count. Confirm that you want to set it."
            )
        entries = _student_entries(session, assignment)
        others = special_dates(session, assignment)  # these students keep their own deadlines
        late = {each.author_id for each in entries if each.entered_at > due.at} - {*others}
        one = len(late) == 1
        whose = (
            "1 student entered after it. That entry" if one else f"{len(late)} students entered after it. Their entries"
        )
        shut_out = f"{whose} would not take part in the final."
        raise DeadlinePast(
            f"This deadline has already passed, and {shut_out if late else 'nobody entered after it.'} "
            "Confirm that you want to set it."
        )
    assignment.due_at = due.at if due else None
    session.flush()


def extend(session: Session, assignment: Assignment, user_id: int, until: LocalTime | None) -> None:
    """Give a student an extension until this time; None removes the extension. Raises DeadlineError."""
    row = session.get(Extension, (assignment.id, user_id))
    due_at = dates_in_sections(session, assignment, user_id).due_at
    if until is None:
        if row:
            session.delete(row)
    elif due_at is None:
        raise DeadlineError("This assignment has no deadline that could be extended.")
    elif until.at <= due_at:
        whose = "everybody else" if due_at == assignment.due_at else "the student’s section"
        raise DeadlineError(f"An extension must end after the deadline for {whose}.")
    elif row:
        row.until = until.at
    else:
        session.add(Extension(assignment_id=assignment.id, user_id=user_id, until=until.at))
    session.flush()


def extensions(session: Session, assignment: Assignment) -> dict[int, datetime]:
    """Return the end of each extension, by user id."""
    rows = session.scalars(select(Extension).where(Extension.assignment_id == assignment.id))
    return {row.user_id: row.until for row in rows}


def dates_in_sections(session: Session, assignment: Assignment, user_id: int) -> OwnDates:
    """Return a student's own dates, ignoring any extension."""
    sections = sections_of(session, assignment.course_id, user_id) if assignment.section_dates else {}
    return assignment.dates_of(sections.get(user_id, ()))


def dates_of_student(session: Session, assignment: Assignment, user_id: int) -> OwnDates:
    """Return a student's own dates, including any extension."""
    row = session.get(Extension, (assignment.id, user_id))
    return dates_in_sections(session, assignment, user_id).extended(row.until if row else None)


def special_dates(session: Session, assignment: Assignment, user_id: int | None = None) -> dict[int, OwnDates]:
    """Return the dates of all students whose dates differ from the assignment's, because of a section or an extension;
    with a `user_id`, only of that student."""
    general, found = assignment.dates_of(), dict[int, OwnDates]()
    if user_id is not None:
        found[user_id] = dates_of_student(session, assignment, user_id)
    else:
        sections = sections_of(session, assignment.course_id) if assignment.section_dates else {}
        dates = {names: assignment.dates_of(names) for names in {*sections.values()}}
        found = {id_: dates[names] for id_, names in sections.items()}
        given = extensions(session, assignment).items()
        found |= {id_: found.get(id_, general).extended(until) for id_, until in given}
    return {id_: own for id_, own in found.items() if own != general}


def last_deadline(session: Session, assignment: Assignment) -> datetime | None:
    """Return the latest deadline of any student, ignoring extensions; None if there is no deadline."""
    sections = sections_of(session, assignment.course_id).values() if assignment.section_dates else ()
    ends = {assignment.due_at, *(assignment.dates_of(names).due_at for names in sections)}
    return max((each for each in ends if each), default=None)


def accept_upload(session: Session, assignment: Assignment, user_id: int, at: datetime, zone: ZoneInfo) -> None:
    """Raise UploadsEnded if the student's uploads have ended."""
    ended = dates_of_student(session, assignment, user_id).cut_off_at
    if ended and ended < at:
        raise UploadsEnded(
            f"Uploads to this assignment ended for you {LocalTime(ended, zone).in_words}, so this file was not "
            f"accepted. "
            "If you had a good reason, ask your instructor for an extension."
        )


def choose(
    session: Session,
    assignment: Assignment,
    students: Collection[int],
    at: datetime,
    zone: ZoneInfo = UTC_ZONE,
    without: Collection[int] = (),
) -> Participants:
    """Choose each student's last entry before the student's own deadline. Messages show times in `zone`. Uploads in
    `without` are not waited for; a note names each of them. Raises DeadlineError if there is no deadline or a
    student's deadline has not passed yet, and StillWaiting if other uploads made in time are still waiting."""
    due_at = assignment.due_at
    if due_at is None:
        raise DeadlineError("This assignment has no deadline. Set one before you freeze the final.")
    special = special_dates(session, assignment)
    own = {user: special[user].due_at or due_at for user in students if user in special}
    latest = max(due_at, *own.values()) if own else due_at
    if latest > at:
        raise DeadlineError(
            f"Not all deadlines have passed: the last one is {LocalTime(latest, zone).in_words}. "
            "Freeze the final after that."
        )
    wanted = select(Submission).where(Submission.assignment_id == assignment.id, Submission.wants_entry)
    uploads = session.scalars(wanted.order_by(Submission.id)).all()

    def in_time(author: int, asked: datetime | None) -> bool:
        return asked is not None and asked <= own.get(author, due_at)

    notes, entrants = _notes_on_waiting(session, assignment, uploads, in_time, without), []
    for author, entries in groupby(_student_entries(session, assignment), lambda entry: entry.author_id or 0):
        last = _last_in_time(list(entries), own.get(author, due_at))
        if isinstance(last, str):
            notes.append(last)
        elif author not in students:
            notes.append(f"{last.name} is no longer a student in the course and does not take part.")
        else:
            entrants.append(Entrant(author, last.player_id or 0, last.name, last.version, last.entered_at, last.trace))
    notes += _only_formerly(session, assignment)
    return Participants(entrants, notes)


def freeze_final(
    session: Session,
    assignment: Assignment,
    students: Collection[int],
    settings: FinalSettings,
    at: datetime,
    zone: ZoneInfo = UTC_ZONE,
    without: Collection[int] = (),
) -> Final:
    """Freeze the assignment's final; uploads in `without` are not waited for. Raises DeadlineError if there is no
    ladder, and the errors of `choose` and `freeze_plan`."""
    if not ladders(session, assignment.id):
        raise DeadlineError(
            "This assignment has no tournament, so it has no final. The points in its reports count: download them "
            "from the assignment’s list of people."
        )
    chosen = choose(session, assignment, students, at, zone, without)
    plan = FinalPlan(assignment.game, chosen.entrants, settings, chosen.notes, version=assignment.version or None)
    return freeze_plan(session, assignment.id, plan, at)


def _notes_on_waiting(
    session: Session,
    assignment: Assignment,
    uploads: Sequence[Submission],
    in_time: Callable[[int, datetime | None], bool],
    without: Collection[int],
) -> list[str]:
    """Return notes on the submissions that are not entered because of an internal error, or because they were not
    waited for. Raises StillWaiting if other submissions made in time are still being graded or playing trial games."""
    columns = (Submission.id, Submission.author_id, Submission.entry_name, Outcome.wanted_from, Outcome.refusal)
    trials = select(*columns).join(Submission.outcomes).where(Submission.assignment_id == assignment.id)
    tried = session.execute(trials.where(Outcome.wanted_from.is_not(None)).order_by(Submission.id)).all()
    graded = [each for each in uploads if in_time(each.author_id, each.queued_at)]
    pending = {each.id: each.entry_name for each in graded if each.state in PENDING} | {
        id_: name for id_, author, name, asked, refusal in tried if not refusal and in_time(author, asked)
    }
    if waiting := sorted(pending.keys() - {*without}):
        raise StillWaiting(waiting)
    parked = [(each.id, each.entry_name) for each in graded if each.state is JobState.PARKED]
    stuck = [(id_, name) for id_, _, name, _, refusal in tried if refusal]
    ours = "because of an internal error"
    return [
        *(
            f"Submission {id_} of {name} was uploaded in time, but the final was frozen before it had been graded and "
            "had played its trial games."
            for id_, name in sorted(pending.items())
        ),
        *(f"Submission {id_} of {name} was uploaded in time, but could not be graded {ours}." for id_, name in parked),
        *(
            f"Submission {id_} of {name} is not entered: it could not play its trial games {ours}."
            for id_, name in stuck
        ),
    ]


def _student_entries(session: Session, assignment: Assignment) -> Sequence[Entry]:
    """Return all entries of students on the standard ladder, by author. An author's entries are ordered by version, not
    by time, since the clock may have jumped."""
    standard = [each.id for each in ladders(session, assignment.id)][:1]
    wanted = select(Entry).where(Entry.tournament_id.in_(standard), Entry.author_id.is_not(None))
    return session.scalars(wanted.order_by(Entry.author_id, Entry.version)).all()


def _only_formerly(session: Session, assignment: Assignment) -> list[str]:
    """Return a note for each student whose player was active when a former season ended and who has not entered a
    player since."""
    present = {each.author_id for each in _student_entries(session, assignment)}
    former = [each.id for each in former_seasons(session, assignment.id) if each.slug.startswith(STANDARD)]
    wanted = select(Entry).where(Entry.tournament_id.in_(former), Entry.state == EntryState.ACTIVE)
    found = session.scalars(wanted.where(Entry.author_id.is_not(None)).order_by(Entry.id))
    names = {each.author_id: each.name for each in found if each.author_id not in present}
    return [f"{name} took part only in an earlier season and does not take part." for name in names.values()]


def _last_in_time(entries: Sequence[Entry], deadline: datetime) -> Entry | str:
    """Return the student's last entry before the deadline, or a sentence that says why there is none."""
    in_time = [entry for entry in entries if counts_from(entry) <= deadline]
    if not in_time:
        return f"{entries[-1].name} entered only after the deadline and does not take part."
    last = in_time[-1]
    if last.state is not EntryState.WITHDRAWN or last.left_at is None or last.left_at > deadline:
        return last
    # Some ladders keep several entries of an author
    others = [entry for entry in in_time if entry.left_at is None or entry.left_at > deadline]
    return others[-1] if others else f"{last.name} withdrew before the deadline and does not take part."


def counts_from(entry: Entry) -> datetime:
    """Return the time when the entry was requested. This time is compared with the deadline."""
    return min(entry.exclusion_from or entry.entered_at, entry.entered_at)


def deadlines(session: Session, assignment: Assignment, students: Iterable[int]) -> dict[int, OwnDates]:
    """Return the dates of these students, by user id."""
    special, general = special_dates(session, assignment), assignment.dates_of()
    return {student: special.get(student, general) for student in students}


def tell_class(session: Session, assignment: Assignment, former: Mapping[int, OwnDates], zone: ZoneInfo) -> None:
    """Notify each student whose own deadline has moved, if the assignment is visible to them. `former` contains the
    students' dates before the change."""
    if not assignment.version or assignment.archived:
        return
    at, moved = now(), False
    for student, dates in deadlines(session, assignment, former).items():
        was, is_ = former[student].due_at, dates.due_at
        if was != is_ and (dates.visible_from is None or dates.visible_from <= at):
            done = f"An instructor has moved it; it was {LocalTime(was, zone).in_words}." if was and is_ else ""
            done = done or f"An instructor has {'set' if is_ else 'removed'} it."
            tell_student(session, assignment, student, LocalTime(is_, zone) if is_ else None, done)
            moved = True
    if moved:
        usual = LocalTime(assignment.due_at, zone).in_words if assignment.due_at else ""
        text = f"It is {usual} for students without their own deadline." if usual else ""
        announce(session, assignment.id, CourseEvent.DEADLINE, f"{assignment.title}: a deadline has moved", text)


def tell_student(
    session: Session,
    assignment: Assignment,
    student: int,
    ends: LocalTime | None,
    done: str,
    kind: NoticeKind = NoticeKind.DEADLINE,
) -> None:
    """Notify a student of their new deadline. `done` is a sentence that says what was changed."""
    title = assignment.title
    subject = f"Your deadline for {title} is {ends.in_words}" if ends else f"{title} has no deadline"
    if frozen(session, assignment):
        done = f"{done} The final is already frozen and does not change."
    elif ends and assignment.game:
        done = f"{done} The final uses your last entry before your deadline."
    elif ends:
        done = f"{done} Later uploads do not count, or count less."
    tell(session, student, assignment.id, subject, done, [("assignment", assignment.id, assignment.title)], kind)


def frozen(session: Session, assignment: Assignment) -> bool:
    """Whether the final has been frozen. Moving the deadline then no longer affects it."""
    final = final_of(session, assignment.id)
    return final is not None and final.phase is not FinalPhase.ABORTED
