"""`quadrille bracket`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.progress import Progress

from deploy.cli.common import (
    RunOptions,
    console,
    foreign_line,
    game_option,
    internal_errors,
    run_options,
    sandboxed,
    say_json,
)
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.players.play import explain, name_players
from sandbox.choose import open_sandbox
from tournament.bracket.draw import Bracket, Match, MatchState, build, champion, places, round_title
from tournament.bracket.local import BracketGame, play_bracket
from tournament.games.api import Game
from tournament.play.local import BOT, contestant_of


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
    specs = name_players(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with internal_errors(), sandboxed(run.trusted, files) as sandbox, open_sandbox("trusted") as house:
        contestants = [contestant_of(game, spec, sandbox, house) for spec in specs]
        played = list(watch(play_bracket(game, contestants, best_of, run.seed), run.as_json))
    winners: dict[Any, list[int | None]] = {}
    for each in played:
        winners.setdefault(each.place, []).append(each.winner)
    bracket = build(len(specs), best_of, winners)
    names = [spec.label for spec in specs]
    if run.as_json:
        plain = {"game": game.name, "seed": run.seed, "best_of": best_of, "players": names}
        say_json(plain | as_data(bracket, names, played))
    else:
        draw(bracket, names, played, run.seed)
    sys.exit(FAULTY if any(each.record.faults for each in played) else 0)


def watch(games: Iterator[BracketGame], as_json: bool) -> Iterator[BracketGame]:
    """Pass the games on, counting them on a terminal."""
    screen = console(stderr=True)
    with Progress(console=screen, disable=not screen.is_terminal or as_json, transient=True) as bar:
        task = bar.add_task("playing", total=None)
        for number, each in enumerate(games, 1):
            bar.update(task, description=f"game {number}: {foreign_line(' – '.join(each.record.seats))}")
            yield each


def draw(bracket: Bracket, names: Sequence[str], played: Sequence[BracketGame], seed: int) -> None:
    """Print the rounds, the champion and every fault."""
    screen = console()
    width = max(map(len, names))
    for matches in bracket:
        screen.print(f"[bold]{round_title(len(matches))}[/bold]")
        for match in matches:
            screen.print(foreign_line(line(match, names, width)))
    winner = champion(bracket)
    if winner is not None:
        screen.print(f"[bold]Champion[/bold]\n  {foreign_line(names[winner])}")
    for number, each in enumerate(played, 1):
        for note in each.record.faults:
            screen.print(explain(number, each.record, note))
    screen.print(f"[dim]seed {seed}; the same players and seed play the same bracket[/dim]")


def line(match: Match, names: Sequence[str], width: int) -> str:
    """A match in a line: `  alpha  2 – 0  beta`."""
    first, second = ("?" if side is None else names[side] for side in match.sides)
    if match.state is MatchState.BYE:
        return f"  {first:<{width}}  bye"
    return f"  {first:<{width}}  {match.wins[0]} – {match.wins[1]}  {second:<{width}}  → {names[match.winner or 0]}"


def as_data(bracket: Bracket, names: Sequence[str], played: Sequence[BracketGame]) -> dict[str, Any]:
    """The bracket as plain data, its players by name."""
    winner = champion(bracket)
    return {
        "champion": None if winner is None else names[winner],
        "places": {names[player]: place for player, place in sorted(places(bracket).items())},
        "rounds": [
            {
                "title": round_title(len(matches)),
                "matches": [_match_data(match, names, played) for match in matches],
            }
            for matches in bracket
        ],
    }


def _match_data(match: Match, names: Sequence[str], played: Sequence[BracketGame]) -> dict[str, Any]:
    return {
        "state": match.state,
        "players": [None if side is None else names[side] for side in match.sides],
        "wins": list(match.wins),
        "winner": None if match.winner is None else names[match.winner],
        "games": [each.record.to_json() for each in played if each.place == match.place],
    }
