"""Edit a program question of a draft: helpers for all its pages, the page of the question itself, and the pages of its
handed-out files and of the author's own files."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from flask import flash, request
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import NotFound

from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.programs import VERDICTS, text_of
from grader.authoring.drafts import Content, is_program
from grader.definition.question import COMPARATORS, ProgramPath, Shows, Warnings
from grader.languages import LANGUAGES
from sandbox.api import SentBytes
from tournament.store.validation import Refusal, sentence
from web.editor import forms
from web.editor.drafts import edit_draft, editor_page, open_draft, page, question_in, save_part, to_the_form
from web.site import inputs
from web.site.access import Seen
from web.site.forms import line, text
from web.site.pages import see_other, shown_again
from web.site.text import count

WARNINGS: Final[Mapping[str, str]] = {
    Warnings.ALLOW: "no deduction; warnings are only shown",
    Warnings.COST: "a point deduction for each warning",
    Warnings.FAIL: "all points of the question; nothing is run",
}
SHOWN: Final[Mapping[str, str]] = {
    Shows.VERDICTS: "how many cases fail, with their verdicts",
    Shows.NUMBER: "how many cases fail",
    Shows.SMALLEST: "the first failing case",
    Shows.ALL: "all failing cases",
}
TREES: Final[Mapping[str, str]] = {
    "given": "Files handed out",
    "solution": "Solution",
    "submissions": "Your own programs",
    "validator": "Validator",
}
"""The folders of a program question, with a plain name for each."""

_ZIP: Final = b"PK\x03\x04"
_PATH: TypeAdapter[str] = TypeAdapter(ProgramPath)


def program_in(content: Content, slug: str) -> Content:
    """The program question of a draft with that slug."""
    found = question_in(content, slug)
    if not is_program(found):
        raise NotFound("This question asks for a function, so it has no such files or cases.")
    return found


def tree_in(question: Content, tree: str) -> dict[str, str]:
    """The texts of the files in one of a question's folders, by path."""
    if tree not in TREES:
        raise NotFound("A program question has no such folder.")
    found: dict[str, str] = question["comparator"].get("files", {}) if tree == "validator" else question[tree]
    return found


def part_of(question: Content) -> Content:
    """The part of a question that its own page edits."""
    comparator = {name: each for name, each in question["comparator"].items() if name != "files"}
    return {name: question[name] for name in forms.PROGRAM_PAGE} | {"comparator": comparator}


def found_in(why: Refusal) -> Sequence[Problem]:
    """The problems in uploaded files, if these problems caused the refusal."""
    return why.found if isinstance(why, CourseError) else ()


def program_page(name: str, seen: Seen, content: Content, slug: str, **more: Any) -> str:
    """Render a page about one program question."""
    question = program_in(content, slug)
    validated = question["comparator"]["kind"] == "validator"
    return editor_page(
        name,
        seen,
        content,
        question=question,
        trees={tree: words for tree, words in TREES.items() if tree != "validator" or validated},
        files=lambda tree: tree_in(question, tree),
        **{"found": [], **more},
    )


def own_page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    """Render the page of the question itself."""
    shown = {"languages": LANGUAGES, **forms.choice_of_comparator(COMPARATORS), "warnings": WARNINGS, "shown": SHOWN}
    return program_page("program", seen, content, slug, **shown, **more)


# Its files


def sent_parts() -> list[tuple[str, SentBytes]]:
    """The files chosen in a form. Folder names, which some browsers send, are removed."""
    chosen = [each for each in request.files.getlist("file") if each.filename]
    return [((each.filename or "").replace("\\", "/").rpartition("/")[2], SentBytes(each.read())) for each in chosen]


def read_parts(parts: Iterable[tuple[str, SentBytes]]) -> dict[str, bytes]:
    """The files, by name, in uploaded parts, which are pairs of name and content. Zips are unpacked. Raises
    CourseError."""
    found: dict[str, bytes] = {}
    for name, content in parts:
        found |= read_zip(content) if content.startswith(_ZIP) else {name: content}
    if not found:
        raise CourseError(
            [Problem("the upload", 0, "It contains no files. Choose files, or a zip file that contains them.")]
        )
    return found


def texts_in(files: Mapping[str, bytes], folder: str = "") -> dict[str, str]:
    """The texts of files by path, with `folder` in front of each path. Raises CourseError with all problems."""
    found, problems = {}, []
    for name, content in files.items():
        path = f"{folder}{name}"
        try:
            found[_PATH.validate_python(path)] = text_of(path, content).replace("\r\n", "\n").replace("\r", "\n")
        except ValidationError as error:
            problems += [Problem(path, 0, sentence(item)) for item in error.errors()]
        except CourseError as error:
            problems += error.found
    if problems:
        raise CourseError(problems)
    return found


def editable_after(editable: Sequence[str], given: Collection[str], chosen: Collection[str]) -> list[str]:
    """Return new patterns that let students change only the `chosen` handed-out files, and still add other files. A
    pattern that also matches a file that is not chosen is replaced by the chosen files that it matches."""
    found: list[str] = []
    for pattern in editable:
        matched = [path for path in given if fnmatchcase(path, pattern)]
        found += [pattern] if all(path in chosen for path in matched) else [path for path in matched if path in chosen]
    found += [path for path in chosen if not any(fnmatchcase(path, pattern) for pattern in found)]
    return list(dict.fromkeys(found))


