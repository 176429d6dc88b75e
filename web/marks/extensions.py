"""For instructors: giving extensions to one student, or to several from a list or a CSV file (to all or, if a line is
wrong, to none); and setting the dates of each section."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, flash, request
from flask import session as cookie
from sqlalchemy.orm import Session

from grader.assignment.deadline import DeadlineError, dates_of_student, extend, tell_student
from grader.definition.local_times import BadTime, LocalTime, lost_zone, parse
from grader.store.models import Assignment, Extension, note_change
from sandbox.api import SentBytes
from sandbox.readers import in_reader
from tournament.store.notices import NoticeKind
from tournament.store.validation import BadLines, ChangedMeanwhile, Refusal
from web.marks.table import Enrolled, enrolled
from web.overview import dates
from web.overview.dates import LABELS, BadSectionDates, in_log, local_time, read_time, said_of_deadline
from web.site import access, inputs
from web.site.access import Seen, real_names
from web.site.auth import user
from web.site.forms import check_unchanged, tag
from web.site.models import User
from web.site.pages import page_about, see_other, shown_again
from web.site.people_file import BadPeople, csv_rows, decode, numbered
from web.site.store import fresh, read, write
from web.site.text import count

COLUMNS = ("student", "until", "reason")
UNDO = "extension"
"""The session cookie's key for the latest change of an extension, which can be undone."""


class BadExtensions(BadLines):
    """The requested extensions cannot be given."""

    status = 409


@dataclass(frozen=True, slots=True)
class Wish:
    """An extension that a line requests; a line without a time ends the student's extension."""

    line: int
    student: str
    until: str
    reason: str


@in_reader(lambda message: BadExtensions([message]))
def read_file(content: SentBytes) -> list[Wish]:
    """Read the lines of a CSV file with the columns `student` (a login, e-mail or student number; the column may also
    be named after one of these), `until` and, optionally, `reason`. Raises BadExtensions."""
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
    """Give, change or end these extensions, log them and tell the students. Returns the number of extensions. Raises
    BadExtensions."""
    found = _checked_wishes(seen, wishes)
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        for wish, student, until in found:
            try:
                _set(session, seen, student, until, wish.reason)
            except DeadlineError as error:
                raise BadExtensions([f"Line {wish.line}: {error}"]) from None
    return len(found)


def extension_now(seen: Seen, row: Extension | None) -> tuple[str, str]:
    """Return the end and the reason of a student's extension as form values, both "" if there is no extension."""
    return (LocalTime(row.until, seen.viewer.course.zone).iso, row.reason) if row else ("", "")


def give_one(seen: Seen, student: User, form: Mapping[str, str]) -> None:
    """Give, change or end the extension of one student, and offer to undo the change. Raises DeadlineError, and
    ChangedMeanwhile if the extension has changed since the form was shown."""
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        row = session.get(Extension, (seen.assignment.id, student.id))
        former = extension_now(seen, row)
        if "was" in form:  # the undo button shows no reason
            check_unchanged(form, former)
        until = read_time(form.get("until", ""), seen, local_time(row.until, seen.viewer.course) if row else None)
        _set(session, seen, student, until, form.get("reason", "").strip())
    cookie[UNDO] = [seen.assignment.id, student.id, student.name, said_of_deadline("extension", until), *former]


def _set(session: Session, seen: Seen, student: Enrolled | User, until: LocalTime | None, reason: str) -> None:
    """Store an extension, log it, and tell the student if their deadline moves. Raises DeadlineError."""
    assignment = session.get_one(Assignment, seen.assignment.id)
    row = session.get(Extension, (assignment.id, student.id))
    former, before = (local_time(row.until, seen.viewer.course), row.reason) if row else (None, "")
    extend(session, assignment, student.id, until)
    if row := session.get(Extension, (assignment.id, student.id)):
        row.reason = reason
    what, by = f"Extension of {student.login}", seen.viewer.user_id
    note_change(session, assignment.id, by, what, in_log(former, before), in_log(until, reason))
    if former != until:
        ends = dates_of_student(session, assignment, student.id).due_at
        given = "An instructor has given you more time." if until else "An instructor has removed your extension."
        until_then = local_time(ends, seen.viewer.course)
        tell_student(session, assignment, student.id, until_then, given, NoticeKind.EXTENSION)


