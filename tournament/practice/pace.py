"""How long a job of one student will still take, judged by what was played lately."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from tournament.practice.improvement import ComparisonState
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import ComparedPair, CustomBatch, CustomGame, VersionComparison

LATELY = timedelta(hours=2)
LATEST, FEWEST = 60, 3
STANDSTILL = timedelta(seconds=30)
"""If nothing was played for so long although games wait, former games say nothing of when these will be played."""


def seconds_a_game(games: Sequence[tuple[datetime, datetime]]) -> float | None:
    """The time between the ends of games while others waited, on average; None if there are too few. `games`: when each
    was queued and ended, by their ends. Time in which none waited does not count."""
    if len(games) < FEWEST:
        return None
    gaps = [ended - max(queued, before) for (_, before), (queued, ended) in pairwise(games)]
    return sum(max(0.0, gap.total_seconds()) for gap in gaps) / len(gaps)


def batch_time_left_s(session: Session, batch: CustomBatch) -> float | None:
    """The seconds until the last game of a batch has been played, if custom games go on as lately, with those that come
    before it. None if that cannot be told, and 0 if none is left."""
    left = [game for game in batch.games if game.state in PENDING]
    if not left:
        return 0.0
    return time_left_s(session, left[-1])


def time_left_s(session: Session, last: CustomGame) -> float | None:
    """The seconds until a waiting game has been played; None if that cannot be told."""
    at = now()
    done = (CustomGame.state == JobState.DONE, CustomGame.finished_at > at - LATELY)
    ends = select(CustomGame.queued_at, CustomGame.finished_at).where(*done).order_by(CustomGame.finished_at.desc())
    lately = [(queued, ended) for queued, ended in session.execute(ends.limit(LATEST)) if ended is not None][::-1]
    a_game = seconds_a_game(lately)
    if a_game is None or at - max(lately[-1][1], last.queued_at) > STANDSTILL:
        return None
    waiting = CustomGame.state.in_(PENDING)
    earlier = or_(
        CustomGame.number < last.number,
        (CustomGame.number == last.number) & (CustomGame.queued_at <= last.queued_at),
    )
    return a_game * (session.scalar(select(func.count()).where(waiting, earlier)) or 1)


def comparison_time_left_s(
    session: Session, comparison: VersionComparison, state: ComparisonState
) -> tuple[float, float] | None:
    """The seconds until the next look at a comparison, and until all its pairs have been played, as fast as its latest
    pairs were; None if that cannot be told."""
    ends = select(ComparedPair.played_at).where(
        ComparedPair.comparison_id == comparison.id, ComparedPair.played_at >= now() - LATELY
    )
    lately = session.scalars(ends.order_by(ComparedPair.number.desc()).limit(LATEST)).all()
    moments = [each for each in lately if each is not None]
    if len(moments) < FEWEST or now() - moments[0] > STANDSTILL:
        return None
    a_pair = (moments[0] - moments[-1]).total_seconds() / (len(moments) - 1)
    return a_pair * (state.next_look - state.pairs), a_pair * (state.most - state.pairs)
