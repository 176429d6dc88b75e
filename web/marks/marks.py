"""For staff, the gradebook of an assignment; for instructors also the rules for its marks, their publication, and files
for learning management systems."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any

from flask import Blueprint, Response, flash, request
from werkzeug.exceptions import BadRequest, NotFound

from grader.marks import publishing
from grader.marks.book import MarkBook, mark_book, why_missing
from grader.marks.scheme import LatePolicy, MarkScheme, Per, scheme_in_words
from grader.marks.tables import Marking, course_scheme, lateness_told, publication_of, revision_of, store_scheme
from grader.store.models import note_change
from tournament.final.record import signed
from web.marks import books, forms
from web.marks.books import mark_column, seen_book, with_marks
from web.marks.lms import LAYOUTS, BadMarkFile, fill, written
from web.marks.submissions_zip import NAMES, WHICH
from web.marks.table import Enrolled, as_lines, asked_by, chosen, enrolled, listing, people_in_record
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import tag
from web.site.inputs import number
from web.site.pages import named, page_about, see_other, shown_again, spreadsheet
from web.site.store import read, settings, write
from web.site.text import count

page = Blueprint("marks", __name__, url_prefix="/assignments/<int:assignment_id>/marks")


def _overseen(assignment_id: int) -> Seen:
    return with_marks(access.overseeing(read(), user().id, assignment_id))


def _taught_with_marks(assignment_id: int) -> Seen:
    return with_marks(access.taught(read(), user().id, assignment_id))


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the gradebook."""
    seen = _overseen(assignment_id)
    students, book = seen_book(read(), seen)
    table = books.of_assignment(read(), book, students)
    return page_about(
        "marks/marks.html",
        seen,
        **listing(table, request.args),
        book=book,
        words=scheme_in_words(book.scheme, book.possible.points, book.possible.tournament),
        publication=publication_of(read(), assignment_id),
        which=WHICH,
        folder_names=NAMES,
    )


@page.get("/marks.csv")
def file(assignment_id: int) -> Response:
    """Download the gradebook rows that the address selects as a spreadsheet."""
    seen = _overseen(assignment_id)
    students, book = seen_book(read(), seen)
    table = books.of_assignment(read(), book, students)
    return spreadsheet(as_lines(table, chosen(table, asked_by(request.args))), seen, "marks.csv")


@page.get("/rules")
def rules(assignment_id: int) -> str:
    """Show the form for how marks are calculated."""
    seen = _taught_with_marks(assignment_id)
    return _mark_rules_page(seen, *seen_book(read(), seen))


def _mark_rules_page(seen: Seen, students: Sequence[Enrolled], book: MarkBook, **more: Any) -> str:
    shown = {
        "problems": {},
        "given": _scheme_fields(book.scheme),
        "preview": None,
        "problem": "",
        "form": "rules",
        **more,
    }
    return page_about(
        "marks/mark_rules.html",
        seen,
        book=book,
        students={each.id: each for each in students},
        words=scheme_in_words(book.scheme, book.possible.points, book.possible.tournament),
        days=course_scheme(read(), seen.viewer.course.id).late_days,
        late=lateness_told(read(), seen.viewer.course.id, book.scheme.late),
        was=shown["given"].get("was") or revision_of(read(), Marking, seen.assignment.id),
        pers=[(each.value, each.value) for each in Per],
        **shown,
    )


def _scheme_fields(scheme: MarkScheme) -> dict[str, str]:
    """Return the scheme as the form's fields show it."""
    values = {**scheme.late.model_dump(), **scheme.model_dump(include={"points_worth", "tournament_worth", "decimals"})}
    shown = {name: "" if value is None else f"{value:g}" for name, value in values.items() if name != "per"}
    return {**shown, "per": scheme.late.per.value, "rubric": forms.show_rubric(scheme.rubric)}


def _rules_in_words(book: MarkBook) -> str:
    words = scheme_in_words(book.scheme, book.possible.points, book.possible.tournament)
    return "; ".join([*words, *late_in_brief(book.scheme.late)])


def late_in_brief(late: LatePolicy) -> Iterator[str]:
    """Describe the late policy in the change log, with an item for each part: `10% a day`, `2 late days`."""
    if late.percent is not None:
        yield f"{late.percent:g}% {'an hour' if late.per is Per.HOUR else 'a day'}"
    elif not late.takes_late:
        yield "late uploads do not count"
    if late.late_days:
        yield count(late.late_days, "late day")
    if late.grace_minutes:
        yield f"{count(late.grace_minutes, 'minute')} of grace"
    if late.takes_late and late.cut_off_hours is not None:
        yield f"no uploads after {count(late.cut_off_hours, 'hour')}"


