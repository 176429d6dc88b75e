"""For instructors: marks in the files of learning management systems."""

from base64 import b64encode
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from web.marks.books import mark_column, seen_book
from web.marks.lms import LAYOUTS, BadMarkFile, MarkColumn, fill, written
from web.marks.table import Enrolled
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import named
from web.site.pages import page_about, shown_again
from web.site.store import read

page = Blueprint("mark_files", __name__, url_prefix="/assignments/<int:assignment_id>/marks/files")


def _seen(assignment_id: int) -> Seen:
    seen = access.taught(read(), user().id, assignment_id)
    if not seen.assignment.version:
        raise NotFound("This assignment has not been published yet, so it has no marks.")
    return seen


def _marks(seen: Seen) -> tuple[list[Enrolled], MarkColumn, bool]:
    """The students and their marks, and whether these are the published ones."""
    students, book = seen_book(read(), seen)
    return students, mark_column(book), book.published is not None


@page.get("/")
def show(assignment_id: int) -> str:
    """The forms."""
    return _page(_seen(assignment_id))


def _page(seen: Seen, **more: Any) -> str:
    _, marks, published = _marks(seen)
    shown = {"problem": "", "given": {}, "filled": None, **more}
    return page_about("marks/mark_files.html", seen, layouts=LAYOUTS, marks=marks, published=published, **shown)


@page.get("/<layout>")
def file(assignment_id: int, layout: str) -> Response:
    """A file made from nothing."""
    seen = _seen(assignment_id)
    if layout not in LAYOUTS:
        raise NotFound("There is no such layout.")
    students, marks, _ = _marks(seen)
    return named(Response(written(LAYOUTS[layout], students, marks), mimetype="text/csv"), seen, f"{layout}.csv")


@page.post("/")
def complete(assignment_id: int) -> Any:
    """Return the file that a system exported, with the marks in it."""
    seen, sent = _seen(assignment_id), request.files.get("file")
    students, marks, _ = _marks(seen)
    with shown_again(lambda why: _page(seen, problem=str(why), given=request.form)):
        if not sent or not sent.filename:
            raise BadMarkFile("Choose the file that you exported.")
        add = "add" in request.form
        filled = fill(sent.read(), students, marks, "" if add else request.form.get("column", "").strip(), add)
    data = f"data:text/csv;base64,{b64encode(filled.content).decode()}"
    return _page(seen, filled=filled, data=data, filename=sent.filename)
