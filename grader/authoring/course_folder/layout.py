"""Defines which file of an assignment's folder holds what. Also reads what is defined outside the folder: the defaults
in the course's course.toml, and the game that `game = "hearts"` refers to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.authoring.course_folder.problems import Problem, TomlFile, near, plain, said
from grader.definition.model import Definition, Ladder
from grader.definition.question import FOLDERS, DefinitionModel, FunctionQuestion, ProgramQuestion, Question, Shows
from tournament.games.options import UnknownGame, parse_name

SETTINGS: Final = "assignment.toml"
CHECKER: Final = "checker.py"
ASSIGNMENT_TEXTS: Final = {"text": "text.md", "starter": "starter.py"}
QUESTION_TEXTS: Final = {"text": "text.md", "examples": "examples.txt", "cases": "cases.py", "solution": "solution.py"}
DOCTEST_CASES: Final = "cases.txt"  # hidden cases that are written out, instead of `cases.py`
DATES: Final = {"visible_from": "visible_from", "due": "due_at"}
"""The keys of dates in the file, with their names in a definition."""

SECTION_DATES: Final = {**DATES, "cut_off": "cut_off_at"}  # the same for the dates of a section
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
"""The endings of a case's files, by the fields that they hold."""
VALIDATOR: Final = "validator"

PROGRAM_KEYS: Final = (
    *("slug", "title", "language", "main", "options", "editable", "required", "warnings", "warning_points"),
    *("cpu_s", "memory_mib", "output_kib", "comparator", "points", "gate", "visible", "shows"),
)
"""The settings of a program question that are in the settings file."""

KEPT: Final[Mapping[str, str]] = {
    "text": TEXT,
    "cases": "cases/visible and cases/hidden",
    **{name: f"the folder {folder}" for name, folder in FOLDERS.items()},
}
"""The fields of a program question that are not in the settings file, with the place of each."""

# The fields of a comparator that settings do not contain
OF_COMPARATORS: Final = {"source": CHECKER, "files": "the folder validator"}


def submission_path(file: str) -> str:
    """The path of a Python file within `submissions`; "" for any other file."""
    folder, _, path = file.partition("/")
    return path if folder == "submissions" and path.endswith(".py") else ""


def file_of(place: Sequence[str | int], data: Mapping[str, Any]) -> str:
    """The file that holds the text at this place of a definition; "" for a value in the settings."""
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


def file_at(place: Sequence[str | int], slug: str, data: Mapping[str, Any]) -> str:
    """The file that holds the text at this place of a program question; "" for a value in the settings."""
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


@dataclass(frozen=True, slots=True)
class PackagedGames:
    """The games that are not built in. `names` has their whole names (`hearts@0123456789abcdef`) by slug. `unfit` are
    other games, which cannot be used, each with a sentence that says why and what to do."""

    names: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """The whole name of a game, from its name in a file. Raises UnknownGame for a game that cannot be used."""
        if name in self.unfit:
            raise UnknownGame(self.unfit[name])
        return self.names.get(name, name)

    def short(self, name: str) -> str:
        """The name of a game as it is written in files: without its hash, if `full` would add the same hash."""
        slug = parse_name(name).slug
        return slug if self.names.get(slug) == name else name


NO_GAMES: Final = PackagedGames()  # only those that are built in


_ASSIGNMENT_DEFAULTS: Final = ("counts", "trial_games", "custom_games_hour")
_QUESTION_DEFAULTS: Final = ("points", "call_s", "gate", "shows")
_TOURNAMENT_DEFAULTS: Final = tuple(name for name in Ladder.model_fields if name not in {"slug", "title", "question"})
_NEEDED: Final = {"slug": "q", "title": "q", "function": "q"}
"""The fields that every question needs; with these, a question can be built to test the defaults."""


class Defaults(BaseModel):
    """Default values by setting, as in the file: for assignments, for their questions, and for their tournaments."""

    model_config = ConfigDict(frozen=True)

    assignment: Mapping[str, Any] = Field(default_factory=dict)
    questions: Mapping[str, Any] = Field(default_factory=dict)
    tournaments: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def programs(self) -> dict[str, Any]:
        """The questions' defaults that apply to a program question, which has no calls and no twins of cases."""
        own = {key: each for key, each in self.questions.items() if key in ProgramQuestion.model_fields}
        return {key: each for key, each in own.items() if (key, each) != ("shows", Shows.TWIN)}


NO_DEFAULTS: Final = Defaults()


def read_defaults(toml: TomlFile) -> tuple[Defaults, list[Problem]]:
    """The defaults of a course, and what is wrong with them."""
    given = toml.data.get("defaults", {})
    if not isinstance(given, dict):
        return NO_DEFAULTS, [toml.problem(("defaults",), "Write the defaults as a table: [defaults].")]
    tables = {"questions": given.get("questions", {}), "tournaments": given.get("tournaments", {})}
    own = {key: each for key, each in given.items() if key not in tables}
    problems = [
        *_wrong_in(toml, ("defaults",), own, (*_ASSIGNMENT_DEFAULTS, *tables), Definition, {"title": "q"}),
        *_wrong_in(toml, ("defaults", "questions"), tables["questions"], _QUESTION_DEFAULTS, FunctionQuestion, _NEEDED),
        *_wrong_in(toml, ("defaults", "tournaments"), tables["tournaments"], _TOURNAMENT_DEFAULTS, Ladder, {}),
    ]
    if problems:
        return NO_DEFAULTS, problems
    return Defaults(assignment=own, **tables), []


def _wrong_in(
    toml: TomlFile,
    place: tuple[str, ...],
    given: Any,
    known: tuple[str, ...],
    model: type[DefinitionModel],
    needed: Mapping[str, str],
) -> Iterator[Problem]:
    """Return what is wrong with one table of defaults, which is tested in a `model` that has no other values except
    `needed`."""
    if not isinstance(given, dict):
        yield toml.problem(place, f"Write these defaults as a table: [{'.'.join(place)}].")
        return
    for key in given:
        if key not in known:
            yield toml.problem((*place, key), f"There is no default {key} here. {near(key, known)}")
    try:
        model.model_validate(plain({**{key: given[key] for key in given if key in known}, **needed}))
    except ValidationError as error:
        for item in error.errors():
            yield toml.problem((*place, *item["loc"]), said((*place, *item["loc"]), item))
