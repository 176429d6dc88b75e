"""The author's own players in a draft: right and wrong ones, with which the hidden cases are tested."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import Content
from sandbox import patterns
from web.assignment.uploads import from_form
from web.editing import forms
from web.editing.drafts import save
from web.pages.edit.common import editor, keep, opened, page
from web.site import inputs
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other

NAME = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,60}\.py")
FOLDERS = {"accepted": "must pass", "wrong": "must fail some case"}


def _part(content: Content) -> Any:
    return content["submissions"]


@page.get("/players/")
def players(assignment_id: int) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    return _page(seen, content, was=tag(_part(content)))


def _page(seen: Seen, content: Content, **more: Any) -> str:
    return editor("players", seen, content, folders=FOLDERS, **{"problems": {}, "given": {}, **more})


@page.post("/players/")
@inputs.longer(forms.LONGEST_TEXT, "player")
def save_players(assignment_id: int) -> Any:
    """Save their texts."""
    seen, _ = opened(assignment_id)

    def change(content: Content) -> None:
        for path in content["submissions"]:
            if f"player-{path}" in request.form:
                content["submissions"][path] = forms.text(request.form, f"player-{path}")

    return keep(seen, _part, change, _page, ("edit.players", {}))


@page.post("/players/add")
@inputs.longer(forms.LONGEST_TEXT, "text")
def add_player(assignment_id: int) -> Any:
    """Add one, from a file or pasted."""
    seen, content = opened(assignment_id)
    given = from_form(request)
    name, folder = forms.line(request.form, "name") or given.filename, request.form.get("folder", "")
    path = f"{folder}/{name}"
    problems = {}
    if not NAME.fullmatch(name) or folder not in FOLDERS:
        problems["name"] = "Give it a name such as no_return.py."
    elif path in content["submissions"]:
        problems["name"] = f"There is a player {path} already. Choose another name."
    elif given.is_nothing or not given.text:
        problems["text"] = "Choose a Python file, or paste its text."
    if problems:
        return _page(seen, content, was=tag(_part(content)), problems=problems, given=request.form), 422

    def change(content: Content) -> None:
        content["submissions"].setdefault(path, given.text.replace("\r\n", "\n"))

    save(seen, lambda content: None, change, tag(None))
    flash(f"{path} is added.")
    return see_other("edit.players", assignment_id=assignment_id)


@page.post("/players/remove")
def remove_player(assignment_id: int) -> Any:
    """Remove one from the draft."""
    seen, _ = opened(assignment_id)

    def change(content: Content) -> None:
        content["submissions"].pop(request.form.get("path", ""), None)

    save(seen, lambda content: None, change, tag(None))
    flash("The player is removed from the draft.")
    return see_other("edit.players", assignment_id=assignment_id)
