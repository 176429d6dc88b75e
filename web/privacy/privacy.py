"""The page with the data that is kept about a person, and a copy to download; for instructors also which staff opened
whose work."""

from threading import BoundedSemaphore
from typing import Any, Final

from flask import Blueprint, render_template, send_file
from werkzeug.exceptions import ServiceUnavailable

from web.privacy.access_log import SHOWN, opened
from web.privacy.export import export
from web.privacy.inventory import INVENTORY, counts
from web.site import access
from web.site.auth import limiter, user
from web.site.pages import page_about
from web.site.store import fresh, read, settings

page = Blueprint("privacy", __name__)
_making = BoundedSemaphore(1)  # one export at a time in each web process, since each takes seconds and memory
EXPORTS: Final = "10 per hour"
BUSY: Final = "Another copy is being made. Try again in a minute."
UNPUBLISHED: Final = {"staff_decision"}  # people see only published rows of these tables


@page.get("/account/data/")
def show() -> str:
    """Show which data is kept about the user."""
    session, shown = read(), settings().privacy.log_shown and settings().privacy.log_days
    found = counts(session, user().id)
    hidden = UNPUBLISHED if settings().privacy.log_shown else UNPUBLISHED | {"opened_work"}
    return render_template(
        "privacy/data.html",
        rows=[(INVENTORY[table], number) for table, number in found.items() if table not in hidden],
        opened=opened(session, person_id=user().id) if shown else None,
        most=SHOWN,
    )


@page.get("/account/data/export.zip")
@limiter.limit(EXPORTS, key_func=lambda: f"export:{user().id}")
def download() -> Any:
    """Download everything that is kept about the user as a zip."""
    if not _making.acquire(blocking=False):
        raise ServiceUnavailable(BUSY, retry_after=60)
    try:
        with fresh() as session:
            file = export(session, user())
    finally:
        _making.release()
    name = f"quadrille-{user().login}.zip"
    response = send_file(file, mimetype="application/zip", as_attachment=True, download_name=name)
    response.headers["Cache-Control"] = "no-store"
    return response


@page.get("/assignments/<int:assignment_id>/opened/")
def log(assignment_id: int) -> str:
    """Show which staff of the course opened whose work."""
    seen = access.taught(read(), user().id, assignment_id)
    lines = opened(read(), course_id=seen.viewer.course.id)
    return page_about("privacy/opened.html", seen, lines=lines, most=SHOWN)
