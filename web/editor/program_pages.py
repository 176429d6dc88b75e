"""A program question of a draft: what its pages share, its own page's form, and its files: those handed out, and those
of its author."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from flask import flash, request
from werkzeug.exceptions import NotFound

from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.programs import VERDICTS
from grader.authoring.drafts import Content, is_program
from grader.definition.question import COMPARATORS, Shows, Warnings
from grader.languages import LANGUAGES
from sandbox.api import SentBytes
from tournament.store.validation import Refusal
from web.editor import forms, programs
from web.editor.common import editor, keep, opened, page, question_in, to_the_form
from web.editor.drafts import edit
from web.editor.programs import read_parts, sent_files, texts_in
from web.site import inputs
from web.site.access import Seen
from web.site.forms import line, text
from web.site.pages import see_other, shown_again
from web.site.text import count

WARNINGS: Final[Mapping[str, str]] = {
    Warnings.ALLOW: "nothing: they are shown",
    Warnings.COST: "points, for each",
    Warnings.FAIL: "the question: nothing is run",
}
SHOWN: Final[Mapping[str, str]] = {
    Shows.VERDICTS: "how many there are, with which verdicts",
    Shows.NUMBER: "how many there are",
    Shows.SMALLEST: "the first of them",
    Shows.ALL: "all of them",
}
TREES: Final[Mapping[str, str]] = {
    "given": "Files handed out",
    "solution": "Solution",
    "submissions": "Your own programs",
    "validator": "Validator",
}
"""The folders of a question, with what they are called."""


def program_in(content: Content, slug: str) -> Content:
    """The program question of a draft with that slug."""
    found = question_in(content, slug)
    if not is_program(found):
        raise NotFound("This question asks for a function, which has no files and cases of this kind.")
    return found


def tree_in(question: Content, tree: str) -> dict[str, str]:
    """The files of one of its folders."""
    if tree not in TREES:
        raise NotFound("A program question has no such folder.")
    found: dict[str, str] = question["comparator"].get("files", {}) if tree == "validator" else question[tree]
    return found


def part_of(question: Content) -> Content:
    """What the question's own page edits."""
    comparator = {name: each for name, each in question["comparator"].items() if name != "files"}
    return {name: question[name] for name in forms.PROGRAM_PAGE} | {"comparator": comparator}


def found_in(why: Refusal) -> Sequence[Problem]:
    """The problems of uploaded files, by file and line."""
    return why.found if isinstance(why, CourseError) else ()


def program_page(name: str, seen: Seen, content: Content, slug: str, **more: Any) -> str:
    """A page about one program question."""
    question = program_in(content, slug)
    validated = question["comparator"]["kind"] == "validator"
    return editor(
        name,
        seen,
        content,
        question=question,
        trees={tree: words for tree, words in TREES.items() if tree != "validator" or validated},
        files=lambda tree: tree_in(question, tree),
        **{"found": [], **more},
    )


def own_page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    """The page of the question itself."""
    shown = {"languages": LANGUAGES, **forms.choice_of_comparator(COMPARATORS), "warnings": WARNINGS, "shown": SHOWN}
    return program_page("program", seen, content, slug, **shown, **more)


# Its files


@page.get("/questions/<slug>/files/<tree>/")
def files(assignment_id: int, slug: str, tree: str) -> str:
    """The page: a list of the files, and a form for more."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    return _files_page(seen, content, slug, tree)


def _files_page(seen: Seen, content: Content, slug: str, tree: str, **more: Any) -> str:
    question = program_in(content, slug)
    shown = {
        "tree": tree,
        "editable": {path for path in question["given"] if programs.may_edit(question, path)},
        "verdicts": VERDICTS,
        "part": lambda content: program_in(content, slug)["editable"],
    }
    return program_page("program_files", seen, content, slug, **shown, **more)


@page.post("/questions/<slug>/files/<tree>/")
def save_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Save which files students may change, or remove the chosen ones."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    if request.form.get("do") == "remove":
        removed = set(request.form.getlist("chosen"))
        edit(seen, lambda content: _remove(tree_in(program_in(content, slug), tree), removed))
        if removed:
            flash(f"{count(len(removed), 'file')} removed from the draft.")
        return to_the_form()
    may_change = request.form.getlist("editable")

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if tree == "given":
            question["editable"] = programs.editable_after(question["editable"], question["given"], may_change)

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _files_page(seen, content, slug, tree, **more)

    return keep(seen, lambda content: program_in(content, slug)["editable"], change, again)


def _remove(texts: dict[str, str], paths: Collection[str]) -> None:
    for path in texts.keys() & paths:
        del texts[path]


@page.post("/questions/<slug>/add-files/<tree>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def add_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Add files that are uploaded; those of the same name are replaced."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    with shown_again(lambda why: _files_page(seen, content, slug, tree, found=found_in(why), given=request.form)):
        texts = texts_in(read_parts(_sent()), _folder() if tree == "submissions" else "")

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if tree == "validator":
            question["comparator"] = {**question["comparator"], "files": {**tree_in(question, tree), **texts}}
        else:
            question[tree] = dict(sorted({**question[tree], **texts}.items()))

    edit(seen, change)
    flash(f"{TREES[tree]}: {count(len(texts), 'file')} saved.")
    return see_other("edit.files", assignment_id=assignment_id, slug=slug, tree=tree)


def _sent() -> list[tuple[str, SentBytes]]:
    """The files of the form; a text that was typed is a file with the name beside it."""
    parts = sent_files(request)
    name = line(request.form, "name")
    if name and not parts:
        return [(name, SentBytes(text(request.form, "text").encode()))]
    return parts


def _folder() -> str:
    """The folder of a program of the author's: the verdict that it must get, and its name. Raises CourseError."""
    verdict, name = request.form.get("verdict", ""), line(request.form, "program").replace(" ", "_")
    if verdict not in VERDICTS or not name or "/" in name:
        raise CourseError([Problem("Your own program", 0, "Give it a name, e.g. off_by_one.")])
    return f"{verdict}/{name}/"


@page.get("/questions/<slug>/files/<tree>/<path:path>")
def file(assignment_id: int, slug: str, tree: str, path: str) -> str:
    """One file."""
    seen, content = opened(assignment_id)
    return _file_page(seen, content, slug, tree, path)


def _text(content: Content, slug: str, tree: str, path: str) -> str:
    texts = tree_in(program_in(content, slug), tree)
    if path not in texts:
        raise NotFound("The draft has no such file. Perhaps it was removed.")
    return texts[path]


def _file_page(seen: Seen, content: Content, slug: str, tree: str, path: str, **more: Any) -> str:
    shown = {"tree": tree, "path": path, "text": _text(content, slug, tree, path), "largest": forms.LARGEST_SHOWN}
    part = lambda content: _text(content, slug, tree, path)  # noqa: E731 - it is shorter so
    return program_page("program_file", seen, content, slug, part=part, **shown, **more)


@page.post("/questions/<slug>/files/<tree>/<path:path>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def save_file(assignment_id: int, slug: str, tree: str, path: str) -> Any:
    """Save its text."""
    seen, content = opened(assignment_id)
    _text(content, slug, tree, path)

    def change(content: Content) -> None:
        if "text" in request.form:
            tree_in(program_in(content, slug), tree)[path] = text(request.form, "text")

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _file_page(seen, content, slug, tree, path, **more)

    return keep(seen, lambda content: _text(content, slug, tree, path), change, again)
