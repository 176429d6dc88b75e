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
    MOST_GAMES,
    RunOptions,
    console,
    foreign,
    foreign_line,
    game_option,
    internal_errors,
    read_player,
    run_options,
    sandboxed,
    say_json,
    unknown,
)
from deploy.cli.errors import FAULTY, BadInput
from sandbox.choose import open_sandbox
from sandbox.visible import visible_line
from tournament.games.api import Game
from tournament.play.local import BOT, PlayerSpec, house_bot, play_files, told_apart
from tournament.play.record import FaultNote, Record


@click.command()
@click.argument("players", nargs=-1, required=True)
@game_option
@click.option("--games", type=click.IntRange(1, MOST_GAMES), default=4, show_default=True, help="Number of games.")
@run_options
def play_command(players: Sequence[str], game: Game[Any], games: int, run: RunOptions) -> None:
    """Let PLAYERS play against each other: files, or house bots as bot:NAME.

    Seats rotate within a deal. With --json, print one record per line, for `quadrille replay`. The exit code is 0 only
    if no player was at fault.
    """
    if len(players) not in game.seats:
        bots = " ".join(BOT + bot.name for bot in game.bots)
        wanted = " or ".join(str(seats) for seats in game.seats)
        raise BadInput(f"{game.title} is for {wanted} players, not {len(players)}; fill up with house bots: {bots}")
    specs = name_players(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with internal_errors(), sandboxed(run.trusted, files) as sandbox, open_sandbox("trusted") as house:
        records = play_files(game, specs, games, run.seed, sandbox, house)
        played = list(tell(records, games, run.as_json))
    if not run.as_json:
        summarise(played, run.seed)
    sys.exit(FAULTY if any(record.faults for record in played) else 0)


def name_players(game: Game[Any], names: Sequence[str]) -> list[PlayerSpec]:
    """The players of those names, each with a label of its own. Raises BadInput."""
    for name in names:
        if name.startswith(BOT) and name not in (known := [BOT + each.name for each in game.bots]):
            raise BadInput(unknown(f"{game.title} has no house bot {name!r}", name, known))
    return told_apart(house_bot(game, name) if name.startswith(BOT) else file(name) for name in names)


def file(name: str) -> PlayerSpec:
    """A player's file. Raises BadInput."""
    label = visible_line(Path(name).name)
    return PlayerSpec(label, read_player(name), filename=label)


def tell(records: Iterator[Record], games: int, as_json: bool) -> Iterator[Record]:
    """Pass the records on, printing each as JSON or showing a bar."""
    screen = console(stderr=True)
    bar = track(
        records, "playing", total=games, console=screen, disable=not screen.is_terminal or as_json, transient=True
    )
    for record in bar:
        if as_json:
            say_json(record.to_json())
        yield record


def summarise(records: Sequence[Record], seed: int) -> None:
    """Print the wins of each player, and every fault."""
    screen = console()
    wins = Counter(  # nobody wins a game that ended in a disqualification
        name
        for record in records
        if not record.faults
        for name, place in zip(record.seats, record.places, strict=True)
        if place == 1
    )
    faults = Counter(record.seats[note.seat] for record in records for note in record.faults)
    table = Table("player", "games", "wins", "faults", box=None, pad_edge=False)
    for name in sorted(records[0].seats, key=lambda name: -wins[name]):
        table.add_row(foreign_line(name), str(len(records)), str(wins[name]), str(faults[name]))
    screen.print(table)
    for number, record in enumerate(records, 1):
        for note in record.faults:
            screen.print(explain(number, record, note))
    screen.print(f"[dim]seed {seed}; the same players and seed play the same games[/dim]")


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
