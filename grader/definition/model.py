"""What an assignment asks: plain data that is made on the site or read from a course folder, and stored as a version.

A definition holds texts of Python programs (`cases`, `solution`, a checker). They run in the sandbox and nowhere else.
"""

import json
import keyword
from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from grader.definition.comparators import Comparator, Exact
from tournament.games import find_game
from tournament.games.api import STANDARD, Game
from tournament.games.options import with_options
from tournament.ladder.settings import LadderSettings
from tournament.store.tables import Ranking

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[
    str,
    StringConstraints(max_length=256 << 10),
    AfterValidator(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")),  # browsers send \r\n
]
Minutes = Annotated[
    float,
    Field(allow_inf_nan=False),
    AfterValidator(lambda minutes: round(minutes * 60) / 60),  # whole seconds, as ladders keep them
]
PlayerPath = Annotated[
    str, StringConstraints(pattern=r"^(accepted|wrong)/[A-Za-z0-9_][A-Za-z0-9_.-]*\.py$", max_length=100)
]


TRIAL_GAMES = 8
"""The number played before an entry unless an instructor has chosen otherwise, see `tournament.custom.trials`."""


class Counts(StrEnum):
    """Which of a student's uploads counts for the points of an assignment."""

    LAST = "last"
    BEST = "best"


class DefinitionModel(BaseModel):
    """A part of a definition; it never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Gate(StrEnum):
    """How much of a question must pass before a player may enter."""

    NONE = "none"
    EXAMPLES = "examples"  # those that every student can see
    ALL = "all"


class Shows(StrEnum):
    """What a student sees of the hidden cases that fail."""

    ALL = "all"  # the shortest of them, as many as a report keeps
    SMALLEST = "smallest"  # the shortest one
    TWIN = "twin"  # a case of the same kind that is not graded and fails too
    NUMBER = "number"  # how many


class Question(DefinitionModel):
    """A function that the student writes, and how it is checked.

    `parameters` are its names in order; `arities` the numbers of arguments it is called with, by default all of them.
    `method` is what the student writes where that is not the function itself, which is then made from it (see
    `tournament.games.api.Guest.adapter`). `cases` is the text of `cases.py`, or doctest text like `examples`. `call_s`
    are seconds of CPU time. A question that is not `visible` is neither shown nor graded.
    """

    slug: Slug
    title: Title
    function: str
    parameters: tuple[str, ...] = ()
    arities: tuple[Annotated[int, Field(ge=0, le=50)], ...] = ()
    method: str = ""
    text: Text = ""
    examples: Text = ""
    cases: Text = ""
    solution: Text = ""
    comparator: Comparator = Exact()
    points: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)
    call_s: float = Field(default=1.0, gt=0, le=30)
    gate: Gate = Gate.EXAMPLES
    visible: bool = True
    shows: Shows = Shows.TWIN

    @field_validator("function")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} cannot be the name of a Python function.")
        return name

    @model_validator(mode="after")
    def _knows_its_arguments(self) -> "Question":
        if not self.arities:
            object.__setattr__(self, "arities", (len(self.parameters),))
        return self

    @property
    def has_doctest_cases(self) -> bool:
        """Whether the hidden cases are written out like the examples, instead of made by a program."""
        return self.cases.lstrip().startswith(">>>")

    @property
    def written(self) -> str:
        """The name of what the student writes."""
        return self.method or self.function


class Ladder(DefinitionModel):
    """A ladder of the assignment. One that hangs on a `question` asks for all of that question's cases as well."""

    slug: Slug = STANDARD
    title: Title = "Standard tournament"
    question: str = ""
    exclusion_minutes: Minutes = 10.0
    out_exclusion_minutes: Minutes = 2.0
    fault_limit: int = 10
    target_games: int = 400
    active_limit: int = 1
    ranking: Ranking = Ranking.WIN_RATE

    @property
    def settings(self) -> LadderSettings:
        """What an instructor may change while it runs. Raises pydantic's ValidationError."""
        return LadderSettings.model_validate(self.model_dump(exclude={"slug", "title", "question"}))

    @model_validator(mode="after")
    def _has_good_settings(self) -> "Ladder":
        _ = self.settings
        return self


class Definition(DefinitionModel):
    """An assignment.

    `text` is Markdown. `game` is the game's slug, with its hash if it is a department's own; without one, the
    assignment is a plain problem set. `options` are those that differ from the game's defaults. `starter` is the file
    that students begin with. `counts`: which of the uploads in time counts for the points. `visible_from`: None means
    at once. `submissions` are the author's own players by path (`wrong/no_return.py`), each with the result that it
    must get in its first line.
    """

    title: Title
    text: Text = ""
    game: str = ""
    options: Mapping[str, int | bool | str] = Field(default_factory=dict)
    starter: Text = ""
    questions: tuple[Question, ...] = ()
    tournaments: tuple[Ladder, ...] = ()
    visible_from: AwareDatetime | None = None
    due_at: AwareDatetime | None = None
    counts: Counts = Counts.LAST
    trial_games: int = Field(default=TRIAL_GAMES, ge=0, le=100)
    custom_games_hour: int = Field(default=20, ge=0, le=1000)
    submissions: Mapping[PlayerPath, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> "Definition":
        slugs = [question.slug for question in self.questions]
        for what, names in (("questions", slugs), ("tournaments", [each.slug for each in self.tournaments])):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice:
                raise ValueError(f"Two {what} are called {twice!r}.")
        for ladder in self.tournaments:
            if ladder.question and ladder.question not in slugs:
                raise ValueError(
                    f"The tournament {ladder.slug!r} hangs on the question {ladder.question!r}, which does not exist."
                )
        if self.tournaments and not self.game:
            raise ValueError("An assignment without a game cannot have tournaments.")
        return self

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that are shown and graded."""
        return tuple(question for question in self.questions if question.visible)

    @property
    def max_points(self) -> float:
        """The points for everything that is asked."""
        return sum(question.points for question in self.asked)

    @property
    def digest(self) -> str:
        """The SHA-256 of everything in it: equal for equal definitions."""
        return sha256(to_json(self).encode()).hexdigest()


def game_of(definition: Definition) -> Game[Any]:
    """The definition's game with its options. Raises UnknownGame."""
    return with_options(find_game(definition.game), definition.options)


def game_name(definition: Definition) -> str:
    """The whole name of its game (see `tournament.games.names`); "" without a game. Raises UnknownGame."""
    return game_of(definition).name if definition.game else ""


def to_json(definition: Definition) -> str:
    """Canonical JSON, as it is stored."""
    return json.dumps(definition.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def from_json(text: str) -> Definition:
    """The definition that `to_json` wrote."""
    return Definition.model_validate_json(text)
