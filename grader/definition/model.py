"""The definition of an assignment as plain data. It is written on the site or read from a course folder, and stored as
a version.

A definition contains the source of Python programs (`cases`, `solution`, checkers). They run only in the sandbox.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Discriminator, Field, StringConstraints, Tag, model_validator
from pydantic_core import ErrorDetails

from grader.definition.question import DefinitionModel, FunctionQuestion, Gate, ProgramQuestion, Slug, Text, Title
from tournament.games.api import Game
from tournament.games.options import with_options
from tournament.ladder.settings import LadderSettings
from tournament.play.games import find_game
from tournament.store.tables import Ranking
from tournament.store.tournament_tables import EXCLUSION_S, FAULT_LIMIT, OUT_EXCLUSION_S, TARGET_GAMES

Minutes = Annotated[
    float,
    Field(allow_inf_nan=False),
    AfterValidator(lambda minutes: round(minutes * 60) / 60),  # whole seconds, as ladders store them
]
PlayerPath = Annotated[
    str, StringConstraints(pattern=r"^(accepted|wrong)/[A-Za-z0-9_][A-Za-z0-9_.-]*\.py$", max_length=100)
]


STANDARD = "standard"  # the slug of every assignment's standard tournament
TRIAL_GAMES = 8
"""The default number of trial games before an entry; see `tournament.practice.trials`."""


class Counts(StrEnum):
    """Which of a student's uploads determines the points for an assignment."""

    LAST = "last"
    BEST = "best"
    CHOSEN = "chosen"  # the student's choice; without a choice, the last upload


UNNAMED = "Standard tournament"
"""The default title of a ladder. Pages show the game's title instead; see `Ladder.shown_title`."""


class Ladder(DefinitionModel):
    """A ladder of the assignment. If it has a `question`, a player must also pass all cases of that question to
    enter."""

    slug: Slug = STANDARD
    title: Title = UNNAMED
    question: str = Field("", title="question that must be passed")
    exclusion_minutes: Minutes = EXCLUSION_S / 60
    out_exclusion_minutes: Minutes = OUT_EXCLUSION_S / 60
    fault_limit: int = FAULT_LIMIT
    target_games: int = TARGET_GAMES
    active_limit: int = 1
    ranking: Ranking = Ranking.WIN_RATE

    def shown_title(self, game: str) -> str:
        """Return the title for pages: the ladder's own title, or else the game's."""
        return f"{find_game(game).title} tournament" if self.title == UNNAMED else self.title

    @property
    def settings(self) -> LadderSettings:
        """The settings that an instructor may change while the ladder runs. Raises ValidationError (pydantic)."""
        return LadderSettings.model_validate(self.model_dump(exclude={"slug", "title", "question"}))

    @model_validator(mode="after")
    def _has_good_settings(self) -> "Ladder":
        _ = self.settings
        return self


def _asks_for(question: Any) -> str:
    """Return the kind of a question or of its data: program or function. The data contains no field for the kind,
    because it must have the same form as in assignments from before program questions existed."""
    asks = "language" in question if isinstance(question, Mapping) else isinstance(question, ProgramQuestion)
    return PROGRAM if asks else FUNCTION


PROGRAM, FUNCTION = "program", "function"
AnyQuestion = Annotated[
    Annotated[FunctionQuestion, Tag(FUNCTION)] | Annotated[ProgramQuestion, Tag(PROGRAM)], Discriminator(_asks_for)
]


def place_of(item: ErrorDetails) -> tuple[int | str, ...]:
    """Return the place of an error in a definition's data, without pydantic's tag for the kind of question."""
    match item["loc"]:
        case ("questions", int(at), "program" | "function", *rest):
            return ("questions", at, *rest)
    return item["loc"]


