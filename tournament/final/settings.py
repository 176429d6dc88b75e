"""The settings of a final."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from tournament.final.marks import BadMarks, Step, check_table, equal_bins, parse_table
from tournament.store.tables import Ranking


class FinalSettings(BaseModel):
    """Of one final. `first_games`, `most_games`: games that count, an entry; `marks`: see `tournament.final.marks`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first_games: int = Field(200, ge=4, le=100_000)
    most_games: int = Field(400, ge=4, le=100_000)
    fault_limit: int = Field(10, ge=1, le=100_000)
    ranking: Ranking = Ranking.WIN_RATE
    marks: tuple[Step, ...] = equal_bins()

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


class BadFinalSettings(ValueError):
    """Settings that make no sense. `problems` has a message for each field that is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = problems
        super().__init__(" ".join(f"{name.replace('_', ' ')}: {text}" for name, text in problems.items()))


def parse_settings(given: Mapping[str, Any]) -> FinalSettings:
    """Settings from what somebody typed; `marks` is the text of a table, or empty, and then `bins` their number.

    Raises BadFinalSettings."""
    values = {name: value for name, value in given.items() if name in FinalSettings.model_fields and value != ""}
    problems = {}
    try:
        if text := str(values.pop("marks", "")).strip():
            values["marks"] = parse_table(text)
        elif bins := str(given.get("bins", "")).strip():
            values["marks"] = equal_bins(int(bins) if bins.isdecimal() and len(bins) < 5 else 0)
    except BadMarks as error:
        problems["marks" if text else "bins"] = str(error)
    try:
        settings = FinalSettings.model_validate(values)
    except ValidationError as error:
        problems |= {str(item["loc"][0]): _plain(item["msg"]) for item in error.errors()}
    if problems:
        raise BadFinalSettings(problems)
    return settings


def _plain(message: str) -> str:
    """Pydantic's message as a sentence."""
    if message.startswith("Input should be a valid integer"):
        return "This must be a whole number."
    message = message.removeprefix("Value error, ").removesuffix(".").replace("Input should be", "This must be")
    message = message.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")
    return f"{message}."
