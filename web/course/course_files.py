"""For instructors: the marks of all assignments of a course in the file of a learning management system."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request

from grader.marks.book import MarkBook, course_book
from tournament.store.database import now
from web.marks.books import mark_column
from web.marks.lms import BadMarkFile, MarkColumn, content_of, fill_columns, fillable, guess, open_sheet
from web.marks.table import Enrolled, enrolled
from web.site import access, inputs
from web.site.access import Viewer
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import shown_again
from web.site.store import read

page = Blueprint("course_files", __name__, url_prefix="/courses/<course>/gradebook/files")


@page.get("/")
def show(course: str) -> str:
    """The form for the file."""
    viewer, _, books = _seen(course)
    return _page(viewer, books)


def _seen(slug: str) -> tuple[Viewer, list[Enrolled], list[MarkBook]]:
    viewer = access.teaching_course(access.course(read(), user().id, slug))
    students = enrolled(read(), viewer.course.id)
    return viewer, students, [*course_book(read(), viewer.course.id, [each.id for each in students], now()).books]


def _page(viewer: Viewer, books: list[MarkBook], **more: Any) -> str:
    shown = {"problem": "", "columns": None, "filled": None, **more}
    return render_template("course/course_files.html", viewer=viewer, books=books, **shown)


@page.post("/")
@inputs.longer(inputs.WHOLE, "content")
def complete(course: str) -> Any:
    """Show which column is which assignment; then return the file with all their marks in it."""
    viewer, students, books = _seen(course)
    sent, given = request.files.get("file"), request.form
    chosen: dict[int, int | None] = {}
    with shown_again(lambda why: _page(viewer, books, problem=str(why))):
        content = content_of(sent.read() if sent else None, given, "Choose the file that you exported.")
        sheet = open_sheet(content)
        columns = fillable(sheet)
        chosen = _guessed(columns, books) if sent else _chosen(columns, books)
        shown = {
            "columns": columns,
            "chosen": chosen,
            "content": b64encode(content).decode(),
            "filename": (sent.filename if sent else given.get("filename")) or "grades.csv",
        }
    with shown_again(lambda why: _page(viewer, books, problem=str(why), **({} if sent else shown))):
        filled = fill_columns(sheet, students, {} if sent else _wanted(books, chosen))
    data = "" if sent else f"data:text/csv;base64,{b64encode(filled.content).decode()}"
    return _page(viewer, books, filled=filled, data=data, **shown)


def _guessed(columns: Mapping[int, str], books: list[MarkBook]) -> dict[int, int | None]:
    """The place of the column of each assignment, by its id."""
    return {each.assignment.id: guess(columns, each.assignment.title, each.assignment.slug) for each in books}


def _chosen(columns: Mapping[int, str], books: list[MarkBook]) -> dict[int, int | None]:
    """The same as the form says it."""
    places = {each.assignment.id: request.form.get(f"column-{each.assignment.id}", type=number) for each in books}
    return {id_: at if at in columns else None for id_, at in places.items()}


def _wanted(books: list[MarkBook], chosen: Mapping[int, int | None]) -> dict[int, MarkColumn]:
    """What goes into which column. Raises BadMarkFile."""
    wanted: dict[int, MarkColumn] = {}
    for each in books:
        at = chosen[each.assignment.id]
        if at in wanted:
            raise BadMarkFile(f"“{wanted[at].title}” and “{each.assignment.title}” cannot have the same column.")
        if at is not None:
            wanted[at] = mark_column(each)
    if not wanted:
        raise BadMarkFile("Choose a column for at least one assignment.")
    return wanted
