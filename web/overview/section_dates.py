"""Setting the dates of sections from a form. Changes are logged, and students are told of their new deadlines."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.deadline import DeadlineError, deadlines, tell_class
from grader.definition.local_times import (
    DATE_FIELDS,
    EVERYBODY_ELSE,
    LocalTime,
    OwnDates,
    Stored,
    contradiction,
    lost_zone,
    plain_section,
    stored_instant,
)
from grader.store.models import Assignment, note_change, section_names, sections, students_of
from tournament.store.database import now
from tournament.store.validation import BadForm
from web.models import Course, Membership, Role
from web.overview.deadlines import read_time
from web.site.access import Seen
from web.site.forms import check_unchanged
from web.site.store import read, write

LABELS: Final = {"visible_from": "Release", "due_at": "Deadline", "cut_off_at": "End of uploads"}


class BadSectionDates(BadForm):
    """Contradicting dates: `problems` by field, or under "" for all of them. With `past` they are accepted once they
    are confirmed."""

    def __init__(self, problems: Mapping[str, str], past: bool = False) -> None:
        super().__init__(problems)
        self.past = past


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section and its dates. `fields`: what the form shows, by the field's name."""

    name: str
    students: int
    fields: Mapping[str, str]

    @property
    def key(self) -> str:
        """In the names of fields."""
        return plain_section(self.name)


def of_sections(assignment: Assignment) -> list[tuple[str, OwnDates]]:
    """The sections with dates of their own, and these, for staff."""
    named = sorted((name for name in assignment.section_dates if name), key=str.casefold)
    return [(name, assignment.dates_of({plain_section(name)})) for name in named]


def deadlines_of_sections(assignment: Assignment) -> dict[datetime, str]:
    """The deadlines of sections that differ from that of the assignment, each with their names."""
    found = defaultdict(list)
    for name, dates in of_sections(assignment):
        if dates.due_at and dates.due_at != assignment.due_at:
            found[dates.due_at].append(name)
    return {at: ", ".join(names) for at, names in found.items()}


def rows(session: Session, seen: Seen) -> list[SectionRow]:
    """Everybody else, and all sections that students are in or that have dates."""
    wanted = select(Membership.section).where(Membership.course_id == seen.viewer.course.id)
    written = session.scalars(wanted.where(Membership.role == Role.STUDENT)).all()
    stored, course = seen.assignment.section_dates, seen.viewer.course
    names = {plain_section(name): name for name in (*section_names(written), *stored)}
    names.pop(EVERYBODY_ELSE, None)
    own = [sections(section) for section in written]
    return [
        _row(name, sum(plain_section(name) in each for each in own), stored.get(name, {}), course)
        for name in (EVERYBODY_ELSE, *sorted(names.values(), key=str.casefold))
    ]


def _row(name: str, students: int, dates: Mapping[str, str], course: Course) -> SectionRow:
    shown = {field: time.field for field in DATE_FIELDS if (time := _local(dates.get(field, ""), course))}
    return SectionRow(name, students, shown)


def change(seen: Seen, form: Mapping[str, str]) -> int:
    """Replace the dates by those of the form, and return how many changed: all of them, or none. Raises
    BadSectionDates, ChangedMeanwhile."""
    course = seen.viewer.course
    if lost := lost_zone(course.time_zone):
        raise BadSectionDates({"": f"{lost} Nothing was saved."})
    listed = rows(read(), seen)
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True, populate_existing=True)
        check_unchanged(form, assignment.section_dates)
        former: Stored = assignment.section_dates
        before = deadlines(session, assignment, students_of(session, course.id))
        fresh = _read(seen, listed, former, form)
        assignment.section_dates = fresh
        session.flush()
        _check(assignment, former, form)
        changed = 0
        for name in sorted({*former, *fresh}):
            for field in DATE_FIELDS:
                was, is_ = (_logged(each.get(name, {}).get(field, ""), course) for each in (former, fresh))
                changed += was != is_
                what = f"{LABELS[field]} of {f'section {name}' if name else 'everybody else'}"
                note_change(session, assignment.id, seen.viewer.user_id, what, was, is_)
        tell_class(session, assignment, before, course.zone)
    return changed


def _read(seen: Seen, listed: list[SectionRow], former: Stored, form: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found, problems = dict[str, dict[str, str]](), dict[str, str]()
    for row in listed:
        for field in DATE_FIELDS if row.name else DATE_FIELDS[2:]:
            local, name = _local(former.get(row.name, {}).get(field, ""), seen.viewer.course), f"{field}-{row.key}"
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


def _local(stored: str, course: Course) -> LocalTime | None:
    at = stored_instant(stored)
    return LocalTime(at, course.zone) if at else None


def _logged(stored: str, course: Course) -> str:
    time = _local(stored, course)
    return time.in_words if time else "none"
