"""The pairs of games by which two versions of a player are compared; see `tournament.practice.improvement`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from sandbox.api import Limits, Sandbox
from tournament.games.api import Game, State
from tournament.play.local import PlayerSpec, contestant_of, house_bot
from tournament.play.record import Record
from tournament.play.seeds import block_seed
from tournament.play.table import Contestant, GameTable, play_tables
from tournament.practice.improvement import Pair, VersionResult, compare
from tournament.store.tables import Ranking

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draw(Generic[T]):
    """Where a pair is played: the deal, the seat of the two versions, and who sits in the others, in order."""

    seed: int
    seat: int
    opponents: tuple[T, ...]


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """The records of two games that differ in nothing but who sat in `seat`."""

    seat: int
    new: Record
    old: Record

    @property
    def outcome(self) -> Pair:
        """The pair as a comparison counts it."""
        return Pair(_part(self.new, self.seat), _part(self.old, self.seat), bool(self.spoilers), self.parting is None)

    @property
    def spoilers(self) -> set[int]:
        """The seats of opponents that were disqualified."""
        return {note.seat for record in (self.new, self.old) for note in record.faults} - {self.seat}

    @property
    def parting(self) -> int | None:
        """The index of the first play that differs; None if all plays and the ends are the same."""
        for index, (one, other) in enumerate(zip(self.new.plays, self.old.plays, strict=False)):
            if one != other:
                return index
        same = (len(self.new.plays), self.new.faults == []) == (len(self.old.plays), self.old.faults == [])
        return None if same else min(len(self.new.plays), len(self.old.plays))


def _part(record: Record, seat: int) -> VersionResult:
    return VersionResult(record.places[seat], record.points[seat], any(note.seat == seat for note in record.faults))


def draw(seed: int, number: int, seats: int, pool: Sequence[T]) -> Draw[T]:
    """Where pair number `number` is played: each seat in turn, a fresh deal, opponents at random from the pool.

    All follows from the seed. Raises ValueError if the pool is smaller than a table.
    """
    rng = Random(f"quadrille pair {seed} {number}")
    return Draw(block_seed(seed, number), number % seats, tuple(rng.sample(list(pool), seats - 1)))


def pair_tables(place: Draw[Contestant], new: Contestant, old: Contestant) -> list[GameTable]:
    """The tables of both games of a pair, the new version's first."""
    before, after = place.opponents[: place.seat], place.opponents[place.seat :]
    return [GameTable(place.seed, [*before, version, *after]) for version in (new, old)]


@dataclass(frozen=True, slots=True)
class FileComparison:
    """Two files that are compared without a database, in at most `most` pairs."""

    new: PlayerSpec
    old: PlayerSpec
    ranking: Ranking
    most: int
    seed: int


def compare_files(
    game: Game[State], compared: FileComparison, sandbox: Sandbox, trusted: Sandbox
) -> Iterator[PlayedPair]:
    """Play two files against the house bots, pair by pair, until the answer is clear or all pairs are played.

    The same files and seed give the same games. Raises SandboxError.
    """
    pool = [contestant_of(game, house_bot(game, bot.name), sandbox, trusted) for bot in game.bots]
    new, old = (contestant_of(game, each, sandbox, trusted) for each in (compared.new, compared.old))
    outcomes: list[Pair] = []
    while not compare(outcomes, compared.ranking, compared.most).finished:
        place = draw(compared.seed, len(outcomes), game.seats[0], pool)
        played = PlayedPair(place.seat, *play_tables(game, pair_tables(place, new, old), Limits()))
        outcomes.append(played.outcome)
        yield played
