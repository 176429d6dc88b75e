"""`quadrille replay` and `quadrille uno`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click
from pydantic import TypeAdapter
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from deploy.cli.common import STDIN, console, foreign_line, game_named, json_option, read_file, say_json
from deploy.cli.errors import BadInput
from sandbox.visible import visible_line
from tournament.games.uno.console import BadDeal, read_pack, run_console
from tournament.play.record import BadRecord, Record
from tournament.play.replay import Frame, ReplayError, frames, verify

KEYS = "→ next   ← back   ↑ first   ↓ last   f fault   q quit"
BACK, FIRST, LAST, QUIT = ("\x1b[D", "p"), ("\x1b[A",), ("\x1b[B",), ("q", "\x1b", "\x04")


@click.command()
@click.argument("record")
@click.option("--line", type=click.IntRange(1), default=1, show_default=True, help="Line of RECORD.")
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat could see.")
@json_option
def replay_command(record: str, line: int, seat: int | None, as_json: bool) -> None:
    """Show a game from the file RECORD (- for standard input) with the output of `quadrille play --json`.

    On a terminal, step through the game with the arrow keys. No player's code runs.
    """
    found = read_record(record, line)
    game = game_named(found.game)
    if seat is not None and seat >= len(found.seats):
        raise BadInput(f"there is no seat {seat}; the game has seats 0 to {len(found.seats) - 1}")
    try:
        verify(game, found)
        shown = frames(game, found, seat)
    except ReplayError as error:
        raise BadInput(
            f"{visible_line(str(record))}, line {line} does not follow the rules: {error.message}"
        ) from error
    if as_json:
        adapter = TypeAdapter(Frame)
        for frame in shown:
            say_json(adapter.dump_python(frame, mode="json"))
    elif console().is_terminal:
        step(shown, found)
    else:
        for frame in shown:
            console().print(foreign_line(f"{frame.index:>4}  {frame.caption}"))
        console().print(foreign_line(ending(found)))


def read_record(name: str, number: int) -> Record:
    """Return the record in line `number` of a file. Raises BadInput."""
    text = read_file(STDIN if name == "-" else name).decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if number > len(lines):
        raise BadInput(f"{visible_line(name)} has no line {number}; it has {len(lines)}")
    try:
        return Record.from_json(json.loads(lines[number - 1]))
    except (BadRecord, ValueError) as error:
        raise BadInput(f"{visible_line(name)}, line {number}: {error}") from error


def ending(record: Record) -> str:
    """Describe the end of the game on one line."""
    places = ", ".join(f"{place}. {name}" for place, name in sorted(zip(record.places, record.seats, strict=True)))
    return f"Ended: {record.ended}. {places}"


def step(shown: Sequence[Frame], record: Record) -> None:
    """Step through the frames on a terminal."""
    at = 0
    screen = console()
    with screen.screen() as page:
        while True:
            page.update(Group(draw(shown[at]), Text(""), Text(f"{at} of {len(shown) - 1}   {KEYS}", style="dim")))
            key = click.getchar()
            if key in QUIT:
                break
            at = moved(at, key, shown)
    screen.print(foreign_line(ending(record)))


def moved(at: int, key: str, shown: Sequence[Frame]) -> int:
    """Return the number of the frame to show after a key. Most keys lead to the next frame."""
    last = len(shown) - 1
    if key in BACK:
        return max(0, at - 1)
    if key in FIRST:
        return 0
    if key in LAST:
        return last
    if key == "f":
        return next((index for index, frame in enumerate(shown) if frame.fault), at)
    return min(last, at + 1)


def draw(frame: Frame) -> RenderableType:
    """Draw a frame: its caption, then the table as the game describes it."""
    style = "bold red" if frame.fault else "bold"
    return Group(
        Text(visible_line(frame.caption), style=style), Text(""), *(draw_part(*item) for item in frame.table.items())
    )


def draw_part(name: str, part: Any) -> RenderableType:
    """Draw one item of a game's frame: a list of mappings as a table, anything else as a line."""
    rows = isinstance(part, list) and part and all(isinstance(row, Mapping) for row in part)
    if not rows:
        return Text(f"{name.replace('_', ' '):<12} {visible_line(words(part))}")
    table = Table(*(column.replace("_", " ") for column in part[0]), box=None)
    for row in part:
        table.add_row(*(foreign_line(words(value)) for value in row.values()))
    return table


def words(value: Any) -> str:
    """Return plain data as short text."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        inner = " | " if any(isinstance(item, list | tuple) for item in value) else " "
        return inner.join(words(item) for item in value) or "–"
    return str(value)


@click.command()
@click.option("--deal", metavar="FILE", help="Deal the 72 cards listed in FILE instead of a shuffled pack.")
def uno_command(deal: str | None) -> None:
    """Play Uno in this terminal against house bots.

    This is the assignment's console game. FILE lists the cards in dealing order, separated by spaces (R6 GD WC …):
    seven for each player, the first discard, then the draw pile.
    """
    try:
        run_console(pack=read_pack(read_file(deal).decode("utf-8", "replace")) if deal else None)
    except BadDeal as error:
        raise BadInput(f"{deal}: {error}") from error
    except EOFError:
        click.echo()
        raise BadInput("the input ended before the game did") from None
