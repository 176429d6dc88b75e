"""What makes up the mark of an assignment and the total of a course, as instructors set it. Plain data."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field, model_validator

from grader.definition.question import DefinitionModel, Title
from grader.marks.late import LatePolicy

LARGEST = 10_000.0
MOST_ITEMS = 20
Worth = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


class RubricItem(DefinitionModel):
    """Something that staff mark by hand, such as style, with `most` marks. Those of a `bonus` come on top of the
    possible marks. `key` stays the same when the title changes."""

    key: str = Field(pattern=r"^[a-z0-9]{1,12}$")
    title: Title
    most: float = Field(gt=0, le=LARGEST, allow_inf_nan=False)
    bonus: bool = False


class MarkScheme(DefinitionModel):
    """How the mark of an assignment comes about. `points_worth`: the marks for all points of the questions;
    `tournament_worth`: those for the best mark of the final. None: points and marks are added as they are."""

    late: LatePolicy = LatePolicy()
    points_worth: Worth | None = None
    tournament_worth: Worth | None = None
    rubric: Annotated[tuple[RubricItem, ...], Field(max_length=MOST_ITEMS)] = ()
    decimals: int = Field(default=2, ge=0, le=4)

    @model_validator(mode="after")
    def _has_different_items(self) -> "MarkScheme":
        keys, titles = [each.key for each in self.rubric], [each.title.casefold() for each in self.rubric]
        if len({*keys}) < len(keys) or len({*titles}) < len(titles):
            raise ValueError("Two items of the rubric have the same name.")
        return self

    @property
    def rubric_most(self) -> float:
        """The marks of the rubric that are no bonus."""
        return sum(each.most for each in self.rubric if not each.bonus)


class CourseScheme(DefinitionModel):
    """How the total of a course comes about: the weight of each assignment by its id (those that are not named count
    their possible marks), and how many late days each student may spend in all."""

    weights: Mapping[int, Worth] = Field(default_factory=dict)
    late_days: int = Field(default=0, ge=0, le=1000)


def divisions_by_nothing(scheme: MarkScheme, points_most: float, tournament_most: float) -> dict[str, str]:
    """What cannot be scaled because there is none of it, by field."""
    found = {}
    if scheme.points_worth and not points_most:
        found["points_worth"] = (
            "The questions have 0 points in all, so they cannot be scaled to any number of marks. Give the questions "
            "points, or leave this empty."
        )
    if scheme.tournament_worth and not tournament_most:
        found["tournament_worth"] = (
            "The best mark of the tournament is 0, so it cannot be scaled to any number of marks. Leave this empty."
        )
    return found


def in_words(scheme: MarkScheme, points_most: float, tournament_most: float) -> list[str]:
    """The formula, a line for each part."""
    said: list[str] = []
    for what, worth, most in (
        ("the points of the questions", scheme.points_worth, points_most),
        ("the mark of the final", scheme.tournament_worth, tournament_most),
    ):
        if most:
            scaled = "" if worth is None or worth == most else f", scaled to {worth:g}"
            said.append(f"{what} (of {most:g}{scaled})")
    said += [f"{'the bonus ' if each.bonus else ''}“{each.title}” (of {each.most:g})" for each in scheme.rubric]
    return [f"{'plus ' if at else ''}{each}" for at, each in enumerate(said)] + (
        ["minus what lateness costs"] if scheme.late.percent else []
    )


def course_in_words(parts: Sequence[tuple[str, float]]) -> str:
    """The formula of a course, from the titles and weights of its assignments."""
    weighted = [f"{title} {weight:g}" for title, weight in parts if weight]
    in_all = sum(weight for _, weight in parts)
    return f"{in_all:g} in all: {'; '.join(weighted)}." if weighted else "Nothing counts."
