"""The final's decisions: whom it seats next, and when it ends. Plain functions on plain data.

A final is played in rounds. In the first stage every survivor plays until it has `first_games` games that count; in
the second only those play on whose interval crosses a line between two marks, until it crosses none or they have
`most_games`. An entry with `fault_limit` faults at the end of a round is out from the next one on.

A round is a function of the final's seed and of the results of earlier rounds, in whatever order those came in. So a
record of the games also proves who had to play whom. Entries are numbered from 0 in the order of the freeze.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from tournament.final.marks import lines
from tournament.final.settings import FinalSettings
from tournament.ladder.schedule import Candidate, Meetings, next_tables
from tournament.ranking.ratings import Rating, Tally, rate
from tournament.ranking.strength import strengths
from tournament.store.tables import Ranking
from tournament.store.validation import Refusal

PATIENCE = 3
"""An entry gets no more games after it sat in this many times as many as it should have. Others' faults spoil games,
but a final must end."""

DIGITS = 9
"""Figures are rounded to this many decimals before they are compared: the last bits differ between machines."""

GRAIN = 64
"""Estimates of strength are rounded to multiples of 1/GRAIN: then sums of them are exact in any order."""


class FinalError(Refusal):
    """Something cannot be done with a final in its present state; the message says why."""


class Stage(StrEnum):
    """What the next round is for."""

    FIRST = "first"
    LINES = "lines"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Contender:
    """What an entry of the final has done. `seated`: games it sat in, whether they count or not."""

    tally: Tally
    faults: int = 0
    seated: int = 0
    house: bool = False


def survives(settings: FinalSettings, contender: Contender) -> bool:
    """Whether the entry may play on; house bots are never put out."""
    return contender.house or contender.faults < settings.fault_limit


def board(settings: FinalSettings, contenders: Sequence[Contender]) -> list[Rating | None]:
    """The surviving students' ratings; None for the others."""
    kept = [each for each in contenders if not each.house and survives(settings, each)]
    rated = iter(rate([each.tally for each in kept], settings.ranking))
    return [next(rated) if not each.house and survives(settings, each) else None for each in contenders]


def doubtful(settings: FinalSettings, contenders: Sequence[Contender]) -> set[int]:
    """The survivors whose 95% interval crosses a line between two marks."""
    rated = {index: rating for index, rating in enumerate(board(settings, contenders)) if rating and rating.position}
    sign = -1 if settings.ranking is Ranking.PLACE else 1  # more is better
    values = [round(sign * rating.value, DIGITS) for rating in rated.values()]
    ranks = [rating.position.rank for rating in rated.values() if rating.position]
    ends = [round(end, DIGITS) for end in lines(settings.marks, values, ranks)]
    found = set()
    for index, rating in rated.items():
        low, high = sorted(round(sign * bound, DIGITS) for bound in (rating.value_low, rating.value_high))
        if any(low < end < high for end in ends):
            found.add(index)
    return found


def wanting(settings: FinalSettings, contenders: Sequence[Contender]) -> tuple[Stage, set[int]]:
    """The stage, and the numbers of the entries that must play in the next round."""
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
    settings: FinalSettings, sizes: Sequence[int], contenders: Sequence[Contender], met: Meetings, seed: int
) -> list[tuple[int, ...]]:
    """The tables of the next round, each to be played as a block; none when the final is over.

    Everybody who must play sits at one table or more; survivors of all strengths fill the remaining seats.
    `seed` is the round's.
    """
    _, wanted = wanting(settings, contenders)
    if not wanted:
        return []
    tallies = [each.tally for each in contenders]
    guesses = strengths([each.games for each in tallies], [-each.places for each in tallies]).tolist()
    students = sum(not each.house and survives(settings, each) for each in contenders)
    candidates = [
        Candidate(index, 0 if index in wanted else sizes[0], index, each.house, round(guesses[index] * GRAIN) / GRAIN)
        for index, each in enumerate(contenders)
        if survives(settings, each) and (not each.house or students < sizes[0])
    ]
    return next_tables(candidates, sizes, len(wanted), 1, met, Random(seed))
