"""Let students download an assignment's kits: the thin kit, and the full kit if and when it is offered."""

from collections.abc import Mapping
from functools import partial

from flask import Blueprint, Response, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import Forbidden, NotFound

from grader.assignment.ladders import ladders
from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from grader.store.models import Assignment, FullKit, note_change
from tournament.games.options import choices, options_comment, parse_name
from tournament.store.validation import BadForm
from web.kit.contents import has_kit, kit_files
from web.kit.full import full_files
from web.overview.dates import deadline_of
from web.site import access, assets
from web.site.access import Seen
from web.site.auth import user
from web.site.store import read, settings
from web.submission.uploads import zip_file

page = Blueprint("kit", __name__, url_prefix="/courses/<course>/<slug>")

WORDS = {
    FullKit.NEVER: "never",
    FullKit.AT_ONCE: "from the start",
    FullKit.AFTER_DEADLINE: "after each student’s own deadline",
}


def has_full_kit(definition: Definition) -> bool:
    """Whether the assignment can offer a full kit: it must have a game, and a thin kit."""
    return bool(definition.game) and has_kit(definition)


def may_have_full(session: Session, seen: Seen) -> bool:
    """Whether the member may download the full kit now. Instructors always may, so that they can see what it
    contains."""
    if seen.viewer.instructs or seen.assignment.full_kit is FullKit.AT_ONCE:
        return True
    after = seen.assignment.full_kit is FullKit.AFTER_DEADLINE
    return after and deadline_of(session, seen.assignment, seen.viewer.user_id).over


def about_full(session: Session, seen: Seen, address: str) -> str:
    """The sentence in the thin kit that says whether and when the full kit can be downloaded."""
    if seen.assignment.full_kit is FullKit.NEVER:
        return "This assignment does not offer the full kit; use the command try to play on the site."
    when = "Download it" if may_have_full(session, seen) else "You can download it after your deadline"
    return f"{when}: {address}"


def change_full_kit(session: Session, assignment: Assignment, by: int, given: str) -> None:
    """Set when the full kit is offered. Raises BadForm."""
    if given not in set(FullKit):
        raise BadForm({"full_kit": "Choose one of the three."})
    former, assignment.full_kit = assignment.full_kit, FullKit(given)
    note_change(session, assignment.id, by, "Full kit", WORDS[former], WORDS[assignment.full_kit])


@page.get("/kit.zip")
def download(course: str, slug: str) -> Response:
    """Download the thin kit, filled in for this assignment."""
    seen, definition = _seen_for_kit(course, slug)
    return _in_a_folder(_kit_files(seen, definition), f"{slug}-kit")


@page.get("/full-kit.zip")
def download_full(course: str, slug: str) -> Response:
    """Download the full kit."""
    seen, definition = _seen_for_kit(course, slug)
    if not has_full_kit(definition):
        raise NotFound(
            "This assignment has no full kit. There is one if a game is played and all questions ask for functions."
        )
    if not may_have_full(read(), seen):
        address = url_for("kit.download_full", course=course, slug=slug, _external=True)
        raise Forbidden(f"You cannot download the full kit at the moment. {about_full(read(), seen, address)}")
    package = parse_name(seen.assignment.game).package
    return _in_a_folder(_kit_files(seen, definition, full_files(package)), f"{slug}-full-kit")


def _in_a_folder(files: Mapping[str, bytes], folder: str) -> Response:
    return zip_file({f"{folder}/{path}": content for path, content in files.items()}, f"{folder}.zip")


def _seen_for_kit(course: str, slug: str) -> tuple[Seen, Definition]:
    seen = access.assignment_named(read(), user().id, course, slug)
    definition = definition_of(read(), seen.assignment) if seen.assignment.version else None
    if definition is None or not has_kit(definition):
        raise NotFound("This assignment has no kit. There is one if all questions ask for functions.")
    return seen, definition


def _kit_files(seen: Seen, definition: Definition, full: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
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
