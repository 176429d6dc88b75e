"""Where the texts of a program question are in its folder, and reading them."""

from collections.abc import Mapping
from typing import Final

from grader.authoring.course_folder.problems import CourseError, Problem

TEXT: Final = "text.md"
CHECKER: Final = "checker.py"
CASES: Final = "cases"
VALIDATOR: Final = "validator"
FOLDERS: Final[Mapping[str, str]] = {"given": "files", "solution": "solution", "submissions": "submissions"}
"""The fields that are folders of files, with the names of the folders."""

PROGRAM_KEYS: Final = (
    *("slug", "title", "language", "main", "options", "editable", "required", "warnings", "warning_points"),
    *("cpu_s", "memory_mib", "output_kib", "comparator", "points", "gate", "visible", "shows"),
)
"""What the settings say of a program question."""

KEPT: Final[Mapping[str, str]] = {
    "text": TEXT,
    "cases": "cases/visible and cases/hidden",
    **{name: f"the folder {folder}" for name, folder in FOLDERS.items()},
}
"""What they do not say, and where it is instead."""


def is_used(path: str) -> bool:
    """Whether a file of a program question's folder, by its path there, is read at all."""
    top, _, inside = path.partition("/")
    return path in (TEXT, CHECKER) or bool(inside and top in (CASES, VALIDATOR, *FOLDERS.values()))


def within(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    """The files in a folder by their path there."""
    start = f"{folder}/"
    return {path.removeprefix(start): content for path, content in files.items() if path.startswith(start)}


def text_of(path: str, content: bytes) -> str:
    """The text of a file just as it is: a program may be about line ends. Raises CourseError."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        told = "This file is not text in UTF-8. Files of programs are texts: leave out pictures and compiled files."
        raise CourseError([Problem(path, line, told)]) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        told = "This file is not text: it has a NUL character. Leave out pictures and compiled files."
        raise CourseError([Problem(path, line, told)])
    return text


def texts_of(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, str]:
    """The texts of the files in a folder by their path there. What is not text is added to the problems."""
    found = {}
    for path, content in sorted(within(files, folder).items()):
        try:
            found[path] = text_of(f"{folder}/{path}", content)
        except CourseError as error:
            problems += error.found
    return found
