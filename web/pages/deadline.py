"""The forms for the deadline and the extensions, which are on two pages for instructors."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, request

from grader.dates import LocalTime
from grader.deadline import DeadlineError, DeadlinePast
from web.assignment import deadlines
from web.site import access
from web.site.auth import user
from web.site.pages import see_other
from web.site.store import read

CONFIRM = "Yes, set a deadline that has already passed"


def take_forms(page: Blueprint, again: Callable[..., str]) -> None:
    """Let a page about an assignment accept both forms.

    `again(seen, form=…, problems=…, given=…)` shows the page with the refused form, `deadline` or `extension`; with
    `confirm=…` if it is accepted once it is confirmed.
    """

    @page.post("/deadline")
    def change_deadline(assignment_id: int) -> Any:
        """Set the deadline; one that has passed is confirmed first."""
        seen = access.taught(read(), user().id, assignment_id)
        try:
            due = deadlines.change_deadline(seen, request.form)
        except DeadlineError as error:
            confirm = CONFIRM if isinstance(error, DeadlinePast) else ""
            problems = {"due": str(error)}
            return again(seen, form="deadline", problems=problems, given=request.form, confirm=confirm), 422
        flash(_said("deadline", due))
        return see_other(".show", assignment_id=assignment_id)

    @page.post("/extensions")
    def change_extension(assignment_id: int) -> Any:
        """Give a student an extension, or take it back."""
        seen = access.taught(read(), user().id, assignment_id)
        try:
            until = deadlines.change_extension(seen, request.form)
        except DeadlineError as error:
            field = "login" if isinstance(error, deadlines.NoSuchStudent) else "until"
            return again(seen, form="extension", problems={field: str(error)}, given=request.form), 422
        flash(_said("extension", until))
        return see_other(".show", assignment_id=assignment_id)


def _said(what: str, ends: LocalTime | None) -> str:
    if ends is None:
        return f"The {what} has been removed."
    return f"The {what} has been set. Students see {ends.in_words}. {ends.remark}".rstrip()