def may_edit(question: Content, path: str) -> bool:
    """Whether students may change this file of a question."""
    return any(fnmatchcase(path, str(pattern)) for pattern in question["editable"])


@page.get("/questions/<slug>/files/<tree>/")
def files(assignment_id: int, slug: str, tree: str) -> str:
    """Show the page with the files of a folder: a list, and a form to add more."""
    seen, content = open_draft(assignment_id)
    tree_in(program_in(content, slug), tree)
    return _files_page(seen, content, slug, tree)


def _files_page(seen: Seen, content: Content, slug: str, tree: str, **more: Any) -> str:
    question = program_in(content, slug)
    shown = {
        "tree": tree,
        "editable": {path for path in question["given"] if may_edit(question, path)},
        "verdicts": VERDICTS,
        "part": lambda content: program_in(content, slug)["editable"],
    }
    return program_page("program_files", seen, content, slug, **shown, **more)


@page.post("/questions/<slug>/files/<tree>/")
def save_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Save which files students may change, or remove the selected files."""
    seen, content = open_draft(assignment_id)
    tree_in(program_in(content, slug), tree)
    if request.form.get("do") == "remove":
        removed = set(request.form.getlist("chosen"))
        edit_draft(seen, lambda content: _remove_files(tree_in(program_in(content, slug), tree), removed))
        if removed:
            flash(f"{count(len(removed), 'file')} removed from the draft.")
        return to_the_form()
    may_change = request.form.getlist("editable")

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if tree == "given":
            question["editable"] = editable_after(question["editable"], question["given"], may_change)

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _files_page(seen, content, slug, tree, **more)

    return save_part(seen, lambda content: program_in(content, slug)["editable"], change, again)


def _remove_files(texts: dict[str, str], paths: Collection[str]) -> None:
    for path in texts.keys() & paths:
        del texts[path]


@page.post("/questions/<slug>/add-files/<tree>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def add_files(assignment_id: int, slug: str, tree: str) -> Any:
    """Add uploaded files. They replace files with the same name."""
    seen, content = open_draft(assignment_id)
    tree_in(program_in(content, slug), tree)
    with shown_again(lambda why: _files_page(seen, content, slug, tree, found=found_in(why), given=request.form)):
        parts, name = sent_parts(), line(request.form, "name")
        if name and not parts:  # typed text becomes a file with the typed name
            parts = [(name, SentBytes(text(request.form, "text").encode()))]
        texts = texts_in(read_parts(parts), _folder() if tree == "submissions" else "")

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if tree == "validator":
            question["comparator"] = {**question["comparator"], "files": {**tree_in(question, tree), **texts}}
        else:
            question[tree] = dict(sorted({**question[tree], **texts}.items()))

    edit_draft(seen, change)
    flash(f"{TREES[tree]}: {count(len(texts), 'file')} saved.")
    return see_other("edit.files", assignment_id=assignment_id, slug=slug, tree=tree)


def _folder() -> str:
    """The folder for one of the author's programs: the verdict that the program must get, and its name. Raises
    CourseError."""
    verdict, name = request.form.get("verdict", ""), line(request.form, "program").replace(" ", "_")
    if verdict not in VERDICTS or not name or "/" in name:
        raise CourseError([Problem("Your own program", 0, "Give it a name, e.g. off_by_one.")])
    return f"{verdict}/{name}/"


@page.get("/questions/<slug>/files/<tree>/<path:path>")
def file(assignment_id: int, slug: str, tree: str, path: str) -> str:
    """Show the page of one file."""
    seen, content = open_draft(assignment_id)
    return _file_page(seen, content, slug, tree, path)


def _text_of_file(content: Content, slug: str, tree: str, path: str) -> str:
    texts = tree_in(program_in(content, slug), tree)
    if path not in texts:
        raise NotFound("The draft has no such file. Perhaps it was removed.")
    return texts[path]


def _file_page(seen: Seen, content: Content, slug: str, tree: str, path: str, **more: Any) -> str:
    shown = {
        "tree": tree,
        "path": path,
        "text": _text_of_file(content, slug, tree, path),
        "largest": forms.LARGEST_SHOWN,
    }
    part = lambda content: _text_of_file(content, slug, tree, path)  # noqa: E731 - it is shorter so
    return program_page("program_file", seen, content, slug, part=part, **shown, **more)


@page.post("/questions/<slug>/files/<tree>/<path:path>")
@inputs.longer(forms.LONGEST_TEXT, "text")
def save_file(assignment_id: int, slug: str, tree: str, path: str) -> Any:
    """Save the text of a file."""
    seen, content = open_draft(assignment_id)
    _text_of_file(content, slug, tree, path)

    def change(content: Content) -> None:
        if "text" in request.form:
            tree_in(program_in(content, slug), tree)[path] = text(request.form, "text")

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _file_page(seen, content, slug, tree, path, **more)

    return save_part(seen, lambda content: _text_of_file(content, slug, tree, path), change, again)
