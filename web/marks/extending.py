"""Extensions: of one student, or of several from a list or a CSV file, all of them or none if one is wrong."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import session as cookie
from sqlalchemy.orm import Session

from grader.assignment.deadline import DeadlineError, dates_of_student, extend, tell_student
from grader.definition.local_times import BadTime, LocalTime, parse
from grader.store.models import Assignment, Extension, note_change
from sandbox.api import SentBytes
from sandbox.readers import in_reader
from tournament.store.validation import BadLines
from web.marks.table import Enrolled, enrolled
from web.models import User
from web.overview.dates import read_time
from web.site.access import Seen
from web.site.people_file import BadPeople, csv_rows, decode, numbered
from web.site.store import read, write

COLUMNS = ("student", "until", "reason")
UNDO = "extension"
"""The key of the session's cookie under which the change of an extension waits to be undone."""


class BadExtensions(BadLines):
    """Extensions cannot be given as asked."""

    status = 409


@dataclass(frozen=True, slots=True)
class Wish:
    """An extension as a line asks for it; without a time the one that there is ends."""

    line: int
    student: str
    until: str
    reason: str


@in_reader(lambda message: BadExtensions([message]))
def read_file(content: SentBytes) -> list[Wish]:
    """The lines of a CSV file with the columns `student` (login, e-mail or student number; it may be called so, too),
    `until` and, if wanted, `reason`. Raises BadExtensions."""
    try:
        reader = csv_rows(decode(content))
        names, rows = [name.strip().lower() for name in next(reader, [])], [*numbered(reader)]
    except (BadPeople, csv.Error) as error:
        raise BadExtensions([f"The file is not CSV: {error}."]) from None
    aliases = {"login": "student", "email": "student", "e-mail": "student", "student number": "student"}
    names = [aliases.get(name, name) for name in names]
    if "student" not in names or "until" not in names:
        raise BadExtensions(["The first line must name the columns: student,until,reason."])
    found = []
    for row, line in rows:
        values = dict(zip(names, (cell.strip() for cell in row), strict=False))
        if any(values.values()):
            found.append(Wish(line, *(values.get(name, "") for name in COLUMNS)))
    return found


def give(seen: Seen, wishes: Sequence[Wish]) -> int:
    """Give, change or end these extensions, log them and tell the students. Returns how many. Raises
    BadExtensions."""
    found = _checked(seen, wishes)
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        for wish, student, until in found:
            try:
                _set(session, seen, student, until, wish.reason)
            except DeadlineError as error:
                raise BadExtensions([f"Line {wish.line}: {error}"]) from None
    return len(found)


@dataclass(frozen=True, slots=True)
class Given:
    """An extension as a form has it: its end, "" for none, and the reason."""

    until: str = ""
    reason: str = ""


def given_now(seen: Seen, row: Extension | None) -> Given:
    """What a student has."""
    until = _local(row.until, seen) if row else None
    return Given(until.iso, row.reason) if row and until else Given()


def give_one(seen: Seen, student: User, wanted: Given, was: Given | None) -> tuple[LocalTime | None, Given]:
    """Give, change or end the extension of one student, of whom the form showed what they had. Returns until when they
    have time now, and what they had. Raises DeadlineError."""
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        row = session.get(Extension, (seen.assignment.id, student.id))
        former = given_now(seen, row)
        if was is not None and was != former:
            raise DeadlineError(
                "Somebody else has changed this extension since you opened the page, and nothing was saved. How it is "
                "now stands above; save again to replace it."
            )
        until = read_time(wanted.until, seen, _local(row.until, seen) if row else None)
        _set(session, seen, student, until, wanted.reason)
    return until, former


def _set(session: Session, seen: Seen, student: Enrolled | User, until: LocalTime | None, reason: str) -> None:
    """Store it, log it, and tell the student if their deadline moves. Raises DeadlineError."""
    assignment = session.get_one(Assignment, seen.assignment.id)
    row = session.get(Extension, (assignment.id, student.id))
    former, before = _local(row.until, seen) if row else None, row.reason if row else ""
    extend(session, assignment, student.id, until)
    if row := session.get(Extension, (assignment.id, student.id)):
        row.reason = reason
    what, by = f"Extension of {student.login}", seen.viewer.user_id
    note_change(session, assignment.id, by, what, _logged(former, before), _logged(until, reason))
    if former != until:
        ends = dates_of_student(session, assignment, student.id).due_at
        given = "An instructor has given you more time." if until else "An instructor has taken your extension away."
        tell_student(session, assignment, student.id, _local(ends, seen), given)


def _logged(until: LocalTime | None, reason: str) -> str:
    return f"{until.in_words}{f' ({reason})' if reason else ''}" if until else "none"


def _local(at: datetime | None, seen: Seen) -> LocalTime | None:
    return LocalTime(at, seen.viewer.course.zone) if at else None


def _checked(seen: Seen, wishes: Sequence[Wish]) -> list[tuple[Wish, Enrolled, LocalTime | None]]:
    """Who and when is meant. Raises BadExtensions."""
    if not wishes:
        raise BadExtensions(["Nobody is named."])
    known, found, problems, taken = _known(seen), [], [], dict[int, int]()
    for wish in wishes:
        student = known.get(wish.student.casefold())
        try:
            until = parse(wish.until, seen.viewer.course.zone) if wish.until else None
        except BadTime as error:
            problems.append(f"Line {wish.line}: {error}")
            continue
        if student is None:
            problems.append(f"Line {wish.line}: no student of this course is “{wish.student}”.")
        elif student.id in taken:
            problems.append(f"Line {wish.line}: {student.name} is on line {taken[student.id]} too.")
        else:
            taken[student.id] = wish.line
            found.append((wish, student, until))
    if problems:
        raise BadExtensions(problems)
    return found


def _known(seen: Seen) -> Mapping[str, Enrolled]:
    students = enrolled(read(), seen.assignment.course_id)
    keys = ("student_number", "email", "login")  # a login decides
    return {getattr(each, key).casefold(): each for key in keys for each in students if getattr(each, key)}


def offer_undo(assignment_id: int, student: User, now: str, former: Given) -> None:
    """Keep the change of an extension in the cookie. `now` says in words what it is, `former` what it was."""
    cookie[UNDO] = [assignment_id, student.id, student.name, now, former.until, former.reason]


def undo_of_extension(assignment_id: int, user_id: int | None = None) -> dict[str, Any] | None:
    """The change of an extension that the viewer has just made here, to be undone; once."""
    if cookie.get(UNDO, [])[: 1 if user_id is None else 2] not in ([assignment_id], [assignment_id, user_id]):
        return None
    return dict(zip(("assignment", "user", "name", "said", "until", "reason"), cookie.pop(UNDO), strict=True))
