"""Edit the questions of a draft: their order and points, new questions, and the page of each question."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import USUAL as PROGRAM
from grader.authoring.drafts import Content, is_program
from grader.comparing.comparators import KINDS
from grader.definition.question import FunctionQuestion, Gate, Shows, label
from grader.languages import LANGUAGES
from web.editor import forms
from web.editor.drafts import check_slug, edit_draft, editor_page, open_draft, page, question_in, save_part
from web.editor.programs import own_page, part_of
from web.site import assets, inputs
from web.site.access import Seen
from web.site.forms import line
from web.site.pages import see_other, shown_again
from web.staff.settings import GATE_WORDS

EXAMPLE = "q1 or best-card"
SHOWN = {
    Shows.TWIN: "twins: similar ungraded cases that also fail",
    Shows.SMALLEST: "the smallest failing case",
    Shows.ALL: "all failing cases",
    Shows.VERDICTS: "how many cases fail, with their verdicts",
    Shows.NUMBER: "how many cases fail",
}


def _questions_table(content: Content) -> list[Any]:
    return [[each[name] for name in ("slug", "points", "gate", "visible")] for each in content["questions"]]


@page.get("/questions/")
def questions(assignment_id: int) -> str:
    """Show the Questions page."""
    return _table_page(*open_draft(assignment_id))


def _table_page(seen: Seen, content: Content, **more: Any) -> str:
    taken = {each["slug"] for each in content["questions"]}
    free = next(f"q{number}" for number in range(1, 1000) if f"q{number}" not in taken)
    return editor_page(
        "questions", seen, content, _questions_table, gates=GATE_WORDS, free=free, languages=LANGUAGES, **more
    )


@page.post("/questions/")
def save_questions(assignment_id: int) -> Any:
    """Save the table of questions. Its buttons can also move a question."""
    seen, _ = open_draft(assignment_id)
    step, _, slug = request.form.get("do", "").partition(" ")

    def change(content: Content) -> None:
        forms.put_table(content, request.form)
        if step in ("up", "down"):
            forms.move(content["questions"], slug, -1 if step == "up" else 1)

    return save_part(seen, _questions_table, change, _table_page)


@page.post("/questions/add")
def add_question(assignment_id: int) -> Any:
    """Add a question at the end."""
    seen, content = open_draft(assignment_id)
    slug, title = line(request.form, "slug"), line(request.form, "title")
    with shown_again(lambda why: _table_page(seen, content, problems=why.problems, given=request.form)):
        check_slug(content["questions"], slug, "question", EXAMPLE)
    gate = Gate.EXAMPLES if content["game"] else Gate.NONE
    asks_for = request.form.get("asks_for", "function")
    if asks_for in LANGUAGES:
        new = {**PROGRAM, "slug": slug, "title": title or label(slug), "language": asks_for, "gate": gate}
    else:
        usual = FunctionQuestion(slug=slug, title=title or label(slug), function="answer", gate=gate)
        new = usual.model_dump(mode="json")
        new["function"] = line(request.form, "function") or f"question_{slug.replace('-', '_')}"

    def change(content: Content) -> None:
        if all(each["slug"] != slug for each in content["questions"]):
            content["questions"].append(new)

    edit_draft(seen, change)
    told = "then add its files and its cases" if asks_for in LANGUAGES else "its examples and its solution"
    flash(f"{label(slug)} is added. Write its text, {told}.")
    return see_other("edit.question", assignment_id=assignment_id, slug=slug)


# One question


@page.get("/questions/<slug>/")
def question(assignment_id: int, slug: str) -> str:
    """Show the page of a question."""
    return _question_page(*open_draft(assignment_id), slug)


def _edited_part(content: Content, slug: str) -> Content:
    """The part of a question that its page edits. For a program question, this excludes files and cases."""
    found = question_in(content, slug)
    return part_of(found) if is_program(found) else found


def _question_page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    found = question_in(content, slug)
    more |= {
        "part": lambda content: _edited_part(content, slug),
        "gates": GATE_WORDS,
        "rendered": assets.markdown(found["text"]),
    }
    if is_program(found):
        return own_page(seen, content, slug, **more)
    return editor_page(
        "question", seen, content, question=found, **forms.choice_of_comparator(KINDS), shown=SHOWN, **more
    )


@page.post("/questions/<slug>/")
@inputs.longer(forms.LONGEST_TEXT, "text", "examples", "cases", "solution", "source", "editable", "required")
def save_question(assignment_id: int, slug: str) -> Any:
    """Save a question."""
    seen, content = open_draft(assignment_id)
    question_in(content, slug)

    def change(content: Content) -> None:
        found = question_in(content, slug)
        forms.put_program(found, request.form) if is_program(found) else forms.put_question(found, request.form)

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _question_page(seen, content, slug, **more)

    return save_part(seen, lambda content: _edited_part(content, slug), change, again)


@page.post("/questions/<slug>/rename")
def rename_question(assignment_id: int, slug: str) -> Any:
    """Change the short name of a question."""
    seen, content = open_draft(assignment_id)
    question_in(content, slug)
    new = line(request.form, "slug")
    if new != slug:
        with shown_again(lambda why: _question_page(seen, content, slug, problems=why.problems, given=request.form)):
            check_slug(content["questions"], new, "question", EXAMPLE)

    def change(content: Content) -> None:
        question_in(content, slug)["slug"] = new
        for ladder in content["tournaments"]:
            ladder["question"] = new if ladder["question"] == slug else ladder["question"]

    edit_draft(seen, change)
    flash(f"The question is now called {new}.")
    return see_other("edit.question", assignment_id=assignment_id, slug=new)


@page.post("/questions/<slug>/remove")
def remove_question(assignment_id: int, slug: str) -> Any:
    """Remove a question from the draft."""
    seen, content = open_draft(assignment_id)
    question_in(content, slug)
    if "confirm" not in request.form:
        flash("Nothing was removed: tick the box to confirm.")
        return see_other("edit.question", assignment_id=assignment_id, slug=slug)

    def change(content: Content) -> None:
        content["questions"] = [each for each in content["questions"] if each["slug"] != slug]

    edit_draft(seen, change)
    flash(f"{label(slug)} is removed from the draft.")
    return see_other("edit.questions", assignment_id=assignment_id)
