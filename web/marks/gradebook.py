"""For staff, the gradebook of a course with the weights of its assignments and files for learning management systems;
for students, their own marks."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, flash, render_template, request
from sqlalchemy.orm import Session

from grader.marks.book import CourseBook, MarkBook, course_book
from grader.marks.mark import Weighted, course_total
from grader.marks.publishing import own_account
from grader.marks.scheme import course_in_words
from grader.marks.tables import CourseMarking, course_scheme, revision_of, store_scheme
from grader.store.models import note_course_change
from tournament.store.database import now
from web.marks import books, forms
from web.marks.books import mark_column
from web.marks.lms import BadMarkFile, MarkColumn, content_of, fill_columns, fillable, guess, open_sheet
from web.marks.table import Enrolled, as_lines, asked_by, chosen, enrolled, listing
from web.site import access, inputs, roles
from web.site.access import Viewer
from web.site.auth import user
from web.site.forms import tag
from web.site.inputs import number
from web.site.models import Course
from web.site.pages import csv_table, see_other, shown_again
from web.site.store import read, write

page = Blueprint("gradebook", __name__, url_prefix="/courses/<course>/gradebook")


def _viewer(slug: str) -> Viewer:
    return access.course(read(), user().id, slug)


@page.get("/")
def show(course: str) -> str:
    """Show the gradebook, or a student's own marks."""
    viewer = _viewer(course)
    return _gradebook_page(viewer, *_book(read(), viewer)) if viewer.staff else _own_marks_page(viewer)


def _book(session: Session, viewer: Viewer) -> tuple[list[Enrolled], CourseBook]:
    students = enrolled(session, viewer.course.id, viewer.pupils)
    return students, course_book(session, viewer.course.id, [each.id for each in students], now())


def _gradebook_page(viewer: Viewer, students: Sequence[Enrolled], book: CourseBook, **more: Any) -> str:
    shown = {"form": "weights", "problems": {}, "given": {}, "preview": None, "problem": "", **more}
    return render_template(
        "marks/gradebook.html",
        viewer=viewer,
        **listing(books.of_course(book, students), request.args),
        book=book,
        words=_formula(book),
        students={each.id: each for each in students},
        was=shown["given"].get("was") or revision_of(read(), CourseMarking, viewer.course.id),
        **shown,
    )


def _formula(book: CourseBook) -> str:
    """Return the formula for the course total, in words."""
    return course_in_words([(each.assignment.title, book.weights[each.assignment.id]) for each in book.books])


def _own_marks_page(viewer: Viewer) -> str:
    session, scheme = read(), course_scheme(read(), viewer.course.id)
    listed = access.assignments(session, viewer)
    own = [(each, own_account(session, each.id, viewer.user_id)) for each in listed]
    parts = [
        Weighted(scheme.weights.get(each.id, told[1].most), told[1].total, told[1].most, told[1].excused)
        for each, told in own
        if told
    ]
    total, most = course_total(parts), sum(each.weight for each in parts)
    return render_template("marks/own_marks.html", viewer=viewer, own=own, total=total, most=most)


@page.get("/gradebook.csv")
def file(course: str) -> Response:
    """Download the gradebook rows that the address selects as a spreadsheet."""
    viewer = roles.staff(_viewer(course))
    students, book = _book(read(), viewer)
    table = books.of_course(book, students)
    response = Response(csv_table(as_lines(table, chosen(table, asked_by(request.args)))), mimetype="text/csv")
    response.headers.set("Content-Disposition", "attachment", filename=f"{viewer.course.slug}-gradebook.csv")
    return response


