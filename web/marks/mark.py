"""The page that shows how a mark was calculated: to the student once it is published, and to staff together with
everything that they need for marking."""

from typing import Any

from flask import Blueprint

from grader.marks.publishing import own_account
from grader.marks.scheme import MarkScheme
from grader.marks.tables import lateness_told, scheme_of
from web.marks.marking import marking_page
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.pages import page_about, see_other
from web.site.store import read
from web.submission.reading import shown_comments

page = Blueprint("mark", __name__, url_prefix="/assignments/<int:assignment_id>")


@page.get("/mark")
def own(assignment_id: int) -> Any:
    """Redirect students to their own mark, and staff to all marks."""
    seen = access.assignment(read(), user().id, assignment_id)
    if seen.viewer.staff:
        return see_other("marks.show", assignment_id=assignment_id)
    return see_other("mark.show", assignment_id=assignment_id, user_id=user().id)


@page.get("/marks/<int:user_id>/")
def show(assignment_id: int, user_id: int) -> str:
    """Show the marking page to staff, or a student's own mark."""
    seen = access.mark(read(), user().id, assignment_id, user_id)
    return marking_page(seen, user_id) if seen.viewer.staff else _own_mark_page(seen)


def _own_mark_page(seen: Seen) -> str:
    found = own_account(read(), seen.assignment.id, seen.viewer.user_id)
    publication, told = found or (None, None)
    if publication:  # the mark was calculated by the rules at publication
        scheme = MarkScheme.model_validate(publication.header["scheme"])
    else:
        scheme = scheme_of(read(), seen.assignment.id)
    comments = shown_comments(read(), [told.submission] if told and told.submission else [])
    late = lateness_told(read(), seen.viewer.course.id, scheme.late)
    return page_about("marks/mark.html", seen, publication=publication, account=told, late=late, comments=comments)
