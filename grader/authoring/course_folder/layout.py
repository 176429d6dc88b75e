"""Which file of an assignment's folder holds what."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from grader.authoring.course_folder.program_reading import file_at
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
