"""`quadrille bracket`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.progress import Progress

from deploy.cli.common import (
    FAULTY,
    BadInput,
    console,
    foreign_line,
    game_option,
    json_option,
    own_fault,
    sandboxed,
    say_json,
    seed_option,
    trusted_option,
)
from deploy.cli.play import explain, name_players
from sandbox.choose import open_sandbox
from tournament.bracket.draw import Bracket, Match, MatchState, build, champion, places, round_title
from tournament.bracket.local import BracketGame, play_bracket
from tournament.games.api import Game
from tournament.play.local import BOT, contestant_of


@click.command()
@click.argument("players", nargs=-1, required=True)
@game_option
@click.option(
    "--best-of", type=click.IntRange(1, 999), default=3, show_default=True, help="Games of a match; an odd number."
)
@seed_option
@json_option
@trusted_option
def command(players: Sequence[str], game: Game[Any], best_of: int, seed: int, as_json: bool, trusted: bool) -> None:
    """Let PLAYERS meet in an elimination bracket: files, or house bots as bot:NAME, the best seed first.

    Byes go to the top seeds. Seats alternate within a match, and each game has a fresh deal.
    With --json, the bracket with the record of each game. Exit code 0 only if no player was at fault.
    """
    if 2 not in game.seats:
        raise BadInput(f"a bracket is for games of two players, and {game.title} is none")
    if len(players) < 2:
        raise BadInput("a bracket needs at least two players")
    if best_of % 2 == 0:
        raise BadInput(f"a match is best of an odd number of games, not of {best_of}")
    specs = name_players(game, players)
    files = [name for name in players if not name.startswith(BOT)]
    with own_fault(), sandboxed(trusted, files) as sandbox, open_sandbox("trusted") as house:
        contestants = [contestant_of(game, spec, sandbox, house) for spec in specs]
        played = list(watch(play_bracket(game, contestants, best_of, seed), as_json))
    bracket = stand(len(specs), best_of, played)
    names = [spec.label for spec in specs]
    if as_json:
        say_json(as_data(game, bracket, names, best_of, seed, played))
    else:
        draw(bracket, names, played, seed)
    sys.exit(FAULTY if any(each.record.faults for each in played) else 0)


def watch(games: Iterator[BracketGame], as_json: bool) -> Iterator[BracketGame]:
    """Pass the games on, saying on a terminal how many there were."""
    screen = console(stderr=True)
    with Progress(console=screen, disable=not screen.is_terminal or as_json, transient=True) as bar:
        task = bar.add_task("playing", total=None)
        for number, each in enumerate(games, 1):
            bar.update(task, description=f"game {number}: {foreign_line(' – '.join(each.record.seats))}")
            yield each


def stand(players: int, best_of: int, played: Sequence[BracketGame]) -> Bracket:
    """The bracket after these games."""
    places_played = {each.place for each in played}
    return build(
        players, best_of, {place: [each.winner for each in played if each.place == place] for place in places_played}
    )


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


def as_data(
    game: Game[Any], bracket: Bracket, names: Sequence[str], best_of: int, seed: int, played: Sequence[BracketGame]
) -> dict[str, Any]:
    """The bracket as plain data, its players by name."""
    winner = champion(bracket)
    return {
        "game": game.slug,
        "seed": seed,
        "best_of": best_of,
        "players": list(names),
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
