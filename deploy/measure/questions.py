"""How long grading itself takes: the reference player, every case of every question, sandboxed and in process."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from deploy.measure.figures import Figure
from grader.cases import warm
from grader.grade import full_report
from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tournament.games import find_game

GAME = "bo"
RUNS = 5


def measure() -> Iterator[Figure]:
    """`grade.run`: the median, in seconds, beside the same with the trusted backend. Raises SandboxUnavailable."""
    warm(find_game(GAME))
    with open_sandbox() as sandbox, open_sandbox("trusted") as trusted:
        yield Figure("grade.run", seconds(sandbox), "s", seconds(trusted))


def seconds(sandbox: Sandbox) -> float:
    """The median time to grade the reference player, after a run to warm up."""
    game = find_game(GAME)
    source = game.folder.joinpath("reference.py").read_bytes()
    times = []
    for _ in range(RUNS + 1):
        start = perf_counter()
        full_report(game, source, sandbox)
        times.append(perf_counter() - start)
    return median(times[1:])
