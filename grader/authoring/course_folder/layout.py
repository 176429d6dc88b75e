"""Defines the contents of each file in an assignment's folder. Also reads two things from outside the folder: the
defaults in course.toml, and the game that `game = "hearts"` refers to."""

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
DOCTEST_CASES: Final = "cases.txt"  # hidden cases in the form of examples, instead of `cases.py`
DATES: Final = {"visible_from": "visible_from", "due": "due_at"}
"""The keys of dates in the settings file, with the names of their fields in a definition."""

SECTION_DATES: Final = {**DATES, "cut_off": "cut_off_at"}  # also the date that only sections have
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
"""The endings of a case's files, by the fields that the files contain."""
VALIDATOR: Final = "validator"

PROGRAM_KEYS: Final = (
    *("slug", "title", "language", "main", "options", "editable", "required", "warnings", "warning_points"),
    *("cpu_s", "memory_mib", "output_kib", "comparator", "points", "gate", "visible", "shows"),
)
"""The fields of a program question that belong in the settings file."""

KEPT: Final[Mapping[str, str]] = {
    "text": TEXT,
    "cases": "cases/visible and cases/hidden",
    **{name: f"the folder {folder}" for name, folder in FOLDERS.items()},
}
"""The fields of a program question that belong elsewhere, with the file or folder of each."""

# The fields of a comparator that belong in other files
OF_COMPARATORS: Final = {"source": CHECKER, "files": "the folder validator"}


def submission_path(file: str) -> str:
    """Return the path of a Python file relative to `submissions`; "" for any other file."""
    folder, _, path = file.partition("/")
    return path if folder == "submissions" and path.endswith(".py") else ""


def file_of(place: Sequence[str | int], data: Mapping[str, Any]) -> str:
    """Return the file that contains the text at this place of a definition; "" for a value in the settings file."""
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
    """Return the file that contains the text at this place of a program question; "" for a value in the settings
    file."""
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
    """The games that are not built in. `names` contains their full names (`hearts@0123456789abcdef`) by slug. `unfit`
    contains unusable games by name, each with a sentence that says why and what to do."""

    names: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """Return the full name of a game that is named in a file. Raises UnknownGame for an unusable game."""
        if name in self.unfit:
            raise UnknownGame(self.unfit[name])
        return self.names.get(name, name)

    def short(self, name: str) -> str:
        """Return the name of a game for use in files: without its hash if `full` restores the same hash."""
        slug = parse_name(name).slug
        return slug if self.names.get(slug) == name else name


NO_GAMES: Final = PackagedGames()  # only built-in games


_ASSIGNMENT_DEFAULTS: Final = ("counts", "trial_games", "custom_games_hour")
_QUESTION_DEFAULTS: Final = ("points", "call_s", "gate", "shows")
_TOURNAMENT_DEFAULTS: Final = tuple(name for name in Ladder.model_fields if name not in {"slug", "title", "question"})
_NEEDED: Final = {"slug": "q", "title": "q", "function": "q"}
"""The required fields of a question, with values that serve to test the defaults."""


class Defaults(BaseModel):
    """Default values by setting, named as in course.toml, for assignments, questions and tournaments."""

    model_config = ConfigDict(frozen=True)

    assignment: Mapping[str, Any] = Field(default_factory=dict)
    questions: Mapping[str, Any] = Field(default_factory=dict)
    tournaments: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def programs(self) -> dict[str, Any]:
        """The defaults that apply to program questions, which have neither calls nor twins."""
        own = {key: each for key, each in self.questions.items() if key in ProgramQuestion.model_fields}
        return {key: each for key, each in own.items() if (key, each) != ("shows", Shows.TWIN)}


NO_DEFAULTS: Final = Defaults()


def read_defaults(toml: TomlFile) -> tuple[Defaults, list[Problem]]:
    """Return the defaults of a course, and the problems in them."""
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
    """Yield the problems in one table of defaults, found by building a `model` from the table and the `needed`
    fields."""
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
