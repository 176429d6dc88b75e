"""The text of a draft with its preview, and the starter file."""

from typing import Any

from flask import render_template, request

from grader.authoring.drafts import BadDraft, Content, definition_in
from web.editing.forms import LONGEST_TEXT
from web.editing.forms import text as typed
from web.pages.assignment.assignment import page_of
from web.pages.edit.common import editor, keep, opened, page
from web.site import assets, inputs
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other


@page.get("/text/")
def text(assignment_id: int) -> str:
    """The text of the assignment."""
    seen, content = opened(assignment_id)
    return _text_page(seen, content, was=tag(content["text"]))


def _text_page(seen: Seen, content: Content, **more: Any) -> str:
    return editor("text", seen, content, rendered=assets.markdown(content["text"]), **more)


@page.post("/text/")
@inputs.longer(LONGEST_TEXT, "text")
def save_text(assignment_id: int) -> Any:
    """Save it."""
    seen, _ = opened(assignment_id)

    def change(content: Content) -> None:
        content["text"] = typed(request.form, "text")

    return keep(seen, lambda content: content["text"], change, _text_page, ("edit.text", {}))


@page.post("/rendered")
@inputs.longer(LONGEST_TEXT, "text")
def rendered(assignment_id: int) -> str:
    """Markdown as students will see it, for `draft.js`."""
    opened(assignment_id)
    return render_template("edit/_rendered.html", rendered=assets.markdown(typed(request.form, "text")))


@page.get("/starter/")
def starter(assignment_id: int) -> str:
    """The starter file."""
    seen, content = opened(assignment_id)
    return _starter_page(seen, content, was=tag(content["starter"]))


def _starter_page(seen: Seen, content: Content, **more: Any) -> str:
    return editor("starter", seen, content, **more)


@page.post("/starter/")
@inputs.longer(LONGEST_TEXT, "starter")
def save_starter(assignment_id: int) -> Any:
    """Save it."""
    seen, _ = opened(assignment_id)

    def change(content: Content) -> None:
        content["starter"] = typed(request.form, "starter")

    return keep(seen, lambda content: content["starter"], change, _starter_page, ("edit.starter", {}))


@page.get("/preview/")
def preview(assignment_id: int) -> Any:
    """The assignment's page, as a student would see the draft."""
    seen, content = opened(assignment_id)
    try:
        return page_of(seen, definition_in(content), preview=True)
    except BadDraft:
        return see_other("edit.show", assignment_id=assignment_id)
