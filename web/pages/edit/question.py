"""One question of a draft."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import Content
from grader.authoring.programs import is_program
from grader.definition.question import Shows, label
from web.assignment.settings.gates import WORDS
from web.editing import forms
from web.editing.drafts import save
from web.editing.program_forms import put_program
from web.pages.edit.common import editor, keep, opened, page, question_in
from web.pages.edit.programs import own_page, part_of
from web.pages.edit.questions import slug_problem
from web.site import assets, inputs
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other

COMPARATORS = {
    "exact": "equal, with equal types (1 is not 1.0, a list is not a tuple)",
    "sequences": "equal; lists and tuples count as the same",
    "floats": "equal, but numbers may differ a little",
    "unordered": "equal, but in any order",
    "any": "one of several: the solution returns the list of all right answers",
    "printed": "what the function prints, instead of what it returns",
    "checker": "a checker of your own decides: accepts(args, got)",
}
SHOWN = {
    Shows.TWIN: "a twin: a similar case that is not graded and fails too",
    Shows.SMALLEST: "the smallest of them",
    Shows.ALL: "all of them",
    Shows.VERDICTS: "how many there are, with which verdicts",
    Shows.NUMBER: "how many there are",
}


@page.get("/questions/<slug>/")
def question(assignment_id: int, slug: str) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    return _page(seen, content, slug, was=tag(_part(content, slug)))


def _part(content: Content, slug: str) -> Content:
    """What the page edits: of a program, neither files nor cases."""
    found = question_in(content, slug)
    return part_of(found) if is_program(found) else found


def _page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    found = question_in(content, slug)
    if is_program(found):
        return own_page(seen, content, slug, **more)
    shown = {"rendered": assets.markdown(found["text"]), "comparators": COMPARATORS, "shown": SHOWN, "gates": WORDS}
    return editor("question", seen, content, question=found, **shown, **{"problems": {}, "given": {}, **more})


@page.post("/questions/<slug>/")
@inputs.longer(forms.LONGEST_TEXT, "text", "examples", "cases", "solution", "source", "editable", "required")
def save_question(assignment_id: int, slug: str) -> Any:
    """Save it."""
    seen, content = opened(assignment_id)
    question_in(content, slug)

    def change(content: Content) -> None:
        found = question_in(content, slug)
        put_program(found, request.form) if is_program(found) else forms.put_question(found, request.form)

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _page(seen, content, slug, **more)

    part = lambda content: _part(content, slug)  # noqa: E731 - it is shorter so
    return keep(seen, part, change, again, ("edit.question", {"slug": slug}))


@page.post("/questions/<slug>/rename")
def rename_question(assignment_id: int, slug: str) -> Any:
    """Give it another short name."""
    seen, content = opened(assignment_id)
    question_in(content, slug)
    new = forms.line(request.form, "slug")
    problems = slug_problem(content, new) if new != slug else {}
    if problems:
        was = tag(_part(content, slug))
        return _page(seen, content, slug, was=was, problems=problems, given=request.form), 422

    def change(content: Content) -> None:
        question_in(content, slug)["slug"] = new
        for ladder in content["tournaments"]:
            ladder["question"] = new if ladder["question"] == slug else ladder["question"]

    save(seen, lambda content: None, change, tag(None))
    flash(f"The question is called {new} now.")
    return see_other("edit.question", assignment_id=assignment_id, slug=new)


@page.post("/questions/<slug>/remove")
def remove_question(assignment_id: int, slug: str) -> Any:
    """Remove it from the draft."""
    seen, content = opened(assignment_id)
    question_in(content, slug)
    if "confirm" not in request.form:
        flash("Nothing was removed: tick the box to confirm it.")
        return see_other("edit.question", assignment_id=assignment_id, slug=slug)

    def change(content: Content) -> None:
        content["questions"] = [each for each in content["questions"] if each["slug"] != slug]

    save(seen, lambda content: None, change, tag(None))
    flash(f"{label(slug)} is removed from the draft.")
    return see_other("edit.questions", assignment_id=assignment_id)
