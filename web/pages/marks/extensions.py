"""For instructors: the extensions of an assignment, for several students at once."""

from typing import Any

from flask import Blueprint, flash, request

from web.assignment.overview import real_names
from web.assignment.settings import deadlines
from web.gradebook.extending import BadExtensions, Wish, give, read_file
from web.gradebook.table import enrolled
from web.pages.course.person import undo_of_extension
from web.site import inputs
from web.site.auth import user
from web.site.rendering.pages import page_about, see_other
from web.site.rendering.text import count
from web.site.rights import access
from web.site.rights.access import Seen
from web.site.store import read

page = Blueprint("extensions", __name__, url_prefix="/assignments/<int:assignment_id>/extensions")


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, form: str = "", problems: Any = ()) -> str:
    people = real_names(read(), seen.assignment.course_id)
    return page_about(
        "marks/extensions.html",
        seen,
        extensions=deadlines.extended(read(), seen.assignment, people),
        students=enrolled(read(), seen.assignment.course_id),
        undo=undo_of_extension(seen.assignment.id),
        form=form,
        problems=problems,
        given=request.form,
    )


@page.post("/")
@inputs.longer(100_000, "students")
def change(assignment_id: int) -> Any:
    """Give extensions to the students named in a form or in a file, or end them."""
    seen, file = access.taught(read(), user().id, assignment_id), request.files.get("file")
    form = "file" if "file" in request.files else "several"
    try:
        wishes = read_file(file.read()) if file and file.filename else _named()
        changed = give(seen, wishes)
    except BadExtensions as error:
        return _page(seen, form, error.problems), 422
    flash(f"{count(changed, 'extension is', 'extensions are')} saved. The students have been told.")
    return see_other("extensions.show", assignment_id=assignment_id)


def _named() -> list[Wish]:
    until, reason = request.form.get("until", "").strip(), request.form.get("reason", "").strip()
    words = request.form.get("students", "").replace(",", " ").replace(";", " ").split()
    return [Wish(line, student, until, reason) for line, student in enumerate(words, 1)]
