"""The viewer's versions side by side."""

from flask import Blueprint

from web.assignment.games.versions import LATEST, versions_of
from web.site.auth import user
from web.site.rendering.pages import page_about
from web.site.rights import access
from web.site.store import read

page = Blueprint("versions", __name__)


@page.get("/assignments/<int:assignment_id>/versions/")
def show(assignment_id: int) -> str:
    """The page."""
    seen = access.assignment(read(), user().id, assignment_id)
    versions = versions_of(read(), assignment_id, user().id)
    return page_about("assignment/versions.html", seen, versions=versions, latest=LATEST)
