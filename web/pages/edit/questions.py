"""The questions of a draft: their order, what they are worth, and new ones."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import Content
from grader.authoring.programs import USUAL as PROGRAM
from grader.definition.question import FunctionQuestion, Gate, label
from grader.languages import LANGUAGES
from web.assignment.settings.gates import WORDS
from web.editing import forms
from web.editing.assignments import SLUG
from web.editing.drafts import save
from web.pages.edit.common import editor, keep, opened, page
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other


def _part(content: Content) -> list[Any]:
    return [[each[name] for name in ("slug", "points", "gate", "visible")] for each in content["questions"]]


@page.get("/questions/")
def questions(assignment_id: int) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    return _page(seen, content, was=tag(_part(content)))


def _page(seen: Seen, content: Content, **more: Any) -> str:
    taken = {each["slug"] for each in content["questions"]}
    free = next(f"q{number}" for number in range(1, 1000) if f"q{number}" not in taken)
    more = {"gates": WORDS, "free": free, "languages": LANGUAGES, "problems": {}, "given": {}} | more
    return editor("questions", seen, content, **more)


@page.post("/questions/")
def save_questions(assignment_id: int) -> Any:
    """Save the table; a button also moves a question."""
    seen, _ = opened(assignment_id)
    step, _, slug = request.form.get("do", "").partition(" ")

    def change(content: Content) -> None:
        forms.put_table(content, request.form)
        if step in ("up", "down"):
            forms.move(content["questions"], slug, -1 if step == "up" else 1)

    return keep(seen, _part, change, _page, ("edit.questions", {}))


@page.post("/questions/add")
def add_question(assignment_id: int) -> Any:
    """Add a question at the end."""
    seen, content = opened(assignment_id)
    slug, title = forms.line(request.form, "slug"), forms.line(request.form, "title")
    problems = slug_problem(content, slug)
    if problems:
        return _page(seen, content, was=tag(_part(content)), problems=problems, given=request.form), 422
    gate = Gate.EXAMPLES if content["game"] else Gate.NONE
    asks_for = request.form.get("asks_for", "function")
    if asks_for in LANGUAGES:
        new = {**PROGRAM, "slug": slug, "title": title or label(slug), "language": asks_for, "gate": gate}
    else:
        usual = FunctionQuestion(slug=slug, title=title or label(slug), function="answer", gate=gate)
        new = usual.model_dump(mode="json")
        new["function"] = forms.line(request.form, "function") or f"question_{slug.replace('-', '_')}"

    def change(content: Content) -> None:
        if all(each["slug"] != slug for each in content["questions"]):
            content["questions"].append(new)

    save(seen, lambda content: None, change, tag(None))
    told = "then add its files and its cases" if asks_for in LANGUAGES else "its examples and its solution"
    flash(f"{label(slug)} is added. Write its text, {told}.")
    return see_other("edit.question", assignment_id=assignment_id, slug=slug)


def slug_problem(content: Content, slug: str) -> dict[str, str]:
    """What is wrong with the short name of a question, by field."""
    if not SLUG.fullmatch(slug):
        return {"slug": "Use up to 40 small letters, digits and hyphens, as in q1 or best-card."}
    if any(each["slug"] == slug for each in content["questions"]):
        return {"slug": f"There is a question {slug} already. Choose another short name."}
    return {}
