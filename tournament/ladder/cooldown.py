"""The re-entry cooldown, `exclusion` in the database, in files and in the API: how long a student who has entered
cannot enter again, and what instructors decide for one student. A student whose entry was put out may enter a corrected
player sooner.

Only an accepted entry begins it, never an attempt, so no internal error does. Each function works in the caller's
transaction.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from tournament.store.database import columns, now
from tournament.store.notices import tell
from tournament.store.tables import CooldownOverride, Entry, EntryState, Tournament
from tournament.store.validation import Refusal

SKEW = timedelta(minutes=1)
"""Clocks of several hosts differ by less. An entry that is dated farther ahead was made before a clock was set back,
and keeps nobody from entering."""

LONGEST_S = 7 * 24 * 3600
LONGEST_REASON = 500


class OnCooldown(Refusal):
    """The author entered too recently. `retry_after_s`: whole seconds until it is possible, at least 1."""

    status = 429
    code = "excluded"

    def __init__(self, ends: datetime, at: datetime) -> None:
        self.ends = ends
        self.retry_after_s = max(1, ceil((ends - at).total_seconds()))
        super().__init__(f"You entered a short time ago; you can enter again in {self.retry_after_s} seconds.")


class Overtaken(Exception):
    """The author has entered another player since the moment from which this entry would count; that one stays."""


class OverrideError(Refusal):
    """An override makes no sense. `field`: `reason` or `minutes`, whichever is wrong."""

    status = 422

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class NoCooldown(OverrideError):
    """The student can enter already."""

    status = 409
    code = "not_excluded"


def cooldown_ends(
    session: Session,
    tournament_id: int,
    author_id: int,
    at: datetime,
    given: Sequence[CooldownOverride] | None = None,
) -> datetime | None:
    """When the author can enter again; None if that is possible now. `given`: their overrides, if the caller knows."""
    last = columns(session, _LAST_ENTRY, {"tournament": tournament_id, "author": author_id}).one_or_none()
    if last is None:
        return None
    given = overrides(session, tournament_id, author_id) if given is None else given
    if any(each.last_entry is not None and each.last_entry >= last.id for each in given):
        return None
    began = last.exclusion_from or last.entered_at
    own = [each.seconds for each in given if each.seconds is not None]
    tournament = session.get_one(Tournament, tournament_id)
    ends = began + timedelta(seconds=own[-1] if own else tournament.exclusion_s)
    if last.state is EntryState.OUT and last.left_at is not None:
        ends = min(ends, last.left_at + timedelta(seconds=tournament.out_exclusion_s))
    return ends if ends > at and began - at <= SKEW else None


_LAST_ENTRY = (
    select(Entry.id, Entry.entered_at, Entry.exclusion_from, Entry.state, Entry.left_at)
    .where(Entry.tournament_id == bindparam("tournament"), Entry.author_id == bindparam("author"))
    .order_by(Entry.version.desc())
    .limit(1)
)


def overrides(session: Session, tournament_id: int, author_id: int | None = None) -> Sequence[CooldownOverride]:
    """The overrides that were not revoked, of one student or of all, the oldest first."""
    which = {"tournament": tournament_id, "author": author_id}
    return session.scalars(_OF_ALL if author_id is None else _OF_ONE, which).all()


_OF_ALL = (
    select(CooldownOverride)
    .where(CooldownOverride.tournament_id == bindparam("tournament"), CooldownOverride.revoked_at.is_(None))
    .order_by(CooldownOverride.id)
)
_OF_ONE = _OF_ALL.where(CooldownOverride.author_id == bindparam("author"))


def override(
    session: Session, tournament: Tournament, author_id: int, seconds: int | None, reason: str, by: int
) -> CooldownOverride:
    """Give one student an exclusion of `seconds` instead of the tournament's or, with None, let them enter now.

    The student is told, with the reason. Raises OverrideError.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise OverrideError("reason", f"Give a reason of 1 to {LONGEST_REASON} characters: the student sees it.")
    if seconds is not None and not 0 <= seconds <= LONGEST_S:
        raise OverrideError("minutes", f"A cooldown lasts 0 to {LONGEST_S // 60} minutes.")
    row = CooldownOverride(tournament_id=tournament.id, author_id=author_id, reason=reason, given_by=by)
    if seconds is None:
        if cooldown_ends(session, tournament.id, author_id, now()) is None:
            raise NoCooldown("minutes", "This student has no cooldown now: they can enter now without your help.")
        row.last_entry = session.execute(_LAST_ENTRY, {"tournament": tournament.id, "author": author_id}).one().id
    else:
        for former in overrides(session, tournament.id, author_id):
            if former.seconds is not None:
                former.revoked_at = now()
        row.seconds = seconds
    session.add(row)
    session.flush()
    _tell(session, tournament, row, f"{describe(seconds)} The reason given: {reason}")
    return row


def describe(seconds: int | None) -> str:
    """An override as the student is told of it."""
    if seconds is None:
        return "You can enter again at once: your re-entry cooldown was lifted."
    if seconds == 0:
        return "You can enter as often as you like: the re-entry cooldown does not apply to you."
    return f"From now on, your re-entry cooldown is {_minutes(seconds)}."


def _minutes(seconds: int) -> str:
    return f"{seconds / 60:g} {'minute' if seconds == 60 else 'minutes'}"


def revoke(session: Session, row: CooldownOverride) -> None:
    """Revoke an override; the student is told. Does nothing if it is revoked already."""
    if row.revoked_at is None:
        row.revoked_at = now()
        session.flush()
        tournament = session.get_one(Tournament, row.tournament_id)
        length = _minutes(tournament.exclusion_s)
        _tell(session, tournament, row, f"Your own re-entry cooldown was revoked. The cooldown is {length} again.")


def _tell(session: Session, tournament: Tournament, row: CooldownOverride, text: str) -> None:
    links = [("assignment", tournament.assignment_id or 0, "Enter a player")]
    subject = f"Your re-entry cooldown in {tournament.title} was changed"
    tell(session, row.author_id, tournament.assignment_id, subject, text, links)
