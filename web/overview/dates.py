"""Each person's deadline and cooldown; and setting the deadline of an assignment and the dates of its sections with
forms. Changes are logged, and students are told of their new deadlines."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.deadline import DeadlineError, dates_in_sections, deadlines, set_deadline, tell_class
from grader.definition.local_times import (
    DATE_FIELDS,
    EVERYBODY_ELSE,
    BadTime,
    LocalTime,
    OwnDates,
    Stored,
    contradiction,
    lost_zone,
    parse,
    plain_section,
    stored_instant,
)
from grader.store.models import Assignment, Extension, note_change, section_names, sections, students_of
from tournament.ladder.ladder import cooldown_ends
from tournament.store.database import now
from tournament.store.tables import CooldownOverride, Tournament
from tournament.store.validation import BadForm
from web.site import access
from web.site.access import Seen
from web.site.forms import check_unchanged
from web.site.models import Course, Membership, Role, User, alphabetical
from web.site.store import read, write


class NoSuchStudent(DeadlineError):
    """No student of the course has that login."""

    field = "login"


def change_deadline(
    session: Session, assignment: Assignment, seen: Seen, text: str, confirmed: bool
) -> LocalTime | None:
    """Set the deadline; a time in the past must be confirmed. Raises DeadlineError, and DeadlinePast if it is not
    confirmed."""
    former = local_time(assignment.due_at, seen.viewer.course)
    due = read_time(text, seen, former)
    dates = deadlines(session, assignment, students_of(session, assignment.course_id))
    set_deadline(session, assignment, due, now(), confirmed)
    note_change(session, assignment.id, seen.viewer.user_id, "Deadline", in_log(former), in_log(due))
    tell_class(session, assignment, dates, seen.viewer.course.zone)
    return due


def extensions_of(session: Session, assignment: Assignment, people: Mapping[int, User]) -> list[tuple[User, Extension]]:
    """Return the extensions of people who are in the course, sorted by name."""
    rows = session.scalars(select(Extension).where(Extension.assignment_id == assignment.id))
    given = [(people[row.user_id], row) for row in rows if row.user_id in people]
    return sorted(given, key=lambda each: (alphabetical(each[0].name), each[0].id))


def student_named(seen: Seen, login: str) -> int:
    """Return the id of the student of the course with that login. Raises NoSuchStudent."""
    for member in access.students(read(), seen.assignment.course_id):
        if member.user.login == login.strip():
            return member.user_id
    raise NoSuchStudent(f"No student in this course has the login “{login.strip()}”.")


def read_time(text: str, seen: Seen, former: LocalTime | None) -> LocalTime | None:
    """Read the time in a form's field; None if it is empty. If a field still shows the former time, the former instant
    is kept, because clocks that are set back show the same time twice. Raises DeadlineError."""
    if not text.strip():
        return None
    if former and text.strip() == former.field:
        return former
    try:
        return parse(text, seen.viewer.course.zone)
    except BadTime as error:
        raise DeadlineError(str(error)) from None


def said_of_deadline(what: str, ends: LocalTime | None) -> str:
    """Return the message to the instructor about a deadline or an extension that was set or removed."""
    if ends is None:
        return f"The {what} has been removed."
    return f"The {what} has been set. Students see {ends.in_words}. {ends.remark}".rstrip()


LABELS: Final = {"visible_from": "Release", "due_at": "Deadline", "cut_off_at": "End of uploads"}


class BadSectionDates(BadForm):
    """The dates contradict each other: `problems` by field, or under "" for the form as a whole. If `past` is set, the
    dates are accepted after a confirmation."""

    def __init__(self, problems: Mapping[str, str], past: bool = False) -> None:
        super().__init__(problems)
        self.past = past


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section and its dates. `fields`: the values that the form shows, by the field's name."""

    name: str
    students: int
    fields: Mapping[str, str]

    @property
    def key(self) -> str:
        """The part of the fields' names that stands for the section."""
        return plain_section(self.name)


def of_sections(assignment: Assignment) -> list[tuple[str, OwnDates]]:
    """Return the sections whose dates differ from the assignment's, with these dates, for staff."""
    named = sorted((name for name in assignment.section_dates if name), key=str.casefold)
    return [(name, assignment.dates_of({plain_section(name)})) for name in named]


def deadlines_of_sections(assignment: Assignment) -> dict[datetime, str]:
    """Return the deadlines of sections that differ from the assignment's deadline, each with the names of its
    sections."""
    found = defaultdict(list)
    for name, dates in of_sections(assignment):
        if dates.due_at and dates.due_at != assignment.due_at:
            found[dates.due_at].append(name)
    return {at: ", ".join(names) for at, names in found.items()}


