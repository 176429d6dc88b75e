"""The kits of an assignment, to be downloaded: the thin one, and the full one where it is offered."""

from collections.abc import Mapping
from functools import partial

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.exceptions import Forbidden, NotFound

from grader.assignment.ladders import ladders
from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from tournament.games.options import choices, options_comment, parse_name
from web.kit.contents import has_kit, kit_files
from web.kit.full import full_files
from web.kit.kits import about_full, has_full_kit, may_have_full
from web.site import access, assets
from web.site.auth import user
from web.site.store import read, settings
from web.submission.programs import zip_file

page = Blueprint("kit", __name__, url_prefix="/courses/<course>/<slug>")


@page.get("/kit.zip")
def download(course: str, slug: str) -> Response:
    """The thin kit, filled in for this assignment."""
    seen, definition = _seen(course, slug)
    return zip_file(_files(seen, definition), f"{slug}-kit.zip")


@page.get("/full-kit.zip")
def download_full(course: str, slug: str) -> Response:
    """The full kit."""
    seen, definition = _seen(course, slug)
    if not has_full_kit(definition):
        raise NotFound("This assignment has no full kit: there is one where a game is played.")
    if not may_have_full(read(), seen):
        address = url_for("kit.download_full", course=course, slug=slug, _external=True)
        raise Forbidden(f"You cannot have the full kit now. {about_full(read(), seen, address)}")
    package = parse_name(seen.assignment.game).package
    return zip_file(_files(seen, definition, full_files(package)), f"{slug}-full-kit.zip")


def _seen(course: str, slug: str) -> tuple[access.Seen, Definition]:
    seen = access.assignment_named(read(), user().id, course, slug)
    definition = definition_of(read(), seen.assignment) if seen.assignment.version else None
    if definition is None or not has_kit(definition):
        raise NotFound("This assignment has no kit: there is one where functions are to be written.")
    return seen, definition


def _files(seen: access.Seen, definition: Definition, full: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    assignment = seen.assignment
    here = partial(url_for, course=seen.viewer.course.slug, slug=assignment.slug, _external=True)
    game, open_ladders = assets.game_if_any(assignment.game), ladders(read(), assignment.id)
    about = {
        "site": request.url_root.rstrip("/"),
        "kit": here("kit.download_full" if full else "kit.download"),
        "id": assignment.id,
        "slug": assignment.slug,
        "title": definition.title,
        "version": assignment.version,
        "largest": settings().limits.source,
        "game": assignment.game,
        "full": about_full(read(), seen, here("kit.download_full")),
        "seats": list(game.seats) if game else [],
        "tournament": open_ladders[0].id if open_ladders else None,
    }
    rules = render_template(
        "kit/_kit_rules.html",
        definition=definition,
        game=game,
        rules=assets.rules(assignment.game),
        choices=choices(game) if game else (),
        markdown=assets.markdown,
    )
    starter = definition.starter and (options_comment(game) if game else "") + definition.starter
    return kit_files(definition, about, starter, rules, full)
