"""The files and cases of a program question in a draft: those that an author uploads, one by one or as a zip, and which
files students may change."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from flask import Request
from pydantic import TypeAdapter, ValidationError

from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.programs import found_cases, text_of
from grader.authoring.drafts import Content
from grader.definition.question import CASES, ProgramPath, usual_title
from sandbox.api import SentBytes
from tournament.store.validation import sentence

_ZIP: Final = b"PK\x03\x04"
_SHOWN: Final = {"visible": "visible", "sample": "visible", "hidden": "hidden", "secret": "hidden"}
"""The folders of cases, also as problem packages name them."""

_PATH: TypeAdapter[str] = TypeAdapter(ProgramPath)


def sent_files(request: Request) -> list[tuple[str, SentBytes]]:
    """The files that were chosen in a form, without the folders that some browsers tell."""
    chosen = [each for each in request.files.getlist("file") if each.filename]
    return [((each.filename or "").replace("\\", "/").rpartition("/")[2], SentBytes(each.read())) for each in chosen]


def read_parts(parts: Iterable[tuple[str, SentBytes]]) -> dict[str, bytes]:
    """The files in what was sent, each part with its name; a zip is unpacked. Raises CourseError."""
    found: dict[str, bytes] = {}
    for name, content in parts:
        found |= read_zip(content) if content.startswith(_ZIP) else {name: content}
    if not found:
        raise CourseError([Problem("the upload", 0, "There is no file in it. Choose files, or a zip of them.")])
    return found


def texts_in(files: Mapping[str, bytes], folder: str = "") -> dict[str, str]:
    """The texts of files by their paths, below a folder if one is given. Raises CourseError with all that is wrong."""
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


def cases_in(files: Mapping[str, bytes], usual: str) -> list[dict[str, Any]]:
    """The cases in uploaded files. Those that are in none of the folders visible and hidden are as `usual` says. Raises
    CourseError with all that is wrong."""
    problems: list[Problem] = []
    names = {f"cases/{_case_path(path, usual)}": path for path in files}
    found = found_cases({f"/{name}": files[path] for name, path in names.items()}, "", problems)
    if problems or not found:
        told = [Problem(names.get(each.file.removeprefix("/"), each.file), each.line, each.text) for each in problems]
        raise CourseError(told or [Problem("the upload", 0, "There is no case in it.")])
    return list(found.values())


def _case_path(path: str, usual: str) -> str:
    folders = path.split("/")
    shown = next((_SHOWN[each] for each in folders if each in _SHOWN), usual)
    start = next((at for at, each in enumerate(folders) if "." in each), len(folders) - 1)
    name = "/".join(folders[start:])
    return f"{shown}/{name.removesuffix('.ans')}.out" if name.endswith(".ans") else f"{shown}/{name}"


def put_cases(question: Content, cases: Sequence[Mapping[str, Any]]) -> None:
    """Add cases to a draft's question; one that is there already gets what was uploaded of it. Raises CourseError if
    they would be too many."""
    known = {each["slug"]: each for each in question["cases"]}
    for case in cases:
        slug, title = case["slug"], case["title"]
        former = known.get(slug) or new_case(slug, title, case["hidden"])
        kept = former["title"] if title == usual_title(slug) else title
        known[slug] = {**former, **case, "title": kept}
    if len(known) > CASES:
        raise CourseError([Problem("the upload", 0, f"A question may have up to {CASES} cases.")])
    question["cases"] = in_order(list(known.values()))


def in_order(cases: list[Content]) -> list[Content]:
    """The cases as they are kept: the visible ones first, each kind by slug."""
    return sorted(cases, key=lambda case: (case["hidden"], case["slug"]))


def editable_after(editable: Sequence[str], given: Collection[str], chosen: Collection[str]) -> list[str]:
    """The patterns by which students may change, of the files handed out, just the `chosen` ones, and as before
    whatever else they add. A pattern that matches another one is replaced by the chosen files that it matches."""
    found: list[str] = []
    for pattern in editable:
        matched = [path for path in given if fnmatchcase(path, pattern)]
        found += [pattern] if all(path in chosen for path in matched) else [path for path in matched if path in chosen]
    found += [path for path in chosen if not any(fnmatchcase(path, pattern) for pattern in found)]
    return list(dict.fromkeys(found))


def may_edit(question: Content, path: str) -> bool:
    """Whether students may change that file of a draft's question."""
    return any(fnmatchcase(path, str(pattern)) for pattern in question["editable"])


def new_case(slug: str, title: str, hidden: bool) -> dict[str, Any]:
    """A case of a draft whose expected output is not written yet."""
    usual: dict[str, Any] = {"arguments": [], "input": "", "output": None, "exit_code": 0, "files": {}, "leaves": {}}
    return {"slug": slug, "title": title, "hidden": hidden, **usual}
