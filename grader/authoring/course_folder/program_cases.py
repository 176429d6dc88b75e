"""The cases of a program question as files: `cases/visible/01-two-bots.in`, `.out` and, where they are needed, `.args`,
`.title`, `.code`, `.files/…` and `.leaves/…`.

`.args` has the arguments as one writes them in a shell, and `.code` the expected exit code, or `any`.
"""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from grader.authoring.course_folder.problems import CourseError, Problem, near
from grader.authoring.course_folder.program_layout import CASES, text_of, within
from grader.definition.programs import ProgramCase, usual_title
from sandbox import patterns

SHOWN: Final = ("visible", "hidden")
ANY_CODE: Final = "any"
OUTPUT: Final = ".out"

_ENDINGS: Final = (".in", OUTPUT, ".args", ".title", ".code")
_TREES: Final = {".files": "files", ".leaves": "leaves"}
_SLUG = patterns.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def read_cases(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> list[dict[str, Any]]:
    """The data of the cases in a question's folder. What is wrong with them is added to the problems."""
    found = found_cases(files, folder, problems)
    problems += (Problem(f"{folder}/{CASES}/{stem}{OUTPUT}", 0, _NO_OUTPUT) for stem in _without_output(found))
    return list(found.values())


def found_cases(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """The same by `visible/SLUG` or `hidden/SLUG`; those without an expected output have no `output`."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(within(files, f"{folder}/{CASES}")):
        try:
            _read_file(found, path, text_of(f"{folder}/{CASES}/{path}", files[f"{folder}/{CASES}/{path}"]))
        except CourseError as error:
            problems += error.found
        except ValueError as error:
            problems.append(Problem(f"{folder}/{CASES}/{path}", 0, str(error)))
    return found


_NO_OUTPUT: Final = (
    "The expected output is missing. Write it, or have it made from the solution: "
    "`quadrille course check FOLDER --write-outputs`."
)


def missing_outputs(files: Mapping[str, bytes], folder: str) -> list[str]:
    """The paths of the expected outputs that the cases of a question's folder lack."""
    found: dict[str, dict[str, Any]] = {}
    for path in within(files, f"{folder}/{CASES}"):
        try:
            _read_file(found, path, "0")
        except ValueError:  # it is found again when the cases are read
            continue
    return [f"{folder}/{CASES}/{stem}{OUTPUT}" for stem in _without_output(found)]


def _without_output(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [stem for stem, case in found.items() if "output" not in case]


def _read_file(found: dict[str, dict[str, Any]], path: str, text: str) -> None:
    """Add one file to the cases by `visible/SLUG`. Raises ValueError."""
    shown, _, rest = path.partition("/")
    if shown not in SHOWN or not rest:
        raise ValueError("This is not used: cases are in cases/visible or cases/hidden.")
    name, _, inside = rest.partition("/")
    slug, dot, ending = name.partition(".")
    ending = dot + ending
    if ending not in (_TREES if inside else _ENDINGS):
        known = _TREES if inside else _ENDINGS
        raise ValueError(f"This is not used. The files of a case end with {', '.join(known)}. {near(ending, known)}")
    if not _SLUG.fullmatch(slug):
        raise ValueError("Name a case with up to 40 small letters, digits and hyphens, as in 01-two-bots.")
    usual = {"slug": slug, "title": usual_title(slug), "hidden": shown == "hidden"}
    case = found.setdefault(f"{shown}/{slug}", usual)
    match ending:
        case ".in":
            case["input"] = text
        case ".out":
            case["output"] = text
        case ".args":
            case["arguments"] = _arguments(text)
        case ".title":
            case["title"] = text.strip()
        case ".code":
            case["exit_code"] = exit_code(text)
        case _:
            case.setdefault(_TREES[ending], {})[inside] = text


def _arguments(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"The arguments cannot be read: {error}. Write them as in a shell: one 'two words'.") from None


def exit_code(text: str) -> int | None:
    """The exit code that a text asks for; None for any. Raises ValueError."""
    if text.strip() == ANY_CODE:
        return None
    if not patterns.compile(r"\d{1,3}").fullmatch(text.strip()):
        raise ValueError(f"An exit code is a number from 0 to 255, or {ANY_CODE}.")
    return int(text)


def case_files(case: ProgramCase) -> Iterator[tuple[str, str]]:
    """The files of a case with their paths in a question's folder. There is always an expected output."""
    start = f"{CASES}/{SHOWN[case.hidden]}/{case.slug}"
    yield f"{start}{OUTPUT}", case.output
    if case.input:
        yield f"{start}.in", case.input
    if case.arguments:
        yield f"{start}.args", f"{shlex.join(case.arguments)}\n"
    if case.title != usual_title(case.slug):
        yield f"{start}.title", f"{case.title}\n"
    if case.exit_code != 0:
        yield f"{start}.code", f"{ANY_CODE if case.exit_code is None else case.exit_code}\n"
    for ending, name in _TREES.items():
        for path, text in getattr(case, name).items():
            yield f"{start}{ending}/{path}", text
