"""Seats players at tables: opens their processes, lets the referee play, and closes everything. Also defines the
seatings of a block, and lets files play each other without a database."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sandbox.api import Fault, Limits, Program, Sandbox, Session, Starting
from tournament.games.api import Game, State
from tournament.play.record import Record, block_seed, seat_seed
from tournament.play.referee import Beat, play


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player in a game: the file and the sandbox in which it runs."""

    label: str
    program: Program
    sandbox: Sandbox


@dataclass(frozen=True, slots=True)
class GameTable:
    """A game to be played: the seed of its deal, and its players in the order of the seats. `over` is called with the
    players when the game is over, while their processes can still be asked how much time they have used."""

    seed: int
    contestants: Sequence[Contestant]
    over: Callable[[Sequence[Session | Fault]], None] = lambda seats: None


def play_table(
    game: Game[State], seed: int, contestants: Sequence[Contestant], limits: Limits, beat: Beat = lambda: None
) -> Record:
    """Play one game between `contestants`, who sit in that order; raises SandboxError. See `play_tables`."""
    return next(play_tables(game, [GameTable(seed, contestants)], limits, beat))


def play_tables(
    game: Game[State], tables: Iterable[GameTable], limits: Limits, beat: Beat = lambda: None
) -> Iterator[Record]:
    """Play one game at each table, one after the other; raises SandboxError. During a game the players of the next
    table are loaded on an otherwise idle processor, so the players of two tables may run at the same time. No game
    is played twice, because a player could use the clock to tell its next process what it has seen of the deal.
    """
    started = (_Seated(table, limits) for table in tables)
    coming = next(started, None)
    try:
        while coming:
            with closing(coming) as seated:
                seats = seated.load(beat)
                coming = next(started, None)
                record = play(game, seated.table.seed, seated.labels, seats, beat)
                seated.table.over(seats)
            yield record
    finally:
        if coming:
            coming.close()


class _Seated:
    """A table whose players have been started."""

    def __init__(self, table: GameTable, limits: Limits) -> None:
        """Start all players at once, without waiting for any. Raises SandboxError."""
        self.table = table
        self.labels = [contestant.label for contestant in table.contestants]
        self._starting: list[Starting] = []
        with ExitStack() as opened:
            for seat, contestant in enumerate(table.contestants):
                started = contestant.sandbox.start(contestant.program, limits.for_games(), seat_seed(table.seed, seat))
                opened.callback(started.close)
                self._starting.append(started)
            self._opened = opened.pop_all()

    def load(self, beat: Beat) -> list[Session | Fault]:
        """Wait until all players are loaded. Raises SandboxError."""
        seats = []
        for player in self._starting:
            seats.append(player.wait())
            beat()
        return seats

    def close(self) -> None:
        """End every player's process. Can be called twice."""
        self._opened.close()


T = TypeVar("T")

SEATINGS_OF_FOUR = ((0, 1, 2, 3), (1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0))
"""ABCD BDAC CADB DCBA: everybody sits once in each seat, and once directly before each other player, read from left to
right (a row-complete Latin square). If the last seat also precedes the first, DA and AD occur twice. Since the order
in which a table is drawn is random, this evens out over many blocks."""


def seatings(table: Sequence[T]) -> list[tuple[T, ...]]:
    """Return the seating orders for the games of one block: everybody sits once in each seat."""
    if len(table) == 4:
        return [tuple(table[index] for index in order) for order in SEATINGS_OF_FOUR]
    return [tuple(table[shift:]) + tuple(table[:shift]) for shift in range(len(table))]


BOT = "bot:"


class UnplayableTable(ValueError):
    """The given players cannot play together, or one of them does not exist; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player: a file, or a house bot (`trusted`: it runs in the trusted sandbox)."""

    label: str
    source: bytes
    trusted: bool = False
    filename: str = "player.py"


def house_bot(game: Game[Any], name: str) -> PlayerSpec:
    """Return the house bot of that name, with or without `bot:` before it; raises UnplayableTable."""
    bots = {bot.name: bot for bot in game.bots}
    name = name.removeprefix(BOT)
    bot = bots.get(name)
    if bot is None:
        raise UnplayableTable(f"{game.title} has no house bot {name!r}; it has: {', '.join(bots)}.")
    return PlayerSpec(BOT + bot.name, bot.source, trusted=True, filename=f"{bot.name}.py")


def told_apart(players: Iterable[PlayerSpec]) -> list[PlayerSpec]:
    """Return the players, each with a different label, such as `bot:planner` and `bot:planner#2`."""
    named: list[PlayerSpec] = []
    for each in players:
        same = sum(each.label == other.label.partition("#")[0] for other in named)
        named.append(replace(each, label=f"{each.label}#{same + 1}") if same else each)
    return named


def numbered_labels(names: Iterable[str]) -> list[str]:
    """Return the names, with a number added to each that occurs again: `Planner`, `Planner #2`."""
    found, times = list[str](), Counter[str]()
    for name in names:
        times[name] += 1
        found.append(f"{name} #{times[name]}" if times[name] > 1 else name)
    return found


def player_program(game: Game[Any], source: bytes, filename: str = "player.py") -> Program:
    """Return a player's file as a program, with the functions that the game expects of it."""
    return Program(source, game.guest.functions, game.guest.modules, filename, game.guest.adapter)


def contestant_of(game: Game[Any], player: PlayerSpec, sandbox: Sandbox, trusted: Sandbox) -> Contestant:
    """Return a player ready to be seated: a house bot in the `trusted` sandbox, a file in the other."""
    program = player_program(game, player.source, player.filename)
    return Contestant(player.label, program, trusted if player.trusted else sandbox)


def play_files(
    game: Game[State],
    players: Sequence[PlayerSpec],
    games: int,
    seed: int,
    sandbox: Sandbox,
    trusted: Sandbox,
    limits: Limits | None = None,
) -> Iterator[Record]:
    """Play `games` games in blocks, in which everybody sits once in each seat; the same players and seed always give
    the same games. Raises SandboxError, and UnplayableTable if the game is not for that many players."""
    if len(players) not in game.seats:
        raise UnplayableTable(f"{game.title} needs {game.seats[0]} players, not {len(players)}.")
    contestants = [contestant_of(game, each, sandbox, trusted) for each in players]
    orders = seatings(contestants)
    numbers = (divmod(number, len(orders)) for number in range(games))
    tables = (GameTable(block_seed(seed, block), orders[seating]) for block, seating in numbers)
    yield from play_tables(game, tables, limits or Limits())
