"""The final's decisions: who plays next, when the final ends, and the standings with marks that follow from the log of
its games. Plain functions on plain data.

In the first stage every survivor plays until it has `first_games` games that count. In the second stage, each entry
whose interval crosses a boundary between two marks plays until its interval crosses none or it has `most_games`. An
entry with `fault_limit` faults at the end of a round is put out before the next round.

A round depends only on the final's seed and on the results of earlier rounds, not on the order in which these were
stored. So a record of the games also proves who had to play whom. Entries are numbered from 0 in the order of the
freeze. Sums are rounded only once, at the end, so that the same games always lead to the same standings.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import fsum, isfinite
from random import Random

from tournament.final.settings import FinalSettings, band_of, mark_boundaries
from tournament.ladder.schedule import Candidate, Meetings, next_tables, strengths
from tournament.ranking.ranks import Rating, Tally, rate
from tournament.store.tables import Ranking
from tournament.store.validation import Refusal

PATIENCE = 3
"""An entry gets no more games once it has sat in this many times the number that must count. Others' faults can spoil
games, but finals must end."""

DIGITS = 9
"""Figures are rounded to this many decimals before they are compared, because their last bits differ between
machines."""

SHOWN_DIGITS = 6

GRAIN = 64
"""Estimates of strength are rounded to multiples of 1/GRAIN, so that their sums are exact in any order."""


class FinalError(Refusal):
    """Something cannot be done with a final in its present state; the message says why."""


class Stage(StrEnum):
    """The purpose of the next round."""

    FIRST = "first"
    LINES = "lines"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Contender:
    """The results of an entry of the final so far. `seated`: the number of games in which it sat, whether they count or
    not."""

    tally: Tally
    faults: int = 0
    seated: int = 0
    house: bool = False


def survives(settings: FinalSettings, contender: Contender) -> bool:
    """Whether the entry may play on; house bots are never put out."""
    return contender.house or contender.faults < settings.fault_limit


def rate_survivors(settings: FinalSettings, contenders: Sequence[Contender]) -> list[Rating | None]:
    """Return the surviving students' ratings; None for the others."""
    kept = [each for each in contenders if not each.house and survives(settings, each)]
    rated = iter(rate([each.tally for each in kept], settings.ranking))
    return [next(rated) if not each.house and survives(settings, each) else None for each in contenders]


def doubtful(settings: FinalSettings, contenders: Sequence[Contender]) -> set[int]:
    """Return the numbers of the survivors whose 95% interval crosses a boundary between two marks."""
    rated = {
        index: rating for index, rating in enumerate(rate_survivors(settings, contenders)) if rating and rating.position
    }
    sign = -1 if settings.ranking is Ranking.PLACE else 1  # more is better
    values = [round(sign * rating.value, DIGITS) for rating in rated.values()]
    ranks = [rating.position.rank for rating in rated.values() if rating.position]
    ends = [round(end, DIGITS) for end in mark_boundaries(settings.marks, values, ranks)]
    found = set()
    for index, rating in rated.items():
        low, high = sorted(round(sign * bound, DIGITS) for bound in (rating.value_low, rating.value_high))
        if any(low < end < high for end in ends):
            found.add(index)
    return found


def wanting(settings: FinalSettings, contenders: Sequence[Contender]) -> tuple[Stage, set[int]]:
    """Return the stage, and the numbers of the entries that must play in the next round."""
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
    """Return the next round's tables, each played as a block; none when the final is over. Every entry that must play
    sits at one table or more; survivors of all strengths take the other seats. `seed` is the round's seed."""
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


# The log of the games, and the standings with marks that follow


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """How one game ended: `seats` has the number of the entry in each seat, `places` and `points` the result of each
    seat, and `faults` the seats at fault."""

    seats: Sequence[int]
    places: Sequence[int]
    points: Sequence[float]
    faults: Collection[int] = ()


