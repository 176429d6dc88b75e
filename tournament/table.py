"""Seating players at a table: open their processes, let the referee play, and close everything."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from sandbox.api import Limits, Program, Sandbox, Verdict
from tournament.games.api import Game, State
from tournament.metrics import SANDBOX_STARTS
from tournament.record import Record
from tournament.referee import Beat, play, seat_seed


@dataclass(frozen=True, slots=True)
class Contestant:
    """Somebody who takes part in a game: the player's file and the sandbox in which it runs."""

    label: str
    program: Program
    sandbox: Sandbox


def play_table(
    game: Game[State], seed: int, contestants: Sequence[Contestant], limits: Limits, beat: Beat = lambda: None
) -> Record:
    """Play one game between `contestants`, who sit in that order; raises SandboxError.

    A game that ended because somebody ran out of wall-clock time may be the fault of a loaded machine: it is played
    once more, and only the second record counts.
    """
    record = _play_once(game, seed, contestants, limits, beat)
    if any(note.verdict == Verdict.WTLE for note in record.faults):
        record = _play_once(game, seed, contestants, limits, beat)
    return record


def _play_once(game: Game[State], seed: int, contestants: Sequence[Contestant], limits: Limits, beat: Beat) -> Record:
    with ExitStack() as opened:
        starting = []
        for seat, contestant in enumerate(contestants):
            SANDBOX_STARTS.labels(contestant.sandbox.name).inc()
            starting.append(contestant.sandbox.start(contestant.program, limits, seat_seed(seed, seat)))
            opened.callback(starting[-1].close)
        seats = []
        for player in starting:
            seats.append(player.wait())
            beat()
        return play(game, seed, [contestant.label for contestant in contestants], seats, beat)
