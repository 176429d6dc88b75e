"""What happened to the user's work while they were away; a banner on the other pages says how many notices are new."""

from typing import Any

from flask import Blueprint, render_template, request

from tournament.store.notices import PAGE, mark_read, notices
from web.site.auth import user
from web.site.inputs import number
from web.site.notices import href
from web.site.rendering.pages import see_other
from web.site.store import read, write

page = Blueprint("notices", __name__, url_prefix="/notices")


@page.get("/")
def show() -> str:
    """The page; `?before=<notice>` goes back in time."""
    found = notices(read(), user().id, PAGE + 1, request.args.get("before", type=number))
    shown = found[:PAGE]
    return render_template(
        "own/notices.html",
        rows=[(notice, [(href(link), link[2]) for link in notice.links]) for notice in shown],
        older=shown[-1].id if len(found) > PAGE else None,
        newest="before" not in request.args,
        unread=any(notice.read_at is None for notice in shown),
    )


@page.post("/read")
def mark() -> Any:
    """Mark the shown notices as read; one that has come since stays new."""
    with write() as session:
        mark_read(session, user().id, request.form.get("up_to", 0, number))
    return see_other("notices.show")
