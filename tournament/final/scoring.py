"""What the entries of a final have done, from the log of its games, and the standings with marks that follow.

Sums are rounded only once, at the end, so that the same games always lead to the same standings.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite

from tournament.final.marks import band_of
from tournament.final.rounds import Contender, board, survives
from tournament.final.settings import FinalSettings
from tournament.ranking.ratings import Rating, Tally

SHOWN_DIGITS = 6


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """How one game ended: the number of the entry, place and points by seat, and the seats at fault."""

    seats: Sequence[int]
    places: Sequence[int]
    points: Sequence[float]
    faults: Collection[int] = ()


@dataclass(slots=True)
class EntrySums:
    """One entry's sums. What may be fractional is kept by block, and added up at the end."""

    games: int = 0
    wins: int = 0
    faults: int = 0
    places: int = 0
    seated: int = 0
    blocks: list[tuple[int, int, int, float]] = field(default_factory=list)  # games, wins, places, points

    def add_block(self, games: Sequence[tuple[int, float, bool]], seated: int) -> None:
        """Add a block. `games`: place, points and whether it was at fault, for each game that counts."""
        self.seated += seated
        if not games:
            return
        wins = sum(place == 1 and not fault for place, _, fault in games)
        places = sum(place for place, _, _ in games)
        self.blocks.append((len(games), wins, places, fsum(points for _, points, _ in games)))
        self.games, self.wins, self.places = self.games + len(games), self.wins + wins, self.places + places
        self.faults += sum(fault for _, _, fault in games)

    def tally(self) -> Tally:
        """The sums as the ratings need them."""
        columns = dict(zip(("games", "wins", "places", "points"), zip(*self.blocks, strict=True), strict=False))
        games = columns.get("games", ())
        products = {}
        for name, column in columns.items():
            products[f"{name}_{name}"] = fsum(one * one for one in column)
            products[f"{name}_games"] = fsum(one * other for one, other in zip(column, games, strict=True))
        points = fsum(columns.get("points", ()))
        return Tally(self.games, self.wins, self.places, points, True, len(self.blocks), products)


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
        """The entries as `tournament.final.rounds` needs them."""
        pairs = zip(self.scores, self.houses, strict=True)
        return [Contender(score.tally(), score.faults, score.seated, house) for score, house in pairs]


@dataclass(frozen=True, slots=True)
class FinalStanding:
    """An entry's line in the standings of a final.

    `value` is what the final ranks by, `low` to `high` its 95% interval, `ranks` the best and the worst rank that the
    entry may really have. `bin` is the number of its band, 1 for the best; signed records call it so. An entry that did
    not survive has the mark 0 and no rank; a survivor none of whose games count has neither a rank nor a mark.
    """

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


def standings(settings: FinalSettings, names: Sequence[str], contenders: Sequence[Contender]) -> list[FinalStanding]:
    """The students' entries: survivors first, by rank, then by number."""
    ratings = board(settings, contenders)
    survivors = sum(rating is not None and rating.position is not None for rating in ratings)
    lines = [
        _line(settings, index, names[index], contender, ratings[index], survivors)
        for index, contender in enumerate(contenders)
        if not contender.house
    ]
    return sorted(lines, key=lambda line: (not line.survived, line.rank is None, line.rank or 0, line.entry))


def _line(
    settings: FinalSettings, index: int, name: str, contender: Contender, rating: Rating | None, survivors: int
) -> FinalStanding:
    position = rating.position if rating else None
    step = band_of(settings.marks, position.rank, survivors) if position else None
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
        bin=None if step is None else step + 1,
        mark=(None if survived else 0.0) if step is None else settings.marks[step].mark,
    )
