"""The kit of an assignment, to be downloaded."""

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.exceptions import NotFound

from grader.ladders import ladders
from grader.publishing.versions import definition_of
from tournament.games.options import choices, options_comment
from web.assignment.programs import zip_file
from web.kit.contents import has_kit, kit_files
from web.site import access, assets
from web.site.auth import user
from web.site.settings import settings
from web.site.store import read

page = Blueprint("kit", __name__, url_prefix="/courses/<course>/<slug>")


@page.get("/kit.zip")
def download(course: str, slug: str) -> Response:
    """The kit, filled in for this assignment."""
    seen = access.assignment_named(read(), user().id, course, slug)
    assignment = seen.assignment
    definition = definition_of(read(), assignment) if assignment.version else None
    if definition is None or not has_kit(definition):
        raise NotFound("This assignment has no kit: there is one where functions are to be written.")
    game, open_ladders = assets.game_if_any(assignment.game), ladders(read(), assignment.id)
    about = {
        "site": request.url_root.rstrip("/"),
        "kit": url_for("kit.download", course=course, slug=slug, _external=True),
        "id": assignment.id,
        "slug": assignment.slug,
        "title": definition.title,
        "version": assignment.version,
        "largest": settings().max_upload,
        "seats": list(game.seats) if game else [],
        "tournament": open_ladders[0].id if open_ladders else None,
    }
    rules = render_template(
        "_parts/kit_rules.html",
        definition=definition,
        game=game,
        rules=assets.rules(assignment.game),
        choices=choices(game) if game else (),
        markdown=assets.markdown,
    )
    starter = definition.starter and (options_comment(game) if game else "") + definition.starter
    files = kit_files(definition, about, starter, rules)
    return zip_file(files, f"{assignment.slug}-kit.zip")
