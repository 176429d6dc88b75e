"""For instructors: the release, the deadline and the end of uploads of each section."""

from typing import Any

from flask import Blueprint, flash, request

from grader.dates.local_times import lost_zone
from grader.marks.schemes import ChangedMeanwhile
from web.assignment.settings import section_dates
from web.assignment.settings.section_dates import LABELS, BadSectionDates
from web.site.auth import user
from web.site.forms import tag
from web.site.rendering.pages import page_about, see_other
from web.site.rendering.text import count
from web.site.rights import access
from web.site.store import fresh, read

page = Blueprint("section_dates", __name__, url_prefix="/assignments/<int:assignment_id>/section-dates")


@page.get("/")
def show(assignment_id: int) -> str:
    """The form."""
    return _page(assignment_id)


def _page(assignment_id: int, **more: Any) -> str:
    with fresh() as session:  # what holds now, also after somebody else has changed it
        seen = access.taught(session, user().id, assignment_id)
        return page_about(
            "marks/section_dates.html",
            seen,
            rows=section_dates.rows(session, seen),
            labels=LABELS,
            was=tag(seen.assignment.section_dates),
            lost_zone=lost_zone(seen.viewer.course.time_zone),
            **{"problems": {}, "given": {}, "past": False, "overtaken": False, **more},
        )


@page.post("/")
def change(assignment_id: int) -> Any:
    """Save the dates of all sections, or nothing."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        changed = section_dates.change(seen, request.form)
    except BadSectionDates as error:
        return _page(assignment_id, problems=error.problems, given=request.form, past=error.past), 422
    except ChangedMeanwhile as error:
        return _page(assignment_id, problems={"": str(error)}, given=request.form, overtaken=True), 409
    flash(f"{count(changed, 'date is', 'dates are')} changed. Students whose deadline moved have been told.")
    return see_other("section_dates.show", assignment_id=assignment_id)
