"""`quadrille compare`: which of two versions of a player is better."""

import sys
from dataclasses import asdict
from typing import Any

import click

from deploy.cli.common import (
    MOST_GAMES,
    RunOptions,
    console,
    game_option,
    internal_errors,
    progress_bar,
    run_options,
    sandboxed,
    say_json,
)
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.players.local_games import fault_told, player_file
from sandbox.choose import open_sandbox
from sandbox.visible import visible_line
from tournament.games.api import Game
from tournament.practice.comparisons import FileComparison, PlayedPair, compare_files
from tournament.practice.improvement import Answer, ComparisonState, compare, sentence
from tournament.store.tables import Ranking

FAULTS_SHOWN = 3  # faults shown of each version


@click.command()
@click.argument("new")
@click.argument("old")
@game_option
@click.option(
    "--games",
    type=click.IntRange(2, MOST_GAMES),
    default=800,
    show_default=True,
    help="Limit of games, half for each file.",
)
@click.option(
    "--by",
    type=click.Choice([each.value for each in Ranking]),
    default=Ranking.WIN_RATE.value,
    show_default=True,
    help="Criterion by which players are ranked.",
)
@run_options
def compare_command(new: str, old: str, game: Game[Any], games: int, by: str, run: RunOptions) -> None:
    """Find out whether the file NEW plays better than the file OLD.

    Both play in the same seats and deals against the same house bots, until the answer is clear or all games are
    played. The exit code is 1 if NEW is worse or was disqualified in a game.
    """
    versions = player_file(new), player_file(old)
    if versions[0].source == versions[1].source:
        raise BadInput(f"{visible_line(new)} and {visible_line(old)} are identical: there is nothing to compare")
    ranking, most = Ranking(by), games // 2
    with internal_errors(), sandboxed(run.trusted, [new, old]) as sandbox, open_sandbox("trusted") as house:
        pairs = compare_files(game, FileComparison(*versions, ranking, most, run.seed), sandbox, house)
        with progress_bar(hidden=run.as_json) as bar:
            played = list(bar.track(pairs, most, description="playing"))
    state = compare([each.outcome for each in played], ranking, most)
    if run.as_json:
        pairs_played = [
            {"seat": each.seat, "parting": each.parting, "new": each.new.to_json(), "old": each.old.to_json()}
            for each in played
        ]
        say_json({"sentence": sentence(state), "seed": run.seed, **asdict(state), "played": pairs_played})
    else:
        _report_comparison(state, played, run.seed)
    sys.exit(FAULTY if state.answer is Answer.WORSE or state.new_faults else 0)


def _report_comparison(state: ComparisonState, played: list[PlayedPair], seed: int) -> None:
    """Print the answer, the number of games, and the first faults of each version."""
    screen = console()
    screen.print(f"[bold]{sentence(state)}[/bold]")
    screen.print(
        f"{state.pairs} pairs of games; in {state.pairs - state.alike} of them the versions played differently."
    )
    for version in ("new", "old"):
        records = [(number, each.seat, getattr(each, version)) for number, each in enumerate(played, 1)]
        faults = [(n, record, note) for n, seat, record in records for note in record.faults if note.seat == seat]
        if faults:
            screen.print(f"The {version} version was disqualified in {len(faults)} of its games:")
        for fault in faults[:FAULTS_SHOWN]:
            screen.print(fault_told(*fault))
    screen.print(f"[dim]seed {seed}; the same files and seed play the same games[/dim]")
