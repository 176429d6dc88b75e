"""The settings of a final, and its marks from survival and rank. Plain functions on plain data.

An entry that was put out gets 0. The survivors are ranked and fall into bands, by default ten equal ones worth 1.0 down
to 0.1 (RULES.md, the original tournament servers). An instructor's own table has a line for each band, the best first:

    top 3 = 1
    top 10% = 0.9
    top 1/2 = 0.7
    rest = 0.4

Entries with equal ranks share the better band.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from sandbox import patterns
from tournament.store.tables import Ranking
from tournament.store.validation import BadForm, by_field

MOST_GAMES = 100_000
BANDS = 10
MOST_BANDS = 100
LARGEST_MARK = 1000
REST = "rest"
LINE = patterns.compile(r"(?i)(?:top\s+)?(rest|\d+(?:\.\d+)?\s*%|\d+\s*/\s*\d+|\d+)\s*(?:=|:)\s*(\S+)")


class BadMarks(ValueError):
    """A table of marks is invalid; the message says where and why."""


@dataclass(frozen=True, slots=True)
class MarkBand:
    """A band: its reach (`3`: down to rank 3; `10%` or `1/10`: the best tenth; `rest`: everybody else) and its mark."""

    reach: str
    mark: float


def equal_bands(number: int = BANDS) -> tuple[MarkBand, ...]:
    """Return equal bands worth 1 down to 1/number; raises BadMarks."""
    if not 1 <= number <= MOST_BANDS:
        raise BadMarks(f"There can be 1 to {MOST_BANDS} bands, not {number}.")
    reaches = [*(f"{index}/{number}" for index in range(1, number)), REST]
    return tuple(MarkBand(reach, round((number - index) / number, 4)) for index, reach in enumerate(reaches))


def parse_table(text: str) -> tuple[MarkBand, ...]:
    """Read an instructor's own table, one band per line; raises BadMarks."""
    bands = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = LINE.fullmatch(line.strip())
        if not found:
            raise BadMarks(f"Line {number}, {line.strip()!r}, does not look like “top 10% = 0.9” or “rest = 0.1”.")
        try:
            mark = float(found[2])
        except ValueError:
            raise BadMarks(f"Line {number}: {found[2]!r} is not a number.") from None
        bands.append(MarkBand(patterns.compile(r"\s").sub("", found[1]).lower(), mark))
    check_table(bands)
    return tuple(bands)


def show_table(bands: Sequence[MarkBand]) -> str:
    """Return the table as an instructor writes it."""
    return "\n".join(f"{'' if band.reach == REST else 'top '}{band.reach} = {band.mark:g}" for band in bands)


def check_table(bands: Sequence[MarkBand]) -> None:
    """Check that every rank gets a mark, that better ranks get no worse marks, and that every line has an effect.
    Raises BadMarks."""
    if not bands or bands[-1].reach != REST:
        raise BadMarks("The last line must be “rest = …”, so that every survivor gets a mark.")
    if len(bands) > MOST_BANDS:
        raise BadMarks(f"A table has at most {MOST_BANDS} lines, not {len(bands)}.")
    former: dict[bool, Fraction | int] = {}
    for number, band in enumerate(bands, 1):
        if not 0 <= band.mark <= LARGEST_MARK or band.mark != round(band.mark, 4):
            raise BadMarks(f"Line {number}: a mark must be from 0 to {LARGEST_MARK}, with at most four decimals.")
        if number > 1 and band.mark > bands[number - 2].mark:
            raise BadMarks(f"Line {number} gives worse ranks a better mark than the line before it.")
        if band.reach == REST:
            if number < len(bands):
                raise BadMarks(f"Line {number}: “rest” must be the last line.")
            continue
        reach = _reach(band.reach, number)
        kind = isinstance(reach, int)
        if reach <= former.get(kind, 0):
            raise BadMarks(
                f"Line {number}, “top {band.reach}”, covers nobody whom the lines before it do not cover already."
            )
        former[kind] = reach


def _reach(reach: str, number: int = 0) -> int | Fraction:
    """Return a rank, or a share of the survivors (more than 0, at most 1)."""
    if reach.isdecimal():
        return int(reach)
    try:
        share = Fraction(reach[:-1]) / 100 if reach.endswith("%") else Fraction(reach)
    except (ValueError, ZeroDivisionError):
        raise BadMarks(f"Line {number}: “top {reach}” is neither a rank nor a share such as 10% or 1/10.") from None
    if not 0 < share <= 1:
        raise BadMarks(f"Line {number}: a share must be more than 0% and at most 100%, not {reach}.")
    return share


def band_of(bands: Sequence[MarkBand], rank: int, survivors: int) -> int:
    """Return the index of the band to which a rank (1 is best) belongs among this many survivors."""
    ends = _ends(tuple(band.reach for band in bands[:-1]), survivors)
    return next((index for index, end in enumerate(ends) if rank <= end), len(ends))


@lru_cache(64)  # called for every survivor whenever somebody looks at a final
def _ends(reaches: tuple[str, ...], survivors: int) -> list[int]:
    """Return the last rank that each of these reaches includes."""
    found = [_reach(each) for each in reaches]
    return [reach if isinstance(reach, int) else ceil(reach * survivors) for reach in found]


def mark_boundaries(bands: Sequence[MarkBand], values: Sequence[float], ranks: Sequence[int]) -> list[float]:
    """Return the values at which marks change: each is half-way between the last entry with a mark and the first with a
    lower one. `values`: the figures by which the survivors are ranked, where more is better; `ranks`: the survivors'
    ranks, where 1 is best."""
    marked = sorted(
        (
            (rank, value, bands[band_of(bands, rank, len(ranks))].mark)
            for rank, value in zip(ranks, values, strict=True)
        ),
        key=lambda line: line[0],
    )
    pairs = pairwise(marked)
    return [(above + below) / 2 for (_, above, mark), (_, below, less) in pairs if mark != less]


class FinalSettings(BaseModel):
    """The settings of a final. `first_games` and `most_games` are numbers of games that count, for each entry; `marks`
    is the table of marks."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    first_games: int = Field(200, ge=4, le=MOST_GAMES)
    most_games: int = Field(400, ge=4, le=MOST_GAMES)
    fault_limit: int = Field(10, ge=1, le=MOST_GAMES)
    ranking: Ranking = Ranking.WIN_RATE
    marks: tuple[MarkBand, ...] = equal_bands()

    @field_validator("marks")
    @classmethod
    def _marks_make_sense(cls, bands: tuple[MarkBand, ...]) -> tuple[MarkBand, ...]:
        check_table(bands)
        return bands

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
            raise ValueError(f"With {first} games in the first stage, a limit of {limit} faults would remove nobody.")
        return limit


class BadFinalSettings(BadForm):
    """`problems` has a message for each invalid setting."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(problems, " ".join(f"{name.replace('_', ' ')}: {text}" for name, text in problems.items()))


def parse_settings(given: Mapping[str, Any]) -> FinalSettings:
    """Read settings as somebody typed them. `marks` is the text of a table; if it is empty, `bands` is the number of
    equal bands. Raises BadFinalSettings."""
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
