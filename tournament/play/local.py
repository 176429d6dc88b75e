"""Play files against each other without a database, for the command line and for benchmarks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sandbox.api import Limits, Program, Sandbox
from tournament.games.api import Game, State
from tournament.play.record import Record
from tournament.play.seeds import block_seed
from tournament.play.table import Contestant, GameTable, play_tables, seatings

BOT = "bot:"


class UnplayableTable(ValueError):
    """The given players cannot play together, or one of them does not exist; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player: a file, or a house bot (`trusted`, and not run in the sandbox)."""

    label: str
    source: bytes
    trusted: bool = False
    filename: str = "player.py"


def house_bot(game: Game[Any], name: str) -> PlayerSpec:
    """The house bot of that name, with or without `bot:` before it; raises UnplayableTable."""
    bots = {bot.name: bot for bot in game.bots}
    name = name.removeprefix(BOT)
    bot = bots.get(name)
    if bot is None:
        raise UnplayableTable(f"{game.title} has no house bot {name!r}; it has: {', '.join(bots)}.")
    return PlayerSpec(BOT + bot.name, bot.source, trusted=True, filename=f"{bot.name}.py")


def told_apart(players: Iterable[PlayerSpec]) -> list[PlayerSpec]:
    """The players, each with a label of its own: `bot:planner`, `bot:planner#2`."""
    named: list[PlayerSpec] = []
    for each in players:
        same = sum(each.label == other.label.partition("#")[0] for other in named)
        named.append(replace(each, label=f"{each.label}#{same + 1}") if same else each)
    return named


def numbered(names: Iterable[str]) -> list[str]:
    """The names; one that comes again has a number: `Planner`, `Planner #2`."""
    found, times = list[str](), Counter[str]()
    for name in names:
        times[name] += 1
        found.append(f"{name} #{times[name]}" if times[name] > 1 else name)
    return found


def player_program(game: Game[Any], source: bytes, filename: str = "player.py") -> Program:
    """A player's file with what the game expects of it."""
    return Program(source, game.guest.functions, game.guest.modules, filename, game.guest.adapter)


def contestant_of(game: Game[Any], player: PlayerSpec, sandbox: Sandbox, trusted: Sandbox) -> Contestant:
    """A player ready to be seated: a house bot in the `trusted` sandbox, a file in the other."""
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
    """Play `games` games in blocks of one deal, in which everybody sits once in each seat.

    The same players and seed give the same games. Raises SandboxError, and UnplayableTable unless the
    game is for that many players.
    """
    if len(players) not in game.seats:
        raise UnplayableTable(f"{game.title} needs {game.seats[0]} players, not {len(players)}.")
    contestants = [contestant_of(game, each, sandbox, trusted) for each in players]
    orders = seatings(contestants)
    numbers = (divmod(number, len(orders)) for number in range(games))
    tables = (GameTable(block_seed(seed, block), orders[seating]) for block, seating in numbers)
    yield from play_tables(game, tables, limits or Limits())