def _checked_wishes(seen: Seen, wishes: Sequence[Wish]) -> list[tuple[Wish, Enrolled, LocalTime | None]]:
    """Find the student and the time that each wish names. Raises BadExtensions."""
    if not wishes:
        raise BadExtensions(["No student was entered."])
    students = enrolled(read(), seen.assignment.course_id)
    keys = ("student_number", "email", "login")  # a login takes precedence
    known = {getattr(each, key).casefold(): each for key in keys for each in students if getattr(each, key)}
    found, problems, taken = [], [], dict[int, int]()
    for wish in wishes:
        student = known.get(wish.student.casefold())
        try:
            until = parse(wish.until, seen.viewer.course.zone) if wish.until else None
        except BadTime as error:
            problems.append(f"Line {wish.line}: {error}")
            continue
        if student is None:
            problems.append(f"Line {wish.line}: no student in this course is “{wish.student}”.")
        elif student.id in taken:
            problems.append(f"Line {wish.line}: {student.name} is on line {taken[student.id]} too.")
        else:
            taken[student.id] = wish.line
            found.append((wish, student, until))
    if problems:
        raise BadExtensions(problems)
    return found


def undo_of_extension(assignment_id: int, user_id: int | None = None) -> dict[str, Any] | None:
    """Return the viewer's latest change of an extension here, for an undo button. A second call returns None."""
    if cookie.get(UNDO, [])[: 1 if user_id is None else 2] not in ([assignment_id], [assignment_id, user_id]):
        return None
    return dict(zip(("assignment", "user", "name", "said", "until", "reason"), cookie.pop(UNDO), strict=True))


# The pages

page = Blueprint("extensions", __name__, url_prefix="/assignments/<int:assignment_id>")


@page.get("/extensions/")
def show(assignment_id: int) -> str:
    """Show the page of extensions."""
    return _extensions_page(access.taught(read(), user().id, assignment_id))


def _extensions_page(seen: Seen, form: str = "", problems: Any = ()) -> str:
    people = real_names(read(), seen.assignment.course_id)
    return page_about(
        "marks/extensions.html",
        seen,
        extensions=dates.extensions_of(read(), seen.assignment, people),
        students=enrolled(read(), seen.assignment.course_id),
        undo=undo_of_extension(seen.assignment.id),
        form=form,
        problems=problems,
        given=request.form,
    )


@page.post("/extensions/")
@inputs.longer(100_000, "students")
def change(assignment_id: int) -> Any:
    """Give extensions to the students named in a form or in a file, or end them."""
    seen, file = access.taught(read(), user().id, assignment_id), request.files.get("file")
    form = "file" if "file" in request.files else "several"
    with shown_again(lambda why: _extensions_page(seen, form, getattr(why, "lines", [str(why)]))):
        wishes = read_file(file.read()) if file and file.filename else _wishes_in_form()
        changed = give(seen, wishes)
    flash(f"{count(changed, 'extension has', 'extensions have')} been saved. The students have been notified.")
    return see_other("extensions.show", assignment_id=assignment_id)


def _wishes_in_form() -> list[Wish]:
    until, reason = request.form.get("until", "").strip(), request.form.get("reason", "").strip()
    lines = request.form.get("students", "").replace(",", " ").replace(";", " ").splitlines()
    return [Wish(number, student, until, reason) for number, line in enumerate(lines, 1) for student in line.split()]


# The release, the deadline and the end of uploads of each section


@page.get("/section-dates/")
def sections(assignment_id: int) -> str:
    """Show the form with the dates of all sections."""
    return _sections_page(assignment_id)


def _sections_page(assignment_id: int, refused: Refusal | None = None) -> str:
    with fresh() as session:  # the present dates, even if somebody else has just changed them
        seen = access.taught(session, user().id, assignment_id)
        return page_about(
            "marks/section_dates.html",
            seen,
            rows=dates.section_rows(session, seen),
            labels=LABELS,
            was=tag(seen.assignment.section_dates),
            lost_zone=lost_zone(seen.viewer.course.time_zone),
            problems=refused.problems if refused else {},
            given=request.form,
            past=isinstance(refused, BadSectionDates) and refused.past,
            overtaken=isinstance(refused, ChangedMeanwhile),
        )


@page.post("/section-dates/")
def change_sections(assignment_id: int) -> Any:
    """Save the dates of all sections, or none if one is wrong."""
    seen = access.taught(read(), user().id, assignment_id)
    with shown_again(lambda why: _sections_page(assignment_id, why)):
        changed = dates.change_sections(seen, request.form)
    flash(f"{count(changed, 'date has', 'dates have')} been changed. Students whose deadline moved have been notified.")
    return see_other("extensions.sections", assignment_id=assignment_id)
