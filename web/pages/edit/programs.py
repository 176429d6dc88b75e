"""What the pages about one program question of a draft share, and its own page's form."""

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.exceptions import NotFound

from grader.authoring.drafts import Content
from grader.authoring.programs import is_program
from grader.definition.programs import Warnings
from grader.definition.question import Shows
from grader.languages import LANGUAGES
from web.assignment.settings.gates import WORDS
from web.editing import program_forms
from web.pages.edit.common import editor, question_in
from web.site import assets
from web.site.access import Seen

COMPARATORS: Final[Mapping[str, str]] = {
    "exact": "the same, to the last character",
    "lines": "the same, without spaces at the ends of lines and empty lines at the end",
    "tokens": "the same words in the same order",
    "numbers": "the same words, but numbers may differ a little",
    "checker": "accepted by a checker of your own: accepts(input, expected, printed)",
    "validator": "accepted by a validator program of your own, as in problem packages",
}
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
    return {name: question[name] for name in program_forms.OWN} | {"comparator": comparator}


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
        **{"problems": {}, "given": {}, "found": [], **more},
    )


def own_page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    """The page of the question itself."""
    question = program_in(content, slug)
    return program_page(
        "program",
        seen,
        content,
        slug,
        languages=LANGUAGES,
        comparators=COMPARATORS,
        warnings=WARNINGS,
        shown=SHOWN,
        gates=WORDS,
        rendered=assets.markdown(question["text"]),
        **more,
    )