@page.post("/weights")
def change_weights(course: str) -> Any:
    """Show whose total would change. Once that is confirmed, change the weights and the late days."""
    viewer = roles.teaching_course(_viewer(course))
    students, book = _book(read(), viewer)
    with shown_again(lambda why: _gradebook_page(viewer, students, book, problems=why.problems, given=request.form)):
        titles = {each.assignment.id: each.assignment.title for each in book.books}
        scheme = forms.read_course_scheme(request.form, titles)
    digest = tag(scheme.model_dump(mode="json"))
    after = course_book(read(), viewer.course.id, [each.id for each in students], now(), scheme)
    if request.form.get("digest") != digest:
        changes = [(id_, total, after.totals[id_]) for id_, total in book.totals.items() if total != after.totals[id_]]
        return _gradebook_page(viewer, students, book, given=request.form, preview=changes, digest=digest)
    typed = {**request.form.to_dict(), "was": ""}
    again = shown_again(lambda why: _gradebook_page(viewer, *_book(read(), viewer), problem=str(why), given=typed))
    with again, write() as session:
        row = session.get_one(Course, viewer.course.id, with_for_update=True)
        store_scheme(session, row.id, scheme, request.form.get("was", 0, number))
        note_course_change(session, row.id, viewer.user_id, "Weights in the course", _formula(book), _formula(after))
    flash("The weights are saved.")
    return see_other("gradebook.show", course=course)


# Files of learning management systems, with the marks of all assignments


@page.get("/files/")
def show_files(course: str) -> str:
    """Show the form for an exported file."""
    viewer, _, found = _marked(course)
    return _course_files_page(viewer, found)


def _marked(slug: str) -> tuple[Viewer, list[Enrolled], list[MarkBook]]:
    viewer = roles.teaching_course(_viewer(slug))
    students, book = _book(read(), viewer)
    return viewer, students, [*book.books]


def _course_files_page(viewer: Viewer, found: list[MarkBook], **more: Any) -> str:
    shown = {"problem": "", "columns": None, "filled": None, **more}
    return render_template("marks/course_files.html", viewer=viewer, books=found, **shown)


@page.post("/files/")
@inputs.longer(inputs.WHOLE, "content")
def complete_files(course: str) -> Any:
    """Show which column belongs to which assignment and, once that is confirmed, the file with all marks filled in."""
    viewer, students, found = _marked(course)
    sent, given = request.files.get("file"), request.form
    chosen: dict[int, int | None] = {}
    with shown_again(lambda why: _course_files_page(viewer, found, problem=str(why))):
        content = content_of(sent.read() if sent else None, given, "Choose the file that you exported.")
        sheet = open_sheet(content)
        columns = fillable(sheet)
        if sent:
            chosen = {each.assignment.id: guess(columns, each.assignment.title, each.assignment.slug) for each in found}
        else:
            places = {each.assignment.id: given.get(f"column-{each.assignment.id}", type=number) for each in found}
            chosen = {id_: at if at in columns else None for id_, at in places.items()}
        shown = {
            "columns": columns,
            "chosen": chosen,
            "content": b64encode(content).decode(),
            "filename": (sent.filename if sent else given.get("filename")) or "grades.csv",
        }
    with shown_again(lambda why: _course_files_page(viewer, found, problem=str(why), **({} if sent else shown))):
        filled = fill_columns(sheet, students, {} if sent else _wanted(found, chosen))
    data = "" if sent else f"data:text/csv;base64,{b64encode(filled.content).decode()}"
    return _course_files_page(viewer, found, filled=filled, data=data, **shown)


def _wanted(found: list[MarkBook], chosen: Mapping[int, int | None]) -> dict[int, MarkColumn]:
    """Return the marks to write into each column, by the column's position. Raises BadMarkFile."""
    wanted: dict[int, MarkColumn] = {}
    for each in found:
        at = chosen[each.assignment.id]
        if at in wanted:
            raise BadMarkFile(f"“{wanted[at].title}” and “{each.assignment.title}” cannot use the same column.")
        if at is not None:
            wanted[at] = mark_column(each)
    if not wanted:
        raise BadMarkFile("Choose a column for at least one assignment.")
    return wanted