@page.post("/rules")
def change_rules(assignment_id: int) -> Any:
    """Show whose total would change. Once that is confirmed, change the rules."""
    seen = _taught_with_marks(assignment_id)
    students, book = seen_book(read(), seen)
    with shown_again(lambda why: _mark_rules_page(seen, students, book, problems=why.problems, given=request.form)):
        scheme = forms.read_scheme(request.form, book.scheme, book.possible)
    after = mark_book(read(), seen.assignment, [each.id for each in students], scheme)
    digest = tag(scheme.model_dump(mode="json"))
    if request.form.get("digest") != digest:
        totals = ((id_, book.marks[id_].total, mark.total) for id_, mark in after.marks.items())
        changes = [each for each in totals if each[1] != each[2]]
        return _mark_rules_page(seen, students, book, given=request.form, preview=changes, digest=digest)
    typed = {**request.form.to_dict(), "was": ""}
    again = shown_again(lambda why: _mark_rules_page(seen, *seen_book(read(), seen), problem=str(why), given=typed))
    with again, write() as session:
        store_scheme(session, assignment_id, scheme, request.form.get("was", 0, number))
        before, then = (_rules_in_words(each) for each in (book, after))
        note_change(session, assignment_id, seen.viewer.user_id, "How marks are calculated", before, then)
    flash("The rules are saved. Published marks stay as they are until you publish again.")
    return see_other("marks.show", assignment_id=assignment_id)


@page.get("/publication")
def publication(assignment_id: int) -> str:
    """Show what is missing, what is published, and the buttons to publish and withdraw."""
    return _publication(_taught_with_marks(assignment_id))


def _publication(seen: Seen, problem: str = "") -> str:
    students, book = seen_book(read(), seen)
    missing = why_missing(read(), book)
    return page_about(
        "marks/mark_publication.html",
        seen,
        book=book,
        students=students,
        missing=missing,
        without=[id_ for id_, mark in book.marks.items() if mark.total is None and not mark.decision.excused],
        pending=publishing.pending(read(), seen.assignment),
        publication=publication_of(read(), seen.assignment.id),
        problem=problem,
    )


@page.post("/publication")
def publish(assignment_id: int) -> Any:
    """Publish the marks, or withdraw them."""
    seen, do = _taught_with_marks(assignment_id), request.form.get("do", "")
    if do not in ("publish", "withdraw"):
        raise BadRequest("Marks can be published or withdrawn.")
    with shown_again(lambda why: _publication(seen, str(why))):
        if do == "withdraw":
            books.withdraw(seen)
            said = "The marks are withdrawn: students no longer see them."
        else:
            published = count(books.publish(seen, "confirm" in request.form), "mark is", "marks are")
            said = f"{published} published. Each student can now see their own mark."
    flash(said)
    return see_other("marks.publication", assignment_id=assignment_id)


@page.get("/record.jsonl")
def record(assignment_id: int) -> Response:
    """Download the signed record of the published marks."""
    seen = _taught_with_marks(assignment_id)
    found = publication_of(read(), assignment_id)
    if found is None:
        raise NotFound("No marks for this assignment are published, so there is no record of them.")
    people = people_in_record(enrolled(read(), seen.assignment.course_id))
    lines = b"".join(signed(publishing.record(read(), found, people), settings().record_key))
    return named(Response(lines, mimetype="application/jsonl"), seen, "marks.jsonl")


# Files of learning management systems


@page.get("/files/")
def show_files(assignment_id: int) -> str:
    """Show the forms for exported and new files."""
    return _mark_files_page(_taught_with_marks(assignment_id))


def _mark_files_page(seen: Seen, **more: Any) -> str:
    _, book = seen_book(read(), seen)
    shown = {"marks": mark_column(book), "published": book.published is not None, "problem": "", "given": {}}
    return page_about("marks/mark_files.html", seen, layouts=LAYOUTS, **{**shown, "filled": None, **more})


@page.get("/files/<layout>")
def new_file(assignment_id: int, layout: str) -> Response:
    """Download a new file with the marks, in the layout of one system."""
    seen = _taught_with_marks(assignment_id)
    if layout not in LAYOUTS:
        raise NotFound("There is no such layout.")
    students, book = seen_book(read(), seen)
    content = written(LAYOUTS[layout], students, mark_column(book))
    return named(Response(content, mimetype="text/csv"), seen, f"{layout}.csv")


@page.post("/files/")
def complete_file(assignment_id: int) -> Any:
    """Return an exported file with the marks filled in."""
    seen, sent = _taught_with_marks(assignment_id), request.files.get("file")
    students, book = seen_book(read(), seen)
    with shown_again(lambda why: _mark_files_page(seen, problem=str(why), given=request.form)):
        if not sent or not sent.filename:
            raise BadMarkFile("Choose the file that you exported.")
        add = "add" in request.form
        column = "" if add else request.form.get("column", "").strip()
        filled = fill(sent.read(), students, mark_column(book), column, add)
    data = f"data:text/csv;base64,{b64encode(filled.content).decode()}"
    return _mark_files_page(seen, filled=filled, data=data, filename=sent.filename)
