"""Whether a busy machine changes what anybody gets: it must cost time, and nothing else.

Four processes that compute without end share two processors with what is measured.
"""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import cycle, islice

from deploy.measure.figures import Figure
from deploy.measure.sandbox import run_on
from grader.grade import grade
from sandbox.api import Limits, Sandbox
from sandbox.choose import open_sandbox
from tournament.games import GAMES, find_game
from tournament.play.local import PlayerSpec, house_bot, play_files

GAME = "bo"
CORES, BUSY, GRADERS = 2, 4, 4
GAMES_PLAYED, SUBMISSIONS = 2_000, 500

TIGHT = Limits(load_s=1.0, call_s=0.5, game_s=10.0, wall_factor=1.5)
"""For house bots: with an eighth of the usual time for a call and half the patience, an unfair charge shows sooner."""

Verdicts = Sequence[str]
"""Of each case, in order."""


def measure(
    players: Mapping[str, bytes], games: int = GAMES_PLAYED, submissions: int = SUBMISSIONS, slugs: Sequence[str] = ()
) -> Iterator[Figure]:
    """`fairness.disqualified`: house bots that were, in so many games (of the games named, by default all in turn)
    under load. `fairness.verdicts`: submissions, the players in turn, of which any case got another verdict under load
    and with `GRADERS` graded at once than the same file alone on a machine without load.

    Raises SandboxUnavailable."""
    with busy():
        faults = disqualified(slugs or tuple(GAMES), games)
    yield Figure("fairness.disqualified", faults, f"of {games:,} games")
    changed = sum(changed_verdicts(players, submissions).values())
    yield Figure("fairness.verdicts", changed, f"of {submissions:,} submissions")


@contextmanager
def busy() -> Iterator[None]:
    """On two processors that four other processes keep busy."""
    allowed = os.sched_getaffinity(0)
    run_on(set(sorted(allowed)[:CORES]))
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        run_on(allowed)


def disqualified(slugs: Sequence[str], games: int) -> int:
    """How many house bots are disqualified in so many games; every other of them plays in the jail."""
    with open_sandbox() as jail, open_sandbox("trusted") as trusted:
        played = (_faults(slug, number, jail, trusted) for number, slug in enumerate(islice(cycle(slugs), games)))
        return sum(played)


def _faults(slug: str, number: int, jail: Sandbox, trusted: Sandbox) -> int:
    game = find_game(slug)
    bots = [house_bot(game, bot.name) for bot in islice(cycle(game.bots), number, number + game.seats[0])]
    table = [PlayerSpec(bot.label, bot.source, seat % 2 == 0, bot.filename) for seat, bot in enumerate(bots)]
    return sum(len(record.faults) for record in play_files(game, table, 1, number, jail, trusted, TIGHT))


def changed_verdicts(players: Mapping[str, bytes], submissions: int) -> Mapping[str, int]:
    """The players that got other verdicts under load, and in how many of their submissions."""
    alone = {name: verdicts(source) for name, source in players.items()}
    changed: dict[str, int] = {}
    names = list(islice(cycle(players), submissions))
    with busy(), ProcessPoolExecutor(min(GRADERS, submissions), multiprocessing.get_context("spawn")) as graders:
        for name, got in zip(names, graders.map(verdicts, [players[name] for name in names]), strict=True):
            if got != alone[name]:
                changed[name] = changed.get(name, 0) + 1
    return changed


def verdicts(source: bytes) -> Verdicts:
    """What a file gets, case by case."""
    return [result.verdict.value for result in grade(find_game(GAME), source, _jail())]


@cache
def _jail() -> Sandbox:
    """This process's."""
    return open_sandbox()
