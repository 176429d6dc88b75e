"""Batches of custom games, as the pages and the API show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournament.practice.batches import MOST_DEALS, PlayerResult, results
from tournament.practice.quota import BadDeals
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import CustomBatch

OFFERED = (1, 5, MOST_DEALS)


@dataclass(frozen=True, slots=True)
class ShownBatch:
    """A batch, its results so far, and the numbers of its games that were `played`, can be cancelled (`waiting`) or
    will never be played (`off`)."""

    row: CustomBatch
    results: Sequence[PlayerResult]
    played: int
    waiting: int
    off: int
    pending: bool

    @property
    def leader(self) -> PlayerResult | None:
        """The player that alone has won most games."""
        best = max(each.wins for each in self.results)
        found = [each for each in self.results if each.wins == best]
        return found[0] if len(found) == 1 and best else None


def show(row: CustomBatch) -> ShownBatch:
    """A batch as the pages show it."""
    states = [game.state for game in row.games]
    pending = any(state in PENDING for state in states)
    off = sum(state in (JobState.CANCELLED, JobState.PARKED) for state in states)
    numbers = (states.count(JobState.DONE), states.count(JobState.QUEUED), off)
    return ShownBatch(row, results(row), *numbers, pending)


def parse_deals(text: str) -> int:
    """The number of deals chosen in the form. Raises BadDeals."""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadDeals(f"From 1 to {MOST_DEALS} deals can be played at once.")
    return int(text)