@dataclass(slots=True)
class EntrySums:
    """One entry's sums. Numbers that can be fractional are stored by block, and added up at the end."""

    faults: int = 0
    seated: int = 0
    blocks: list[tuple[int, int, int, float]] = field(default_factory=list)  # games, wins, places, points

    def add_block(self, games: Sequence[tuple[int, float, bool]], seated: int) -> None:
        """Add a block. `games`: place, points and whether the entry was at fault, for each game that counts."""
        self.seated += seated
        if not games:
            return
        wins = sum(place == 1 and not fault for place, _, fault in games)
        places = sum(place for place, _, _ in games)
        self.blocks.append((len(games), wins, places, fsum(points for _, points, _ in games)))
        self.faults += sum(fault for _, _, fault in games)

    def tally(self) -> Tally:
        """Return the sums in the form that the ratings need."""
        games, wins, places, points = zip(*self.blocks, strict=True) if self.blocks else ((), (), (), ())
        products = {}
        for name, column in {"games": games, "wins": wins, "places": places, "points": points}.items():
            products[f"{name}_{name}"] = fsum(one * one for one in column)
            products[f"{name}_games"] = fsum(one * other for one, other in zip(column, games, strict=True))
        return Tally(sum(games), sum(wins), sum(places), fsum(points), True, len(self.blocks), products)


class Scoreboard:
    """The sums of all entries. `houses`: which of them are house bots."""

    def __init__(self, houses: Sequence[bool]) -> None:
        self.houses = houses
        self.scores = [EntrySums() for _ in houses]

    def add_block(self, entries: Sequence[int], games: Sequence[GameOutcome]) -> None:
        """Add the games of one block. A game that ended in a fault counts only for those at fault."""
        for entry in entries:
            counted = []
            for game in games:
                seat = game.seats.index(entry)
                if seat in game.faults or not game.faults:
                    counted.append((game.places[seat], game.points[seat], seat in game.faults))
            self.scores[entry].add_block(counted, len(games))

    def contenders(self) -> list[Contender]:
        """Return each entry's results so far, for `next_round` and `final_standings`."""
        pairs = zip(self.scores, self.houses, strict=True)
        return [Contender(score.tally(), score.faults, score.seated, house) for score, house in pairs]


@dataclass(frozen=True, slots=True)
class FinalStanding:
    """A line of a final's standings. `value` is the figure by which the final ranks, and `low` to `high` its 95%
    interval. `ranks` are the best and the worst rank that the entry may really have. `bin`, as records call it, is
    the number of its band, 1 for the best. An entry that did not survive has the mark 0 and no rank; a survivor
    without games that count has neither mark nor rank."""

    entry: int
    name: str
    survived: bool
    rank: int | None
    ranks: tuple[int, int] | None
    games: int
    wins: int
    faults: int
    value: float | None
    low: float | None
    high: float | None
    bin: int | None
    mark: float | None


def final_standings(
    settings: FinalSettings, names: Sequence[str], contenders: Sequence[Contender]
) -> list[FinalStanding]:
    """Return the lines of the students' entries: survivors first, by rank, then by number."""
    ratings = rate_survivors(settings, contenders)
    survivors = sum(rating is not None and rating.position is not None for rating in ratings)
    lines = [
        _standing_of(settings, index, names[index], contender, ratings[index], survivors)
        for index, contender in enumerate(contenders)
        if not contender.house
    ]
    return sorted(lines, key=lambda line: (not line.survived, line.rank is None, line.rank or 0, line.entry))


def _standing_of(
    settings: FinalSettings, index: int, name: str, contender: Contender, rating: Rating | None, survivors: int
) -> FinalStanding:
    position = rating.position if rating else None
    band = band_of(settings.marks, position.rank, survivors) if position else None
    survived = survives(settings, contender)
    figures = (rating.value, rating.value_low, rating.value_high) if rating and position else ()
    shown = [round(figure, SHOWN_DIGITS) if isfinite(figure) else None for figure in figures]
    value, low, high = shown or (None, None, None)
    return FinalStanding(
        entry=index,
        name=name,
        survived=survived,
        rank=position.rank if position else None,
        ranks=position.interval if position else None,
        games=contender.tally.games,
        wins=contender.tally.wins,
        faults=contender.faults,
        value=value,
        low=low,
        high=high,
        bin=None if band is None else band + 1,
        mark=(None if survived else 0.0) if band is None else settings.marks[band].mark,
    )
