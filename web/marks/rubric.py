"""Marks by hand from a CSV file, with a preview; and the same table as a file."""

from base64 import b64encode
from typing import Any

from flask import Blueprint, Response, flash, request
from werkzeug.exceptions import NotFound

from grader.marks.book import decisions
from grader.marks.scheme import MarkScheme
from grader.marks.tables import Decided, decide, scheme_of
from tournament.store.database import now
from tournament.store.validation import ChangedMeanwhile
from web.marks.lms import content_of
from web.marks.rubric_file import read_rubric_file, rubric_rows
from web.marks.table import Enrolled, enrolled
from web.site import access, inputs
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, write
from web.site.text import count

page = Blueprint("rubric_file", __name__, url_prefix="/assignments/<int:assignment_id>/marks/rubric")


def _seen(assignment_id: int) -> tuple[Seen, MarkScheme, list[Enrolled]]:
    """The rubric of an assignment, and the students whom the viewer marks."""
    seen = access.overseeing(read(), user().id, assignment_id)
    if not seen.assignment.version:
        raise NotFound("This assignment has not been published yet, so it has no marks.")
    students = enrolled(read(), seen.assignment.course_id, seen.viewer.pupils)
    return seen, scheme_of(read(), assignment_id), students


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    seen, scheme, _ = _seen(assignment_id)
    return _page(seen, scheme)


def _page(seen: Seen, scheme: MarkScheme, problems: Any = (), **more: Any) -> str:
    shown = {"found": None, "content": "", **more}
    return page_about("marks/rubric_file.html", seen, scheme=scheme, problems=problems, **shown)


@page.get("/rubric.csv")
def file(assignment_id: int) -> Response:
    """The marks by hand so far, to be completed and sent back."""
    seen, scheme, students = _seen(assignment_id)
    return spreadsheet(rubric_rows(scheme, students, decisions(read(), assignment_id)), seen, "rubric.csv")


@page.post("/")
@inputs.longer(inputs.WHOLE, "content")
def complete(assignment_id: int) -> Any:
    """Show what a file changes; then, if that was looked at, change it."""
    seen, scheme, students = _seen(assignment_id)
    sent, given = request.files.get("file"), request.form
    with shown_again(lambda why: _page(seen, scheme, getattr(why, "lines", [str(why)]))):
        content = content_of(sent.read() if sent else None, given, "Choose the file with the marks.")
        found = read_rubric_file(content, scheme, students, decisions(read(), assignment_id))
    shown = {"found": found, "content": b64encode(content).decode()}
    if sent:
        return _page(seen, scheme, **shown)
    with shown_again(lambda why: _page(seen, scheme, [str(why)], **shown)):
        if given.get("digest") != found.digest:
            raise ChangedMeanwhile
        changes = [Decided(each.student.id, each.student.login, each.decision) for each in found.changes]
        with write() as session:
            decide(session, assignment_id, seen.viewer.user_id, changes, now())
    flash(f"The marks of {count(len(found.changes), 'student')} are saved.")
    return see_other("marks.show", assignment_id=assignment_id)
