"""The settings of a final."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from tournament.final.marks import BadMarks, Step, check_table, equal_bands, parse_table
from tournament.store.tables import Ranking
from tournament.store.validation import BadForm, by_field

MOST_GAMES = 100_000


class FinalSettings(BaseModel):
    """`first_games` and `most_games` are games that count, for each entry; `marks`: see `tournament.final.marks`."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    first_games: int = Field(200, ge=4, le=MOST_GAMES)
    most_games: int = Field(400, ge=4, le=MOST_GAMES)
    fault_limit: int = Field(10, ge=1, le=MOST_GAMES)
    ranking: Ranking = Ranking.WIN_RATE
    marks: tuple[Step, ...] = equal_bands()

    @field_validator("marks")
    @classmethod
    def _marks_make_sense(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        check_table(steps)
        return steps

    @field_validator("most_games")
    @classmethod
    def _most_is_most(cls, most: int, info: ValidationInfo) -> int:
        first = info.data.get("first_games", 0)
        if most < first:
            raise ValueError(f"This is less than the first stage's {first} games, which everybody plays.")
        return most

    @field_validator("fault_limit")
    @classmethod
    def _somebody_can_be_put_out(cls, limit: int, info: ValidationInfo) -> int:
        first = info.data.get("first_games", limit)
        if limit > first:
            raise ValueError(f"With {first} games in the first stage, {limit} faults would put nobody out.")
        return limit


class BadFinalSettings(BadForm):
    """`problems` has a message for each setting that makes no sense."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(problems, " ".join(f"{name.replace('_', ' ')}: {text}" for name, text in problems.items()))


def parse_settings(given: Mapping[str, Any]) -> FinalSettings:
    """Settings from what somebody typed. `marks` is the text of a table; if it is empty, `bands` is the number of equal
    bands. Raises BadFinalSettings."""
    values = {name: value for name, value in given.items() if name in FinalSettings.model_fields and value != ""}
    problems = {}
    try:
        if text := str(values.pop("marks", "")).strip():
            values["marks"] = parse_table(text)
        elif bands := str(given.get("bands", "")).strip():
            values["marks"] = equal_bands(int(bands) if bands.isdecimal() and len(bands) < 5 else 0)
    except BadMarks as error:
        problems["marks" if text else "bands"] = str(error)
    try:
        settings = FinalSettings.model_validate(values)
    except ValidationError as error:
        problems |= by_field(error)
    if problems:
        raise BadFinalSettings(problems)
    return settings
