"""The final's decisions: its settings, whom it seats next, and when it ends: plain functions on plain data.

A final is played in rounds. In the first stage every survivor plays until it has `first_games` games that count; in
the second only those play on whose interval crosses a line between two marks, until it crosses none or they have
`most_games`. Whoever has `fault_limit` faults at the end of a round is out from the next one on.

A round is a function of the final's seed and of the results of the rounds before, in whatever order those came in: so
a record of the games is also a proof of who had to play whom. Entries are numbered from 0 in the order of the freeze.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from tournament.final.marks import BadMarks, Step, check_table, equal_bins, lines, parse_table
from tournament.ladder.schedule import Candidate, Meetings, next_tables
from tournament.ranking.ratings import Rating, Tally, rate
from tournament.ranking.strength import strengths
from tournament.store.tables import Ranking
from tournament.store.validation import sentence

PATIENCE = 3
"""An entry stops wanting games once it sat in so many times as many as it should have: others' faults spoil games, and
a final must end."""

DIGITS = 9
"""Figures are rounded to so many decimals before they are compared: the last bits differ between machines."""

GRAIN = 64
"""Guesses of strength are rounded to multiples of 1/GRAIN: then sums of them are exact, in whatever order."""


class FinalError(Exception):
    """Something cannot be done with a final as it is; the message says why."""


class Settings(BaseModel):
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


class BadSettings(ValueError):
    """Settings that make no sense. `problems` has a message for each field that is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = problems
        super().__init__(" ".join(f"{name.replace('_', ' ')}: {text}" for name, text in problems.items()))


def parse_settings(given: Mapping[str, Any]) -> Settings:
    """Settings from what somebody typed; `marks` is the text of a table, or empty, and then `bins` their number.

    Raises BadSettings."""
    values = {name: value for name, value in given.items() if name in Settings.model_fields and value != ""}
    problems = {}
    try:
        if text := str(values.pop("marks", "")).strip():
            values["marks"] = parse_table(text)
        elif bins := str(given.get("bins", "")).strip():
            values["marks"] = equal_bins(int(bins) if bins.isdecimal() and len(bins) < 5 else 0)
    except BadMarks as error:
        problems["marks" if text else "bins"] = str(error)
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems |= {str(item["loc"][0]): sentence(item) for item in error.errors()}
    if problems:
        raise BadSettings(problems)
    return settings


class Stage(StrEnum):
    """What the next round is for."""

    FIRST = "first"
    LINES = "lines"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Contender:
    """An entry of the final and what it has done. `seated`: games it sat in, whether they count or not."""

    tally: Tally
    faults: int = 0
    seated: int = 0
    house: bool = False


def derive(root: str, what: str, number: int) -> int:
    """A seed made from the final's `root`: 53 bits, so that JavaScript holds it. `what` is `block` or `round`."""
    digest = blake2b(f"{root} {what} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 11


def survives(settings: Settings, contender: Contender) -> bool:
    """Whether the entry may play on; house bots are never put out."""
    return contender.house or contender.faults < settings.fault_limit


def board(settings: Settings, contenders: Sequence[Contender]) -> list[Rating | None]:
    """The surviving students' ratings; None for the others."""
    kept = [each for each in contenders if not each.house and survives(settings, each)]
    rated = iter(rate([each.tally for each in kept], settings.ranking))
    return [next(rated) if not each.house and survives(settings, each) else None for each in contenders]


def doubtful(settings: Settings, contenders: Sequence[Contender]) -> set[int]:
    """The survivors whose 95% interval crosses a line between two marks."""
    rated = {index: rating for index, rating in enumerate(board(settings, contenders)) if rating and rating.position}
    figures = {index: _figures(settings, rating) for index, rating in rated.items()}
    ranks = [rating.position.rank for rating in rated.values() if rating.position]
    ends = [round(end, DIGITS) for end in lines(settings.marks, [value for value, *_ in figures.values()], ranks)]
    return {index for index, (_, low, high) in figures.items() if any(low < end < high for end in ends)}


def _figures(settings: Settings, rating: Rating) -> tuple[float, float, float]:
    """What the final ranks by, more is better, and its interval."""
    value, low, high = rating.value, rating.value_low, rating.value_high
    if settings.ranking is Ranking.PLACE:
        value, low, high = -value, -high, -low
    return round(value, DIGITS), round(low, DIGITS), round(high, DIGITS)


def wanting(settings: Settings, contenders: Sequence[Contender]) -> tuple[Stage, set[int]]:
    """The stage, and who must play in the next round."""
    students = {i for i, each in enumerate(contenders) if not each.house and survives(settings, each)}
    first = {i for i in students if _wants(contenders[i], settings.first_games)}
    if first:
        return Stage.FIRST, first
    able = {i for i in students if _wants(contenders[i], settings.most_games)}
    more = able & doubtful(settings, contenders) if able else set()
    return (Stage.LINES, more) if more else (Stage.DONE, set())


def _wants(contender: Contender, games: int) -> bool:
    return contender.tally.games < games and contender.seated < PATIENCE * games


def next_round(
    settings: Settings, sizes: Sequence[int], contenders: Sequence[Contender], met: Meetings, seed: int
) -> list[tuple[int, ...]]:
    """The tables of the next round, each to be played as a block; none when the final is over.

    Everybody who must play sits at one table or more; survivors of all strengths fill the seats that are left.
    `seed` is the round's.
    """
    _, wanted = wanting(settings, contenders)
    if not wanted:
        return []
    guesses = _guesses(contenders)
    students = sum(not each.house and survives(settings, each) for each in contenders)
    candidates = [
        Candidate(index, 0 if index in wanted else sizes[0], index, each.house, guesses[index])
        for index, each in enumerate(contenders)
        if survives(settings, each) and (not each.house or students < sizes[0])
    ]
    return next_tables(candidates, sizes, len(wanted), 1, met, Random(seed))


def _guesses(contenders: Sequence[Contender]) -> list[float]:
    tallies = [each.tally for each in contenders]
    guesses: list[float] = strengths([each.games for each in tallies], [-each.places for each in tallies]).tolist()
    return [round(guess * GRAIN) / GRAIN for guess in guesses]
