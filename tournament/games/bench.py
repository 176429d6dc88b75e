"""What `quadrille bench games` measures: every game alike, and what a game measures itself in its own `bench.py`."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from sandbox.figures import Figure
from tournament import bench
from tournament.games import GAMES


def measure() -> Iterator[Figure]:
    """For each game the figures of `tournament.bench.measure`, then those of the function `measure` in the `bench.py`
    of its folder, if there is one. Raises SandboxUnavailable."""
    for slug in GAMES:
        yield from bench.measure(slug)
        own = f"{__package__}.{slug}.bench"
        if find_spec(own):
            yield from import_module(own).measure()
