"""The number of custom games that a student can request within an hour."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.jobs import JobState
from tournament.store.tables import CustomGame, Tournament
from tournament.store.validation import Refusal

HOUR = timedelta(hours=1)
LARGEST_QUOTA = 1000

NOT_PLAYED = (JobState.PARKED, JobState.CANCELLED)


class CustomGameError(Refusal):
    """A custom game cannot be played; the message says why and what to do."""


class BadQuota(CustomGameError):
    """The quota is not a whole number, or too large."""

    field = "quota"


class QuotaUsed(CustomGameError):
    """More games were requested than are left of this hour's quota. `retry_after_s`: whole seconds, at least 1."""

    status = 429

    def __init__(
        self, quota: int, retry_after_s: int, what: str = "custom game", wanted: int = 1, left: int = 0
    ) -> None:
        self.retry_after_s = retry_after_s
        minutes = ceil(retry_after_s / 60)
        wait = f"in {minutes} minute{'' if minutes == 1 else 's'}"
        if left:
            super().__init__(
                f"You asked for {wanted} games and have {left} of {quota} per hour left. "
                f"Ask for fewer, or try again {wait}."
            )
            return
        games = f"1 {what}" if quota == 1 else f"{quota} {what}s"
        super().__init__(
            f"You have played {games} within an hour, as many as this assignment allows. "
            f"{'You can start the next one' if wanted == 1 else f'You can start the next {wanted}'} {wait}."
        )


class BadDeals(CustomGameError):
    """A batch has too few games or too many."""


class SwitchedOff(CustomGameError):
    """The assignment has no custom games."""

    def __init__(self) -> None:
        super().__init__("Your instructor has turned off custom games and playing by hand in this assignment.")


def parse_quota(text: str) -> int:
    """Read the number of games per hour that somebody typed. Raises BadQuota."""
    try:
        quota = int(text)
    except ValueError:
        quota = -1
    if not 0 <= quota <= LARGEST_QUOTA:
        raise BadQuota(f"This must be a whole number from 0 to {LARGEST_QUOTA:,}.")
    return quota


def check_quota(
    session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime, games: int = 1
) -> None:
    """Check that this many more games can be requested now. Raises QuotaUsed, BadDeals and SwitchedOff."""
    if 0 < quota < games:
        raise BadDeals(f"This assignment allows {quota} custom games per hour, so {games} cannot be played at once.")
    within(quota, _times_asked(session, tournament, asker_id, at), at, wanted=games)


def within(quota: int, asked: Sequence[datetime], at: datetime, what: str = "custom game", wanted: int = 1) -> None:
    """Check that `wanted` more games can be requested. `asked` are the times of earlier requests within the last hour,
    the oldest first. Raises QuotaUsed and SwitchedOff."""
    if quota <= 0:
        raise SwitchedOff
    over = len(asked) + wanted - quota
    if over > 0:
        free = asked[over - 1] + HOUR
        raise QuotaUsed(quota, max(1, ceil((free - at).total_seconds())), what, wanted, max(0, wanted - over))


def games_left(session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime) -> int:
    """Return the number of games that can still be requested now."""
    return max(0, quota - len(_times_asked(session, tournament, asker_id, at)))


def _times_asked(session: Session, tournament: Tournament, asker_id: int, at: datetime) -> Sequence[datetime]:
    """Return the times within the last hour at which this person requested games in the assignment. Games that could
    not be played do not count, nor do games that a wrong clock dated in the future."""
    same = Tournament.assignment_id == tournament.assignment_id
    wanted = select(CustomGame.queued_at).join(CustomGame.tournament).where(same, CustomGame.asker_id == asker_id)
    recent = wanted.where(CustomGame.queued_at > at - HOUR, CustomGame.queued_at <= at)
    return session.scalars(recent.where(CustomGame.state.not_in(NOT_PLAYED)).order_by(CustomGame.queued_at)).all()