def section_rows(session: Session, seen: Seen) -> list[SectionRow]:
    """Return a row for each section that has students or dates, after one for everybody else."""
    wanted = select(Membership.section).where(Membership.course_id == seen.viewer.course.id)
    written = session.scalars(wanted.where(Membership.role == Role.STUDENT)).all()
    stored, course = seen.assignment.section_dates, seen.viewer.course
    names = {plain_section(name): name for name in (*section_names(written), *stored)}
    names.pop(EVERYBODY_ELSE, None)
    own = [sections(section) for section in written]
    rows = []
    for name in (EVERYBODY_ELSE, *sorted(names.values(), key=str.casefold)):
        dates = {each: local_time(stored_instant(stored.get(name, {}).get(each, "")), course) for each in DATE_FIELDS}
        shown = {each: time.field for each, time in dates.items() if time}
        rows.append(SectionRow(name, sum(plain_section(name) in each for each in own), shown))
    return rows


def change_sections(seen: Seen, form: Mapping[str, str]) -> int:
    """Replace the dates of all sections with those in the form, and return how many changed. If one date is wrong,
    nothing changes. Raises BadSectionDates and ChangedMeanwhile."""
    course = seen.viewer.course
    if lost := lost_zone(course.time_zone):
        raise BadSectionDates({"": f"{lost} Nothing was saved."})
    listed = section_rows(read(), seen)
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True, populate_existing=True)
        check_unchanged(form, assignment.section_dates)
        former: Stored = assignment.section_dates
        before = deadlines(session, assignment, students_of(session, course.id))
        fresh = _dates_in(seen, listed, former, form)
        assignment.section_dates = fresh
        session.flush()
        _check(assignment, former, form)
        changed = 0
        for name in sorted({*former, *fresh}):
            for field in DATE_FIELDS:
                was, is_ = (
                    in_log(local_time(stored_instant(each.get(name, {}).get(field, "")), course))
                    for each in (former, fresh)
                )
                changed += was != is_
                what = f"{LABELS[field]} of {f'section {name}' if name else 'everybody else'}"
                note_change(session, assignment.id, seen.viewer.user_id, what, was, is_)
        tell_class(session, assignment, before, course.zone)
    return changed


def _dates_in(
    seen: Seen, listed: list[SectionRow], former: Stored, form: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    found, problems = dict[str, dict[str, str]](), dict[str, str]()
    for row in listed:
        for field in DATE_FIELDS if row.name else DATE_FIELDS[2:]:
            stored, name = stored_instant(former.get(row.name, {}).get(field, "")), f"{field}-{row.key}"
            local = local_time(stored, seen.viewer.course)
            try:
                given = read_time(form.get(name, local.field if local else ""), seen, local)
            except DeadlineError as error:
                problems[name] = str(error)
                continue
            if given:
                found.setdefault(row.name, {})[field] = given.at.isoformat()
    if problems:
        raise BadSectionDates(problems)
    return found


def _check(assignment: Assignment, former: Stored, form: Mapping[str, str]) -> None:
    problems, past = dict[str, str](), dict[str, str]()
    for name, stored in assignment.section_dates.items():
        dates, key = assignment.dates_of({plain_section(name)}), plain_section(name)
        if wrong := contradiction(dates):
            problems[f"{wrong[0]}-{key}"] = wrong[1]
        due = stored_instant(stored.get("due_at", ""))
        if due and due <= now() and due != stored_instant(former.get(name, {}).get("due_at", "")):
            past[f"due_at-{key}"] = "This deadline has already passed. Confirm below that you want to set it."
    if problems or (past and "confirm" not in form):
        raise BadSectionDates(problems or past, past=not problems)


def local_time(at: datetime | None, course: Course) -> LocalTime | None:
    """Return a moment in the time zone of the course."""
    return LocalTime(at, course.zone) if at else None


def in_log(time: LocalTime | None, reason: str = "") -> str:
    """Return a date, and the reason given for it, as the log shows them."""
    return f"{time.in_words}{f' ({reason})' if reason else ''}" if time else "none"


@dataclass(frozen=True, slots=True)
class Deadline:
    """A person's deadline; `extended`: the person has an extension. `cut_off`: when the person's uploads end."""

    at: datetime | None
    extended: bool
    over: bool
    cut_off: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether uploads have ended."""
        return self.cut_off is not None and self.cut_off < now()


def deadline_of(session: Session, assignment: Assignment, user_id: int) -> Deadline:
    """Return the user's own deadline."""
    usual = dates_in_sections(session, assignment, user_id)
    extension = session.get(Extension, (assignment.id, user_id)) if usual.due_at else None
    own = usual.extended(extension.until if extension else None)
    return Deadline(own.due_at, own != usual, own.due_at is not None and own.due_at <= now(), own.cut_off_at)


def cooldown_left_s(
    session: Session,
    tournament: Tournament | None,
    user_id: int,
    given: Sequence[CooldownOverride] | None = None,
) -> int:
    """Return the seconds until the user may enter again, or 0. `given`: the user's overrides, if they have been read
    already."""
    if tournament is None:
        return 0
    at = now()
    ends = cooldown_ends(session, tournament.id, user_id, at, given)
    return max(0, ceil((ends - at).total_seconds())) if ends else 0
