"""How quick the rules are, beside those of the built-in games in the same run."""

from collections import deque
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from tournament.games.api import Game
from tournament.play.conformance.flaws import Flaw
from tournament.play.conformance.sample import Sample
from tournament.play.games import GAMES
from tournament.play.golden import golden_records
from tournament.play.record import Record
from tournament.play.replay import reapply

REPEATS = 3
SLOWEST = 20.0
"""How many times as long as the slowest built-in game the rules may take for a play: with fast players they would use
up the time of the workers."""


def play_ms(game: Game[Any], record: Record) -> float:
    """Milliseconds that the rules take for one play of a record."""
    return min(_timed(game, record) for _ in range(REPEATS)) * 1000 / max(len(record.plays), 1)


def _timed(game: Game[Any], record: Record) -> float:
    began = perf_counter()
    deque(reapply(game, record), 0)
    return perf_counter() - began


def built_in_ms() -> dict[str, float]:
    """The same of the built-in games, by slug."""
    return {slug: play_ms(game, next(iter(golden_records(game).values()))) for slug, game in GAMES.items()}


def quick(sample: Sample) -> Iterator[Flaw]:
    """The rules are about as quick as those of the built-in games."""
    own, others = play_ms(*sample.records[0]), built_in_ms()
    slug = max(others, key=lambda each: others[each])
    if own > SLOWEST * others[slug]:
        what = (
            f"The rules take {own:.2f} ms for a play; those of the slowest built-in game, {slug}, {others[slug]:.2f} ms"
        )
        yield Flaw(f"{what}.", f"They may take {SLOWEST:g} times as long; look at `requests`, `parse` and `apply`.")
