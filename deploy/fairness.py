"""What `quadrille bench fairness` measures, with the players that the grader's tests know the verdicts of."""

from collections.abc import Iterator
from pathlib import Path

from grader import fairness
from sandbox.api import SandboxError
from sandbox.figures import Figure

PLAYERS = Path(__file__).parents[1] / "tests" / "grader" / "players"
SHARE = 100
"""A quick run takes one of so many games and submissions."""


def measure(share: int = 1) -> Iterator[Figure]:
    """See `grader.fairness.measure`."""
    players = {path.stem: path.read_bytes() for path in sorted(PLAYERS.glob("*.py"))}
    if not players:
        raise SandboxError("the players to grade are among the tests: run this in a checkout of the repository")
    yield from fairness.measure(players, fairness.GAMES_PLAYED // share, fairness.SUBMISSIONS // share)


def quick() -> Iterator[Figure]:
    """The same at a small size."""
    return measure(SHARE)
