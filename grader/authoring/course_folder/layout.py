"""Which file of an assignment's folder holds what."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from grader.definition.question import FunctionQuestion, Question

SETTINGS: Final = "assignment.toml"
CHECKER: Final = "checker.py"
ASSIGNMENT_TEXTS: Final = {"text": "text.md", "starter": "starter.py"}
QUESTION_TEXTS: Final = {
    "text": "text.md",
    "examples": "examples.txt",
    "cases": "cases.py",
    "solution": "solution.py",
}
DOCTEST_CASES: Final = "cases.txt"
"""Hidden cases that are written out, instead of `cases.py`."""

DATES: Final = {"visible_from": "visible_from", "due": "due_at"}
"""The dates' keys in the file, and their names in a definition."""

SECTION_DATES: Final = {**DATES, "cut_off": "cut_off_at"}
"""The same for those of a section."""

TABLES: Final = ("options", "sections", "questions", "tournaments")
ASSIGNMENT_KEYS: Final = ("title", "game", *DATES, "counts", "trial_games", "custom_games_hour", *TABLES)
_OWN: Final = tuple(name for name in FunctionQuestion.model_fields if name not in Question.model_fields)
QUESTION_KEYS: Final = tuple(
    name
    for name in dict.fromkeys(("slug", "title", *_OWN, *FunctionQuestion.model_fields))
    if name not in QUESTION_TEXTS
)
TEXT: Final = "text.md"
CASES: Final = "cases"
SHOWN: Final = ("visible", "hidden")
OUTPUT: Final = ".out"
ENDINGS: Final = {"input": ".in", "output": OUTPUT, "arguments": ".args", "title": ".title", "exit_code": ".code"}
"""The files of a case, by its fields."""
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


def submission_path(file: str) -> str:
    """The path within `submissions` of such a file; "" for any other."""
    folder, _, path = file.partition("/")
    return path if folder == "submissions" and path.endswith(".py") else ""


def file_of(place: Sequence[str | int], data: Mapping[str, Any]) -> str:
    """The file in which the text at that place is; "" for a value in the settings."""
    match place:
        case (str(name),) if name in ASSIGNMENT_TEXTS:
            return ASSIGNMENT_TEXTS[name]
        case ("questions", int(at), *rest) if "language" in data["questions"][at]:
            return file_at(rest, data["questions"][at].get("slug", ""), data["questions"][at])
        case ("questions", int(at), str(name)) if name in QUESTION_TEXTS:
            return f"questions/{data['questions'][at].get('slug')}/{QUESTION_TEXTS[name]}"
        case ("questions", int(at), "comparator", "checker", "source"):
            return f"questions/{data['questions'][at].get('slug')}/{CHECKER}"
    return ""


def is_used(path: str) -> bool:
    """Whether a file of a program question's folder, by its path there, is read at all."""
    top, _, inside = path.partition("/")
    return path in (TEXT, CHECKER) or bool(inside and top in (CASES, VALIDATOR, *FOLDERS.values()))


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
            start = f"{folder}/{CASES}/{SHOWN[case['hidden']]}/{case['slug']}"
            match rest:
                case ("files" | "leaves" as tree, str(path), *_):
                    return f"{start}.{tree}/{path}"
                case (str(name), *_):
                    return start + ENDINGS.get(name, "")
            return start
        case ("comparator", _, "source"):
            return f"{folder}/{CHECKER}"
        case ("comparator", _, "files", str(path), *_):
            return f"{folder}/{VALIDATOR}/{path}"
    return ""
