"""`quadrille play`."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import track
from rich.table import Table

from deploy.cli.common import (
    FAULTY,
    MOST_GAMES,
    BadInput,
    console,
    foreign,
    foreign_line,
    game_option,
    json_option,
    own_fault,
    read_player,
    sandboxed,
    say_json,
    seed_option,
    trusted_option,
    unknown,
)
from sandbox.choose import open_sandbox
from sandbox.visible import visible_line
from tournament.games.api import Game
from tournament.play.local import BOT, PlayerSpec, house_bot, play_files
from tournament.play.record import FaultNote, Record


@click.command()
@click.argument("players", nargs=-1, required=True)
@game_option
@click.option(
    "--games", type=click.IntRange(1, MOST_GAMES), default=4, show_default=True, help="How many games to play."
)
@seed_option
@json_option
@trusted_option
def command(players: Sequence[str], game: Game[Any], games: int, seed: int, as_json: bool, trusted: bool) -> None:
    """Let PLAYERS play each other: files, or house bots as bot:NAME.

    Seats rotate within a deal. With --json, one record a line, for `quadrille replay`.
    Exit code 0 only if no player was at fault.
    """
    specs = seat(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with own_fault(), sandboxed(trusted, files) as sandbox, open_sandbox("trusted") as house:
        records = play_files(game, specs, games, seed, sandbox, house)
        played = list(tell(records, games, as_json))
    if not as_json:
        summarise(played, seed)
    sys.exit(FAULTY if any(record.faults for record in played) else 0)


def seat(game: Game[Any], names: Sequence[str]) -> list[PlayerSpec]:
    """The players of those names. Raises BadInput."""
    if len(names) not in game.seats:
        bots = " ".join(BOT + bot.name for bot in game.bots)
        wanted = " or ".join(str(seats) for seats in game.seats)
        raise BadInput(f"{game.title} is for {wanted} players, not {len(names)}; house bots may fill up: {bots}")
    return name_players(game, names)


def name_players(game: Game[Any], names: Sequence[str]) -> list[PlayerSpec]:
    """The players of those names, each with a label of its own. Raises BadInput."""
    specs: list[PlayerSpec] = []
    for name in names:
        spec = bot(game, name) if name.startswith(BOT) else file(name)
        same = sum(spec.label == other.label.partition("#")[0] for other in specs)
        label = f"{spec.label}#{same + 1}" if same else spec.label
        specs.append(PlayerSpec(label, spec.source, spec.trusted, spec.filename))
    return specs


def bot(game: Game[Any], name: str) -> PlayerSpec:
    """A house bot. Raises BadInput with a suggestion."""
    known = [BOT + each.name for each in game.bots]
    if name not in known:
        raise BadInput(unknown(f"{game.title} has no house bot {name!r}", name, known))
    return house_bot(game, name)


def file(name: str) -> PlayerSpec:
    """A player's file. Raises BadInput."""
    path = Path(name)
    label = visible_line(path.name)
    return PlayerSpec(label, read_player(name), filename=label)


def tell(records: Iterator[Record], games: int, as_json: bool) -> Iterator[Record]:
    """Pass the records on, printing each as it comes."""
    screen = console(stderr=True)
    bar = track(
        records, "playing", total=games, console=screen, disable=not screen.is_terminal or as_json, transient=True
    )
    for record in bar:
        if as_json:
            say_json(record.to_json())
        yield record


def summarise(records: Sequence[Record], seed: int) -> None:
    """Print who won how often, and every fault."""
    screen = console()
    wins = Counter(name for record in records for name in winners(record))
    faults = Counter(record.seats[note.seat] for record in records for note in record.faults)
    table = Table("player", "games", "wins", "faults", box=None, pad_edge=False)
    for name in sorted(records[0].seats, key=lambda name: -wins[name]):
        table.add_row(foreign_line(name), str(len(records)), str(wins[name]), str(faults[name]))
    screen.print(table)
    for number, record in enumerate(records, 1):
        for note in record.faults:
            screen.print(explain(number, record, note))
    screen.print(f"[dim]seed {seed}; the same players and seed play the same games[/dim]")


def winners(record: Record) -> list[str]:
    """Who won; nobody where a player was disqualified."""
    return (
        [] if record.faults else [name for name, place in zip(record.seats, record.places, strict=True) if place == 1]
    )


def explain(number: int, record: Record, note: FaultNote) -> str:
    """A fault, as console markup."""
    what = foreign_line(note.message + (f" (rule: {note.rule})" if note.rule else ""))
    who = foreign_line(record.seats[note.seat])
    lines = [f"[red]{note.verdict}[/red] {who}, game {number}, play {note.play_index}: {what}"]
    if note.call:
        lines.append(f"    call  {foreign_line(note.call)}")
    if note.got:
        lines.append(f"    got   {foreign_line(note.got)}")
    lines += [f"    {foreign(line)}" for line in note.traceback.split("\n") if note.traceback]
    return "\n".join(lines)
