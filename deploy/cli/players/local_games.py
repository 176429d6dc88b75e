"""`quadrille play` and `quadrille bracket`: games of players' files and house bots."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from deploy.cli.common import (
    MOST_GAMES,
    RunOptions,
    console,
    foreign,
    foreign_line,
    game_option,
    internal_errors,
    progress_bar,
    read_player,
    run_options,
    sandboxed,
    say_json,
    unknown,
)
from deploy.cli.errors import FAULTY, BadInput
from sandbox.choose import open_sandbox
from sandbox.visible import visible_line
from tournament.bracket.draw import (
    Bracket,
    BracketGame,
    Match,
    MatchState,
    build_bracket,
    champion_of,
    final_places,
    play_bracket,
    round_title,
)
from tournament.games.api import Game
from tournament.play.record import FaultNote, Record
from tournament.play.table import BOT, PlayerSpec, contestant_of, house_bot, play_files, told_apart


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
    specs = _player_specs(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with internal_errors(), sandboxed(run.trusted, files) as sandbox, open_sandbox("trusted") as house:
        records = play_files(game, specs, games, run.seed, sandbox, house)
        played = []
        with progress_bar(hidden=run.as_json) as bar:
            for record in bar.track(records, games, description="playing"):
                played.append(record)
                if run.as_json:
                    say_json(record.to_json())
    if not run.as_json:
        _summarise(played, run.seed)
    sys.exit(FAULTY if any(record.faults for record in played) else 0)


def _player_specs(game: Game[Any], names: Sequence[str]) -> list[PlayerSpec]:
    """Return the players with those names, each with a different label. Raises BadInput."""
    for name in names:
        if name.startswith(BOT) and name not in (known := [BOT + each.name for each in game.bots]):
            raise BadInput(unknown(f"{game.title} has no house bot {name!r}", name, known))
    return told_apart(house_bot(game, name) if name.startswith(BOT) else player_file(name) for name in names)


def player_file(name: str) -> PlayerSpec:
    """Read a player's file. Raises BadInput."""
    label = visible_line(Path(name).name)
    return PlayerSpec(label, read_player(name), filename=label)


def _summarise(records: Sequence[Record], seed: int) -> None:
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
            screen.print(fault_told(number, record, note))
    screen.print(f"[dim]seed {seed}; the same players and seed play the same games[/dim]")


def fault_told(number: int, record: Record, note: FaultNote) -> str:
    """Return the description of a fault, as console markup."""
    what = foreign_line(note.message + (f" (rule: {note.rule})" if note.rule else ""))
    who = foreign_line(record.seats[note.seat])
    lines = [f"[red]{note.verdict}[/red] {who}, game {number}, play {note.play_index}: {what}"]
    if note.call:
        lines.append(f"    call  {foreign_line(note.call)}")
    if note.got:
        lines.append(f"    got   {foreign_line(note.got)}")
    lines += [f"    {foreign(line)}" for line in note.traceback.split("\n") if note.traceback]
    return "\n".join(lines)


@click.command()
@click.argument("players", nargs=-1, required=True)
@game_option
@click.option(
    "--best-of", type=click.IntRange(1, 999), default=3, show_default=True, help="Games in a match, an odd number."
)
@run_options
def bracket_command(players: Sequence[str], game: Game[Any], best_of: int, run: RunOptions) -> None:
    """Play an elimination bracket of PLAYERS: files, or house bots as bot:NAME, the top seed first.

    Byes go to the top seeds. Seats alternate within a match, and each game has a fresh deal. With --json, print the
    bracket with the record of each game. The exit code is 0 only if no player was at fault.
    """
    if 2 not in game.seats:
        raise BadInput(f"a bracket is for games of two players, and {game.title} is not one")
    if len(players) < 2:
        raise BadInput("a bracket needs at least two players")
    if best_of % 2 == 0:
        raise BadInput(f"a match is best of an odd number of games, not of {best_of}")
    specs = _player_specs(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with internal_errors(), sandboxed(run.trusted, files) as sandbox, open_sandbox("trusted") as house:
        contestants = [contestant_of(game, spec, sandbox, house) for spec in specs]
        played = list(_with_count(play_bracket(game, contestants, best_of, run.seed), run.as_json))
    winners: dict[Any, list[int | None]] = {}
    for each in played:
        winners.setdefault(each.place, []).append(each.winner)
    bracket = build_bracket(len(specs), best_of, winners)
    names = [spec.label for spec in specs]
    if run.as_json:
        plain = {"game": game.name, "seed": run.seed, "best_of": best_of, "players": names}
        say_json(plain | _bracket_data(bracket, names, played))
    else:
        _draw(bracket, names, played, run.seed)
    sys.exit(FAULTY if any(each.record.faults for each in played) else 0)


def _with_count(games: Iterator[BracketGame], as_json: bool) -> Iterator[BracketGame]:
    """Yield the games, showing their count on a terminal."""
    with progress_bar(hidden=as_json) as bar:
        task = bar.add_task("playing", total=None)
        for number, each in enumerate(games, 1):
            bar.update(task, description=f"game {number}: {foreign_line(' – '.join(each.record.seats))}")
            yield each


def _draw(bracket: Bracket, names: Sequence[str], played: Sequence[BracketGame], seed: int) -> None:
    """Print the rounds, the champion and every fault."""
    screen = console()
    width = max(map(len, names))
    for matches in bracket:
        screen.print(f"[bold]{round_title(len(matches))}[/bold]")
        for match in matches:
            screen.print(foreign_line(_match_line(match, names, width)))
    winner = champion_of(bracket)
    if winner is not None:
        screen.print(f"[bold]Champion[/bold]\n  {foreign_line(names[winner])}")
    for number, each in enumerate(played, 1):
        for note in each.record.faults:
            screen.print(fault_told(number, each.record, note))
    screen.print(f"[dim]seed {seed}; the same players and seed play the same bracket[/dim]")


def _match_line(match: Match, names: Sequence[str], width: int) -> str:
    """Return a match on one line: ` alpha 2 – 0 beta`."""
    first, second = ("?" if side is None else names[side] for side in match.sides)
    if match.state is MatchState.BYE:
        return f"  {first:<{width}}  bye"
    return f"  {first:<{width}}  {match.wins[0]} – {match.wins[1]}  {second:<{width}}  → {names[match.winner or 0]}"


def _bracket_data(bracket: Bracket, names: Sequence[str], played: Sequence[BracketGame]) -> dict[str, Any]:
    """Return the bracket as plain data, with the players' names."""
    winner = champion_of(bracket)
    return {
        "champion": None if winner is None else names[winner],
        "places": {names[player]: place for player, place in sorted(final_places(bracket).items())},
        "rounds": [
            {
                "title": round_title(len(matches)),
                "matches": [
                    {
                        "state": match.state,
                        "players": [None if side is None else names[side] for side in match.sides],
                        "wins": list(match.wins),
                        "winner": None if match.winner is None else names[match.winner],
                        "games": [each.record.to_json() for each in played if each.place == match.place],
                    }
                    for match in matches
                ],
            }
            for matches in bracket
        ],
    }
