"""A question of an assignment as data: what all of them have, and those that ask for a function."""

import keyword
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from grader.comparing.comparators import Comparator, Exact

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[
    str,
    StringConstraints(max_length=256 << 10),
    AfterValidator(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")),  # browsers send \r\n
]


class DefinitionModel(BaseModel):
    """A part of a definition; it never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Gate(StrEnum):
    """How much of a question must pass before a player may enter."""

    NONE = "none"
    EXAMPLES = "examples"  # those that every student can see
    ALL = "all"


class Shows(StrEnum):
    """What a student sees of the hidden cases that fail; all but `NUMBER` also with which verdicts."""

    ALL = "all"  # the shortest of them, as many as a report keeps
    SMALLEST = "smallest"  # the shortest one
    TWIN = "twin"  # a case of the same kind that is not graded and fails too
    VERDICTS = "verdicts"  # how many, with which verdicts
    NUMBER = "number"  # how many did not pass


class Question(DefinitionModel):
    """What every question has. One that is not `visible` is neither shown nor graded."""

    slug: Slug = Field(title="short name")
    title: Title
    text: Text = ""
    points: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)
    gate: Gate = Field(Gate.EXAMPLES, title="what must pass to enter")
    visible: bool = True
    shows: Shows = Field(Shows.TWIN, title="what a student sees of a failing case")


class FunctionQuestion(Question):
    """A function that the student writes, and how it is checked.

    `parameters` are its names in order; `arities` the numbers of arguments it is called with, by default all of them.
    `method` is what the student writes where that is not the function itself, which is then made from it (see
    `tournament.games.api.Guest.adapter`). `cases` is the text of `cases.py`, or doctest text like `examples`. `call_s`
    are seconds of CPU time.
    """

    function: str
    parameters: tuple[str, ...] = ()
    arities: tuple[Annotated[int, Field(ge=0, le=50)], ...] = Field((), title="numbers of arguments")
    method: str = Field("", title="what the student writes")
    examples: Text = ""
    cases: Text = Field("", title="hidden cases")
    solution: Text = ""
    comparator: Comparator = Exact()
    call_s: float = Field(default=1.0, gt=0, le=30, title="time limit")

    @field_validator("function")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} cannot be the name of a Python function.")
        return name

    @model_validator(mode="after")
    def _knows_its_arguments(self) -> "FunctionQuestion":
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


def label(slug: str) -> str:
    """What a question is called on pages: `Q3A`, `Bonus question`."""
    return slug.upper() if slug[1:2].isdigit() else f"{slug.capitalize()} question"
