"""For instructors: the extensions of an assignment, for several students at once, and the dates of its sections."""

from typing import Any

from flask import Blueprint, flash, request

from grader.definition.local_times import lost_zone
from tournament.store.validation import ChangedMeanwhile, Refusal
from web.marks.extending import Wish, give, read_file, undo_of_extension
from web.marks.table import enrolled
from web.overview import dates
from web.overview.dates import LABELS, BadSectionDates
from web.overview.overview import real_names
from web.site import access, inputs
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import tag
from web.site.pages import page_about, see_other, shown_again
from web.site.store import fresh, read
from web.site.text import count

page = Blueprint("extensions", __name__, url_prefix="/assignments/<int:assignment_id>")


@page.get("/extensions/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, form: str = "", problems: Any = ()) -> str:
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
    with shown_again(lambda why: _page(seen, form, getattr(why, "lines", [str(why)]))):
        wishes = read_file(file.read()) if file and file.filename else _named()
        changed = give(seen, wishes)
    flash(f"{count(changed, 'extension is', 'extensions are')} saved. The students have been told.")
    return see_other("extensions.show", assignment_id=assignment_id)


def _named() -> list[Wish]:
    until, reason = request.form.get("until", "").strip(), request.form.get("reason", "").strip()
    words = request.form.get("students", "").replace(",", " ").replace(";", " ").split()
    return [Wish(line, student, until, reason) for line, student in enumerate(words, 1)]


# The release, the deadline and the end of uploads of each section


@page.get("/section-dates/")
def sections(assignment_id: int) -> str:
    """The form."""
    return _sections_page(assignment_id)


def _sections_page(assignment_id: int, refused: Refusal | None = None) -> str:
    with fresh() as session:  # what holds now, also after somebody else has changed it
        seen = access.taught(session, user().id, assignment_id)
        return page_about(
            "marks/section_dates.html",
            seen,
            rows=dates.rows(session, seen),
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
    """Save the dates of all sections, or nothing."""
    seen = access.taught(read(), user().id, assignment_id)
    with shown_again(lambda why: _sections_page(assignment_id, why)):
        changed = dates.change(seen, request.form)
    flash(f"{count(changed, 'date is', 'dates are')} changed. Students whose deadline moved have been told.")
    return see_other("extensions.sections", assignment_id=assignment_id)
