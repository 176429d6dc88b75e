"""What the folder of an assignment does not say itself: the defaults in the course's course.toml, and which game
`game = "hearts"` means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.authoring.course_folder.problems import Problem, TomlFile, near, plain, said
from grader.definition.model import Definition, Ladder
from grader.definition.question import DefinitionModel, FunctionQuestion, ProgramQuestion, Shows
from tournament.games.options import UnknownGame, parse_name


@dataclass(frozen=True, slots=True)
class PackagedGames:
    """The games that are not built in: `names` are their whole names (`hearts@0123456789abcdef`) by slug, and `unfit`
    others that cannot be used, each with a sentence about why, and about what to do."""

    names: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """The whole name of the game that is written so. Raises UnknownGame for one that cannot be used."""
        if name in self.unfit:
            raise UnknownGame(self.unfit[name])
        return self.names.get(name, name)

    def short(self, name: str) -> str:
        """How a game is written: without its hash if `full` adds it again."""
        slug = parse_name(name).slug
        return slug if self.names.get(slug) == name else name


NO_GAMES: Final = PackagedGames()
"""Only those that are built in."""


ASSIGNMENT: Final = ("counts", "trial_games", "custom_games_hour")
QUESTIONS: Final = ("points", "call_s", "gate", "shows")
TOURNAMENTS: Final = tuple(name for name in Ladder.model_fields if name not in {"slug", "title", "question"})
NAMED: Final = {"slug": "q", "title": "q", "function": "q"}
"""What a question cannot do without, to try its defaults with."""


class Defaults(BaseModel):
    """Values by setting, as in the file: for assignments, for their questions, and for their tournaments."""

    model_config = ConfigDict(frozen=True)

    assignment: Mapping[str, Any] = Field(default_factory=dict)
    questions: Mapping[str, Any] = Field(default_factory=dict)
    tournaments: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def programs(self) -> dict[str, Any]:
        """Those of the questions' defaults that a program question can have: it has no calls, and no twins of cases."""
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
        *_problems(toml, ("defaults",), own, (*ASSIGNMENT, *tables), Definition, {"title": "q"}),
        *_problems(toml, ("defaults", "questions"), tables["questions"], QUESTIONS, FunctionQuestion, NAMED),
        *_problems(toml, ("defaults", "tournaments"), tables["tournaments"], TOURNAMENTS, Ladder, {}),
    ]
    if problems:
        return NO_DEFAULTS, problems
    return Defaults(assignment=own, **tables), []


def _problems(
    toml: TomlFile,
    place: tuple[str, ...],
    given: Any,
    known: tuple[str, ...],
    model: type[DefinitionModel],
    needed: Mapping[str, str],
) -> Iterator[Problem]:
    """What is wrong with one table of defaults: they are tried in a `model` that has only what is `needed` besides."""
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
