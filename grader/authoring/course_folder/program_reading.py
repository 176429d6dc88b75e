"""Reads a program question: its data, and what is wrong with it whatever else is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from grader.authoring.course_folder.problems import Problem, near
from grader.authoring.course_folder.program_cases import SHOWN, read_cases
from grader.authoring.course_folder.program_layout import CASES, CHECKER, FOLDERS, VALIDATOR, text_of, texts_of
from grader.definition.programs import COMPARATORS, OutputChecker, ProgramQuestion, Validator
from grader.languages import LANGUAGES
from sandbox.api import Verdict

VERDICTS: Final = tuple(each.value for each in Verdict if each not in (Verdict.NOT_RUN, Verdict.IE))
"""What the author's own submissions may get."""

NO_CHECKER: Final = "The checker is missing: define accepts(input, expected, printed) in checker.py."
NO_VALIDATOR: Final = "The validator is missing: put its files into the folder validator."


def read_texts(files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, Any]:
    """All of a question's data that is in files of its folder."""
    found: dict[str, Any] = {name: texts_of(files, f"{folder}/{each}", problems) for name, each in FOLDERS.items()}
    return found | {"cases": read_cases(files, folder, problems)}


def read_comparator(given: Any, files: Mapping[str, bytes], folder: str, problems: list[Problem]) -> dict[str, Any]:
    """The data of a comparator as it is written: a name, or a table. Raises ValueError for an unknown name."""
    table = {"kind": given} if isinstance(given, str) else given
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(kind, str) or kind not in COMPARATORS:
        known = ", ".join(f'"{name}"' for name in COMPARATORS)
        told = f"{near(kind, COMPARATORS)} " if isinstance(kind, str) else ""
        table_example = '{ kind = "numbers", relative = 1e-6 }'
        raise ValueError(
            f"A comparator of a program is one of {known}, or a table such as {table_example}. {told}".strip()
        )
    found = dict(table)
    if COMPARATORS[kind] is OutputChecker:
        path = f"{folder}/{CHECKER}"
        found["source"] = text_of(path, files[path]) if path in files else ""
    elif COMPARATORS[kind] is Validator:
        found["files"] = texts_of(files, f"{folder}/{VALIDATOR}", problems)
    return found


def comparator_keys(kind: str) -> list[str]:
    """What a table of that kind of comparator may say."""
    return [name for name in COMPARATORS[kind].model_fields if name not in ("source", "files")]


def program_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with a program question that its model takes: none of it keeps another problem from being seen."""
    try:
        question = ProgramQuestion.model_validate(data)
    except ValidationError:  # reported when the definition is validated
        return
    folder = f"questions/{question.slug}"
    if isinstance(question.comparator, OutputChecker) and not question.comparator.source.strip():
        yield Problem(f"{folder}/{CHECKER}", 0, NO_CHECKER)
    if isinstance(question.comparator, Validator) and not question.comparator.files:
        yield Problem(f"{folder}/{VALIDATOR}", 0, NO_VALIDATOR)
    for path in question.solution:
        if path in question.locked:
            told = "This file is handed out and no pattern in editable matches it, so the solution cannot change it."
            yield Problem(f"{folder}/{FOLDERS['solution']}/{path}", 0, told)
    yield from _main(question)
    yield from _submissions(question)


def _main(question: ProgramQuestion) -> Iterator[Problem]:
    where = f"settings/questions/{question.slug}/main"
    language = LANGUAGES[question.language]
    main = question.main or language.main
    if language.compiled:
        if question.main:
            yield Problem(where, 0, "main is for languages that are not compiled. Leave it out.")
    elif main not in {*question.given, *question.required, *question.solution}:
        yield Problem(
            where, 0, f"There is no file {main} to be run: it is neither handed out, nor required, nor in the solution."
        )


def _submissions(question: ProgramQuestion) -> Iterator[Problem]:
    folder = f"questions/{question.slug}/{FOLDERS['submissions']}"
    for path in question.submissions:
        verdict, _, rest = path.partition("/")
        if verdict not in VERDICTS:
            told = "Begin its path with the verdict that it must get, as in WA/off_by_one/Deck.cpp."
            yield Problem(f"{folder}/{path}", 0, f"{told} {near(verdict, VERDICTS)}")
        elif "/" not in rest:
            told = f"Put it into a folder of its own, as in {verdict}/off_by_one/{rest or 'Deck.cpp'}."
            yield Problem(f"{folder}/{path}", 0, told)


def file_at(place: Sequence[str | int], slug: str, data: Mapping[str, Any]) -> str:
    """The file in which the text at that place of a program question is; "" for what the settings say."""
    folder = f"questions/{slug}"
    match place:
        case ("text",):
            return f"{folder}/text.md"
        case (str(name), str(path), *_) if name in FOLDERS:
            return f"{folder}/{FOLDERS[name]}/{path}"
        case (str(name),) if name in FOLDERS:
            return f"{folder}/{FOLDERS[name]}"
        case ("cases",):
            return f"{folder}/{CASES}"
        case ("cases", int(at), *rest):
            case = data["cases"][at]
            return f"{folder}/{CASES}/{SHOWN[case['hidden']]}/{case['slug']}{_ending(rest)}"
        case ("comparator", _, "source"):
            return f"{folder}/{CHECKER}"
        case ("comparator", _, "files", str(path), *_):
            return f"{folder}/{VALIDATOR}/{path}"
    return ""


def _ending(rest: Sequence[str | int]) -> str:
    match rest:
        case ("input",):
            return ".in"
        case ("output",):
            return ".out"
        case ("title",):
            return ".title"
        case ("exit_code",):
            return ".code"
        case ("arguments", *_):
            return ".args"
        case ("files" | "leaves" as tree, str(path), *_):
            return f".{tree}/{path}"
    return ""
