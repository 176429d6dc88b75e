"""Whether a busy machine changes anybody's result. It may only cost time.

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
from pathlib import Path

from grader.authoring.course_folder.course import builtin
from grader.authoring.papers import make_paper
from grader.definition.paper import Paper
from grader.grading.grade import grade
from grader.programs.jails import Jails
from sandbox.api import Limits, Sandbox
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure
from tests.bench.sandbox import run_on
from tournament.play.games import GAMES, find_game
from tournament.play.table import PlayerSpec, house_bot, play_files

GAME = "bo"
CORES, BUSY, GRADERS = 2, 4, 4
SPAWN = multiprocessing.get_context("spawn")
GAMES_PLAYED, SUBMISSIONS = 2_000, 500
QUICK_SHARE = 100  # a quick run takes one in a hundred of the games and submissions

TIGHT = Limits(load_s=1.0, call_s=0.5, game_s=10.0, wall_factor=1.5)
"""Limits for house bots: with an eighth of the usual time for a call and half the patience, an unfair charge shows
sooner."""

PLAYERS = Path(__file__).parents[1] / "grader" / "grading" / "players"


def measure(share: int = 1) -> Iterator[Figure]:
    """`fairness.disqualified`: house bots that were disqualified under load, in games of all kinds in turn.
    `fairness.verdicts`: submissions in which any case got another verdict under load, with several graded at once, than
    the same file graded alone on a quiet machine. The submissions are the players that the grader's tests use.

    Raises SandboxUnavailable."""
    players = {path.stem: path.read_bytes() for path in sorted(PLAYERS.glob("*.py"))}
    games, submissions = GAMES_PLAYED // share, SUBMISSIONS // share
    with confined(), busy():
        yield Figure("fairness.disqualified", disqualified(tuple(GAMES), games), f"of {games:,} games")
    changed = sum(changed_verdicts(players, submissions).values())
    yield Figure("fairness.verdicts", changed, f"of {submissions:,} submissions")


@contextmanager
def confined() -> Iterator[None]:
    """Confine this process, and those that it starts, to two processors."""
    allowed = os.sched_getaffinity(0)
    run_on(set(sorted(allowed)[:CORES]))
    try:
        yield
    finally:
        run_on(allowed)


@contextmanager
def busy() -> Iterator[None]:
    """Keep the processors of this process busy with four others."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def disqualified(slugs: Sequence[str], games: int) -> int:
    """How many house bots are disqualified in that many games; every second bot plays in the jail."""
    faults = 0
    with open_sandbox() as jail, open_sandbox("trusted") as trusted:
        for number, slug in enumerate(islice(cycle(slugs), games)):
            game = find_game(slug)
            bots = [house_bot(game, bot.name) for bot in islice(cycle(game.bots), number, number + game.seats[0])]
            table = [PlayerSpec(bot.label, bot.source, seat % 2 == 0, bot.filename) for seat, bot in enumerate(bots)]
            faults += sum(len(record.faults) for record in play_files(game, table, 1, number, jail, trusted, TIGHT))
    return faults


def changed_verdicts(players: Mapping[str, bytes], submissions: int) -> Mapping[str, int]:
    """The players that got other verdicts under load, and in how many of their submissions."""
    alone = {name: verdicts(source) for name, source in players.items()}
    changed: dict[str, int] = {}
    names, several = list(islice(cycle(players), submissions)), min(GRADERS, submissions)
    with confined(), ProcessPoolExecutor(several, SPAWN, _keep, (_paper(),)) as graders:
        list(graders.map(verdicts, [b""] * several))  # each has loaded everything
        with busy():
            for name, got in zip(names, graders.map(verdicts, [players[name] for name in names]), strict=True):
                if got != alone[name]:
                    changed[name] = changed.get(name, 0) + 1
    return changed


def verdicts(source: bytes) -> Sequence[str]:
    """The verdict of each case, in order."""
    return [result.verdict.value for result in grade(_paper(), source, Jails(_jail, _jail))]


def _paper() -> Paper:
    if not _KEPT:
        _keep(make_paper(builtin(GAME), _jail()))
    return _KEPT[0]


def _keep(paper: Paper) -> None:
    """Grade with this paper: to make it takes as long as a dozen gradings."""
    _KEPT[:] = [paper]


_KEPT: list[Paper] = []


@cache
def _jail() -> Sandbox:
    return open_sandbox()  # one for each process
