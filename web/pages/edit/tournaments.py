"""The tournaments of a draft."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import Content
from grader.definition.model import Ladder
from tournament.ladder.settings import LABELS
from tournament.store.tables import Ranking
from web.editing import forms
from web.editing.assignments import SLUG
from web.editing.drafts import save
from web.pages.edit.common import editor, keep, opened, page
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other


def _part(content: Content) -> Any:
    return content["tournaments"]


@page.get("/tournaments/")
def tournaments(assignment_id: int) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    return _page(seen, content, was=tag(_part(content)))


def _page(seen: Seen, content: Content, **more: Any) -> str:
    shown = {"labels": LABELS, "numbers": forms.LADDER_NUMBERS, "rankings": list(Ranking)}
    return editor("tournaments", seen, content, **shown, **{"problems": {}, "given": {}, **more})


@page.post("/tournaments/")
def save_tournaments(assignment_id: int) -> Any:
    """Save their settings."""
    seen, _ = opened(assignment_id)
    return keep(seen, _part, lambda content: forms.put_ladders(content, request.form), _page, ("edit.tournaments", {}))


@page.post("/tournaments/add")
def add_tournament(assignment_id: int) -> Any:
    """Add one."""
    seen, content = opened(assignment_id)
    slug, title = forms.line(request.form, "slug"), forms.line(request.form, "title")
    problem = "" if SLUG.fullmatch(slug) else "Use up to 40 small letters, digits and hyphens, as in bonus."
    if any(each["slug"] == slug for each in content["tournaments"]):
        problem = f"There is a tournament {slug} already. Choose another short name."
    if problem:
        return _page(seen, content, was=tag(_part(content)), problems={"slug": problem}, given=request.form), 422

    def change(content: Content) -> None:
        if all(each["slug"] != slug for each in content["tournaments"]):
            content["tournaments"].append(Ladder(slug=slug, title=title or slug.capitalize()).model_dump(mode="json"))

    save(seen, lambda content: None, change, tag(None))
    return see_other("edit.tournaments", assignment_id=assignment_id)


@page.post("/tournaments/remove")
def remove_tournament(assignment_id: int) -> Any:
    """Remove one from the draft."""
    seen, _ = opened(assignment_id)
    slug = request.form.get("slug", "")

    def change(content: Content) -> None:
        content["tournaments"] = [each for each in content["tournaments"] if each["slug"] != slug]

    save(seen, lambda content: None, change, tag(None))
    flash("The tournament is removed from the draft.")
    return see_other("edit.tournaments", assignment_id=assignment_id)
