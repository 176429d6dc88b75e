"""An honest estimate of how much of a final is left. Plain functions on plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import ceil
from statistics import median

from tournament.final.rounds import Contender, Stage, survives, wanting
from tournament.final.settings import FinalSettings

ENOUGH_GAPS = 8

PAUSE = 20
"""A gap this many times as long as the usual one is a pause, or a clock that was put forward."""


@dataclass(frozen=True, slots=True)
class Left:
    """How many blocks are left: `least` if no more intervals cross a line, `most` if all that may cross one do.
    `stage`: what the next of them are for."""

    least: int
    most: int
    stage: Stage = Stage.DONE


def blocks_left(settings: FinalSettings, size: int, contenders: Sequence[Contender]) -> Left:
    """What is left to be played, the current round included. `size`: players at a table."""
    stage, wanted = wanting(settings, contenders)
    alive = [each for each in contenders if not each.house and survives(settings, each)]
    seats = min(size, len(alive))  # house bots take the others
    if stage is Stage.DONE:
        return Left(0, 0)
    if stage is Stage.FIRST:
        least = sum(_blocks(each, settings.first_games, size) for each in alive)
        most = sum(_blocks(each, settings.most_games, size) for each in alive)
        return Left(ceil(least / seats), ceil(most / seats), stage)
    to_come = [_blocks(contenders[index], settings.most_games, size) for index in wanted]
    tables = min(len(wanted), ceil(len(alive) / seats))  # in a round, if those who are near a line sit apart
    least = ceil(len(wanted) / seats)
    return Left(least, max(least, min(sum(to_come), max(to_come) * tables)), stage)


def _blocks(contender: Contender, games: int, size: int) -> int:
    return max(0, ceil((games - contender.tally.games) / size))


def pace(finished: Sequence[float]) -> float | None:
    """Seconds from one finished block to the next, on average; None while too few are known.

    `finished` are times in seconds, in the order in which the blocks ended. Pauses, and jumps of the clock in either
    direction, are left out.
    """
    gaps = [later - earlier for earlier, later in pairwise(finished) if later >= earlier]
    if len(gaps) < ENOUGH_GAPS:
        return None
    usual = max(median(gaps), 0.001)
    kept = [gap for gap in gaps if gap <= PAUSE * usual]
    return sum(kept) / len(kept)


def latest_pace(latest: Sequence[datetime | None]) -> float | None:
    """The `pace` of what ended at these times, the latest first."""
    return pace([at.timestamp() for at in reversed(latest) if at])
