"""What `quadrille bench fairness` measures, with the players that the grader's tests know the verdicts of."""

from collections.abc import Iterator
from pathlib import Path

from deploy.measure import fairness
from deploy.measure.figures import Figure
from sandbox.api import SandboxError

PLAYERS = Path(__file__).parents[2] / "tests" / "grader" / "players"
SHARE = 100
"""A quick run takes one of so many games and submissions."""


def measure(share: int = 1) -> Iterator[Figure]:
    """See `deploy.measure.fairness.measure`."""
    players = {path.stem: path.read_bytes() for path in sorted(PLAYERS.glob("*.py"))}
    if not players:
        raise SandboxError("the players to grade are among the tests: run this in a checkout of the repository")
    yield from fairness.measure(players, fairness.GAMES_PLAYED // share, fairness.SUBMISSIONS // share)


def quick() -> Iterator[Figure]:
    """The same at a small size."""
    return measure(SHARE)