class Definition(DefinitionModel):
    """An assignment. `text` is Markdown. `game` is the game's slug, with its hash if it is a department's own game;
    without a game, the assignment is a plain problem set. `options` are the options that differ from the game's
    defaults. `starter` is the file that students begin with. `counts` says which of the uploads in time determines
    the points. `visible_from` is None if students see the assignment immediately. `section_dates` are keyed by
    section (see `grader.definition.local_times`); None leaves them unchanged on the site. `submissions` are the
    author's own players by path (`wrong/no_return.py`), each with its expected result in its first line."""

    title: Title
    text: Text = ""
    game: str = ""
    options: Mapping[str, int | bool | str] = Field(default_factory=dict)
    starter: Text = Field("", title="starter file")
    questions: tuple[AnyQuestion, ...] = ()
    tournaments: tuple[Ladder, ...] = ()
    visible_from: AwareDatetime | None = Field(None, title="visible from")
    due_at: AwareDatetime | None = Field(None, title="deadline")
    section_dates: Mapping[str, Mapping[Literal["visible_from", "due_at", "cut_off_at"], AwareDatetime]] | None = None
    counts: Counts = Field(Counts.LAST, title="which upload counts")
    trial_games: int = Field(default=TRIAL_GAMES, ge=0, le=100, title="trial games before an entry")
    custom_games_hour: int = Field(default=20, ge=0, le=1000, title="custom games an hour")
    submissions: Mapping[PlayerPath, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> "Definition":
        slugs = [question.slug for question in self.questions]
        for what, names in (("questions", slugs), ("tournaments", [each.slug for each in self.tournaments])):
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise ValueError(f"Two {what} are called {twice!r}.")
        for ladder in self.tournaments:
            if ladder.question and ladder.question not in slugs:
                hangs = f"The tournament {ladder.slug!r} depends on the question {ladder.question!r}"
                raise ValueError(f"{hangs}, which does not exist.")
        if self.tournaments and not self.game:
            raise ValueError("An assignment without a game cannot have tournaments.")
        return self

    @property
    def asked(self) -> tuple[FunctionQuestion | ProgramQuestion, ...]:
        """The questions that are shown and graded."""
        return tuple(question for question in self.questions if question.visible)

    @property
    def gates(self) -> dict[str, Gate]:
        """What must pass before a player can enter, by question; questions from which nothing must pass are left
        out."""
        return {each.slug: each.gate for each in self.asked if each.gate is not Gate.NONE}

    @property
    def functions(self) -> tuple[FunctionQuestion, ...]:
        """The visible function questions."""
        return tuple(each for each in self.asked if isinstance(each, FunctionQuestion))

    @property
    def programs(self) -> tuple[ProgramQuestion, ...]:
        """The visible program questions."""
        return tuple(each for each in self.asked if isinstance(each, ProgramQuestion))

    @property
    def wants_player(self) -> bool:
        """Whether students upload a Python file whose functions are called."""
        return bool(self.functions or self.game)

    @property
    def max_points(self) -> float:
        """The total points of all visible questions."""
        return sum(question.points for question in self.asked)

    @property
    def digest(self) -> str:
        """The SHA-256 of the whole definition; equal definitions have equal digests."""
        return sha256(to_json(self).encode()).hexdigest()


def game_of(definition: Definition) -> Game[Any]:
    """Return the definition's game, with its options applied. Raises UnknownGame."""
    return with_options(find_game(definition.game), definition.options)


def game_name(definition: Definition) -> str:
    """Return the full name of the definition's game (see `tournament.games.options`); "" without a game. Raises
    UnknownGame."""
    return game_of(definition).name if definition.game else ""


def to_json(definition: Definition) -> str:
    """Convert a definition to canonical JSON, the form in which it is stored."""
    unsaid = {"section_dates"} if definition.section_dates is None else set()
    data = definition.model_dump(mode="json", exclude=unsaid)
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def from_json(text: str) -> Definition:
    """Read a definition from the JSON that `to_json` returned."""
    return Definition.model_validate_json(text)
