"""The files of a program question in a draft: those handed out, and those of its author."""

from typing import Any

from flask import flash, request
from werkzeug.exceptions import NotFound

from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.program_reading import VERDICTS
from grader.authoring.drafts import Content
from sandbox.api import SentBytes
from web.editing import forms, program_forms
from web.editing.drafts import save
from web.editing.program_uploads import read_parts, sent_files, texts_in
from web.pages.edit.common import keep, opened, page
from web.pages.edit.programs import TREES, program_in, program_page, tree_in
from web.site import inputs
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other
from web.site.text import count


@page.get("/questions/<slug>/files/<tree>/")
def files(assignment_id: int, slug: str, tree: str) -> str:
    """The page: a list of the files, and a form for more."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    return _page(seen, content, slug, tree)


def _page(seen: Seen, content: Content, slug: str, tree: str, **more: Any) -> str:
    question = program_in(content, slug)
    editable = {path for path in question["given"] if program_forms.may_edit(question, path)}
    shown = {"tree": tree, "editable": editable, "verdicts": VERDICTS, "was": tag(question["editable"])}
    return program_page("program_files", seen, content, slug, **shown, **more)


@page.post("/questions/<slug>/files/<tree>/")
def save_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Save which files students may change, or remove the chosen ones."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    removed = set(request.form.getlist("chosen")) if request.form.get("do") == "remove" else set()
    may_change = request.form.getlist("editable")

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if removed:
            texts = tree_in(question, tree)
            for path in removed & texts.keys():
                del texts[path]
        elif tree == "given":
            question["editable"] = program_forms.editable_after(question["editable"], question["given"], may_change)

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _page(seen, content, slug, tree, **{name: each for name, each in more.items() if name != "was"})

    def part(content: Content) -> Any:
        question = program_in(content, slug)
        return sorted(tree_in(question, tree)) if removed else question["editable"]

    if removed:
        save(seen, lambda content: None, change, tag(None))
        flash(f"{count(len(removed), 'file')} removed from the draft.")
        return see_other("edit.files", assignment_id=assignment_id, slug=slug, tree=tree)
    return keep(seen, part, change, again, ("edit.files", {"slug": slug, "tree": tree}))


@page.post("/questions/<slug>/add-files/<tree>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def add_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Add files that are uploaded; those of the same name are replaced."""
    seen, content = opened(assignment_id)
    tree_in(program_in(content, slug), tree)
    try:
        texts = texts_in(read_parts(_sent()), _folder() if tree == "submissions" else "")
    except CourseError as error:
        return _page(seen, content, slug, tree, found=error.problems, given=request.form), 422

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if tree == "validator":
            question["comparator"] = {**question["comparator"], "files": {**tree_in(question, tree), **texts}}
        else:
            question[tree] = dict(sorted({**question[tree], **texts}.items()))

    save(seen, lambda content: None, change, tag(None))
    flash(f"{TREES[tree]}: {count(len(texts), 'file')} saved.")
    return see_other("edit.files", assignment_id=assignment_id, slug=slug, tree=tree)


def _sent() -> list[tuple[str, SentBytes]]:
    """The files of the form; a text that was typed is a file with the name beside it."""
    parts = sent_files(request)
    name = forms.line(request.form, "name")
    if name and not parts:
        return [(name, SentBytes(forms.text(request.form, "text").encode()))]
    return parts


def _folder() -> str:
    """The folder of a program of the author's: the verdict that it must get, and its name. Raises CourseError."""
    verdict, name = request.form.get("verdict", ""), forms.line(request.form, "program").replace(" ", "_")
    if verdict not in VERDICTS or not name or "/" in name:
        raise CourseError([Problem("Your own program", 0, "Give it a name, as in off_by_one.")])
    return f"{verdict}/{name}/"


@page.get("/questions/<slug>/files/<tree>/<path:path>")
def file(assignment_id: int, slug: str, tree: str, path: str) -> str:
    """One file."""
    seen, content = opened(assignment_id)
    return _file_page(seen, content, slug, tree, path, was=tag(_text(content, slug, tree, path)))


def _text(content: Content, slug: str, tree: str, path: str) -> str:
    texts = tree_in(program_in(content, slug), tree)
    if path not in texts:
        raise NotFound("The draft has no such file. Perhaps it was removed.")
    return texts[path]


def _file_page(seen: Seen, content: Content, slug: str, tree: str, path: str, **more: Any) -> str:
    shown = {"tree": tree, "path": path, "text": _text(content, slug, tree, path)}
    return program_page("program_file", seen, content, slug, **shown, largest=program_forms.LARGEST_SHOWN, **more)


@page.post("/questions/<slug>/files/<tree>/<path:path>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def save_file(assignment_id: int, slug: str, tree: str, path: str) -> Any:
    """Save its text."""
    seen, content = opened(assignment_id)
    _text(content, slug, tree, path)

    def change(content: Content) -> None:
        if "text" in request.form:
            tree_in(program_in(content, slug), tree)[path] = forms.text(request.form, "text")

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _file_page(seen, content, slug, tree, path, **more)

    address = ("edit.file", {"slug": slug, "tree": tree, "path": path})
    return keep(seen, lambda content: _text(content, slug, tree, path), change, again, address)
