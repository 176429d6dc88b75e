"""Reads program questions and their cases from a folder, and finds all errors in one pass. Also writes cases as files.

The files of a case are `cases/visible/01-two-bots.in`, `.out` and, where needed, `.args`, `.title`, `.code`, `.files/…`
and `.leaves/…`. `.args` contains the arguments in shell syntax, and `.code` the expected exit code or `any`.
"""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from grader.authoring.course_folder.layout import CASES, CHECKER, ENDINGS, OUTPUT, SHOWN, VALIDATOR
from grader.authoring.course_folder.problems import CourseError, Problem, near
from grader.definition.question import (
    FOLDERS,
    SLUG,
    SLUG_RULE,
    OutputChecker,
    ProgramCase,
    ProgramQuestion,
    Validator,
    usual_title,
)
from grader.languages import LANGUAGES
from sandbox import patterns
from sandbox.api import Verdict

ANY_CODE: Final = "any"

_TREES: Final = {".files": "files", ".leaves": "leaves"}


def read_cases(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> list[dict[str, Any]]:
    """Return the data of the cases in a question's folder, and add the problems in the cases to `problems`."""
    found = found_cases(files, folder, problems)
    problems += (Problem(f"{folder}/{CASES}/{stem}{OUTPUT}", 0, _NO_OUTPUT) for stem in _without_output(found))
    return list(found.values())


def found_cases(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """Return the data of these cases by `visible/SLUG` or `hidden/SLUG`. Cases without an expected output have no key
    `output`."""
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
    "The expected output is missing. Write it, or have it generated from the solution: "
    "`quadrille course check FOLDER --write-outputs`."
)


def missing_outputs(files: Mapping[str, bytes], folder: str) -> list[str]:
    """Return the paths of the expected outputs that a question's folder lacks."""
    found: dict[str, dict[str, Any]] = {}
    for path in within(files, f"{folder}/{CASES}"):
        try:
            _read_file(found, path, "0")
        except ValueError:  # reported when the cases are read
            continue
    return [f"{folder}/{CASES}/{stem}{OUTPUT}" for stem in _without_output(found)]


def _without_output(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [stem for stem, case in found.items() if "output" not in case]


def _read_file(found: dict[str, dict[str, Any]], path: str, text: str) -> None:
    """Add the content of one file to the cases in `found`, which are keyed by `visible/SLUG` or `hidden/SLUG`. Raises
    ValueError."""
    shown, _, rest = path.partition("/")
    if shown not in SHOWN or not rest:
        raise ValueError("This is not used: cases are in cases/visible or cases/hidden.")
    name, _, inside = rest.partition("/")
    slug, dot, ending = name.partition(".")
    ending = dot + ending
    known = tuple(_TREES if inside else ENDINGS.values())
    if ending not in known:
        raise ValueError(f"This is not used. The files of a case end with {', '.join(known)}. {near(ending, known)}")
    if not SLUG.fullmatch(slug):
        raise ValueError(f"Name a case with {SLUG_RULE}, e.g. 01-two-bots.")
    usual = {"slug": slug, "title": usual_title(slug), "hidden": shown == "hidden"}
    case = found.setdefault(f"{shown}/{slug}", usual)
    match ending:
        case ".in":
            case["input"] = text
        case ".out":
            case["output"] = text
        case ".args":
            try:
                case["arguments"] = shlex.split(text)
            except ValueError as error:
                told = "Write the arguments as in a shell, e.g. one 'two words'."
                raise ValueError(f"The arguments cannot be read: {error}. {told}") from None
        case ".title":
            case["title"] = text.strip()
        case ".code":
            case["exit_code"] = exit_code(text)
        case _:
            case.setdefault(_TREES[ending], {})[inside] = text


def exit_code(text: str) -> int | None:
    """Return the exit code that a text specifies; None if any exit code is right. Raises ValueError."""
    if text.strip() == ANY_CODE:
        return None
    if not patterns.compile(r"\d{1,3}").fullmatch(text.strip()):
        raise ValueError(f"An exit code is a number from 0 to 255, or {ANY_CODE}.")
    return int(text)


def case_files(case: ProgramCase) -> Iterator[tuple[str, str]]:
    """Yield the files of a case with their paths in a question's folder, always including the expected output."""
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


VERDICTS: Final = tuple(each.value for each in Verdict if each not in (Verdict.NOT_RUN, Verdict.IE))
"""The verdicts that an author may expect of their own submissions."""


def program_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield all problems in a program question that its model does not detect."""
    try:
        question = ProgramQuestion.model_validate(data)
    except ValidationError:  # reported when the definition is validated
        return
    folder = f"questions/{question.slug}"
    if isinstance(question.comparator, OutputChecker) and not question.comparator.source.strip():
        told = "The checker is missing: define accepts(input, expected, printed) in checker.py."
        yield Problem(f"{folder}/{CHECKER}", 0, told)
    if isinstance(question.comparator, Validator) and not question.comparator.files:
        told = "The validator is missing: put its files into the folder validator."
        yield Problem(f"{folder}/{VALIDATOR}", 0, told)
    for path in question.solution:
        if path in question.locked:
            told = "This file is handed out and no pattern in editable matches it, so the solution cannot change it."
            yield Problem(f"{folder}/{FOLDERS['solution']}/{path}", 0, told)
    yield from _main(question)
    yield from _misplaced(question)


def _main(question: ProgramQuestion) -> Iterator[Problem]:
    where = f"settings/questions/{question.slug}/main"
    language = LANGUAGES[question.language]
    main = question.main or language.main
    if language.compiled:
        if question.main:
            yield Problem(where, 0, "main is for languages that are not compiled. Leave it out.")
    elif main not in {*question.given, *question.required, *question.solution}:
        told = "it is neither handed out, nor required, nor in the solution."
        yield Problem(where, 0, f"There is no file {main} to run: {told}")


def _misplaced(question: ProgramQuestion) -> Iterator[Problem]:
    folder = f"questions/{question.slug}/{FOLDERS['submissions']}"
    for path in question.submissions:
        verdict, _, rest = path.partition("/")
        if verdict not in VERDICTS:
            told = "Start its path with the expected verdict, e.g. WA/off_by_one/Deck.cpp."
            yield Problem(f"{folder}/{path}", 0, f"{told} {near(verdict, VERDICTS)}")
        elif "/" not in rest:
            told = f"Put it into its own folder, e.g. {verdict}/off_by_one/{rest or 'Deck.cpp'}."
            yield Problem(f"{folder}/{path}", 0, told)


def within(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    """Return the files in a folder by their paths relative to the folder."""
    start = f"{folder}/"
    return {path.removeprefix(start): content for path, content in files.items() if path.startswith(start)}


def text_of(path: str, content: bytes) -> str:
    """Return the text of a file. It is unchanged, because line ends can matter to a program. Raises CourseError."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        told = "This file is not text in UTF-8. Program files must be text: leave out pictures and compiled files."
        raise CourseError([Problem(path, line, told)]) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        told = "This file is not text: it has a NUL character. Leave out pictures and compiled files."
        raise CourseError([Problem(path, line, told)])
    return text


def texts_of(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, str]:
    """Return the texts of the files in a folder by their paths relative to the folder. A problem is added to `problems`
    for each file that is not text."""
    found = {}
    for path, content in sorted(within(files, folder).items()):
        try:
            found[path] = text_of(f"{folder}/{path}", content)
        except CourseError as error:
            problems += error.found
    return found
