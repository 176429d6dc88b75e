"""Entering a ladder, the re-entry cooldown, withdrawing an entry and reinstating it, in the database.

Each function works in the caller's transaction (`tournament.store.database.writing`). Entering, withdrawing and
reinstating lock the tournament's row, so that only one student enters or leaves at a time. A withdrawn entry keeps its
standing. Finals and brackets play copies of entries, so they continue even if an entry is withdrawn in the meantime.

The cooldown, `exclusion` in the database, in files and in the API, is how long a student who has entered cannot enter
again; instructors can make an exception for one student. A student whose entry was put out may enter a corrected player
sooner. Only an accepted entry starts the cooldown: an attempt that an internal error stopped does not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from tournament.ladder.results import lock_entries, locked_entries
from tournament.play.games import find_game
from tournament.store.database import columns, now
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import CooldownOverride, Entry, EntryState, Tournament, TournamentKind, TournamentState
from tournament.store.validation import Refusal

SKEW = timedelta(minutes=1)
"""Hosts' clocks differ by less than this. An entry dated further in the future, by a clock that has since been set
back, does not keep anybody from entering."""

LONGEST_S = 7 * 24 * 3600
LONGEST_REASON = 500


class OnCooldown(Refusal):
    """The author entered too recently. `retry_after_s`: whole seconds until an entry is possible, at least 1."""

    status = 429
    code = "excluded"

    def __init__(self, ends: datetime, at: datetime) -> None:
        self.ends = ends
        self.retry_after_s = max(1, ceil((ends - at).total_seconds()))
        super().__init__(f"You entered a short time ago; you can enter again in {self.retry_after_s} seconds.")


class Overtaken(Exception):
    """The author has entered another player after requesting this entry; the other player stays."""


class OverrideError(Refusal):
    """An override is invalid. `field`: `reason` or `minutes`, whichever is wrong."""

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
    """Return the time at which the author can enter again; None if that is possible now. `given`: their overrides, if
    the caller has them already."""
    last = columns(session, _LAST_ENTRY, {"tournament": tournament_id, "author": author_id}).one_or_none()
    if last is None:
        return None
    given = cooldown_overrides(session, tournament_id, author_id) if given is None else given
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


def cooldown_overrides(
    session: Session, tournament_id: int, author_id: int | None = None
) -> Sequence[CooldownOverride]:
    """Return the overrides that were not revoked, of one student or of all, the oldest first."""
    which = {"tournament": tournament_id, "author": author_id}
    return session.scalars(_OF_ALL if author_id is None else _OF_ONE, which).all()


_OF_ALL = (
    select(CooldownOverride)
    .where(CooldownOverride.tournament_id == bindparam("tournament"), CooldownOverride.revoked_at.is_(None))
    .order_by(CooldownOverride.id)
)
_OF_ONE = _OF_ALL.where(CooldownOverride.author_id == bindparam("author"))


def override_cooldown(
    session: Session, tournament: Tournament, author_id: int, seconds: int | None, reason: str, by: int
) -> CooldownOverride:
    """Give a student a cooldown of `seconds` in place of the tournament's or, with None, let them enter now. They get a
    notice with the reason. Raises OverrideError."""
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise OverrideError("reason", f"Give a reason of 1 to {LONGEST_REASON} characters: the student sees it.")
    if seconds is not None and not 0 <= seconds <= LONGEST_S:
        raise OverrideError("minutes", f"A cooldown can last from 0 to {LONGEST_S // 60} minutes.")
    row = CooldownOverride(tournament_id=tournament.id, author_id=author_id, reason=reason, given_by=by)
    if seconds is None:
        if cooldown_ends(session, tournament.id, author_id, now()) is None:
            raise NoCooldown("minutes", "This student has no cooldown now, so they can enter without your help.")
        row.last_entry = session.execute(_LAST_ENTRY, {"tournament": tournament.id, "author": author_id}).one().id
    else:
        for former in cooldown_overrides(session, tournament.id, author_id):
            if former.seconds is not None:
                former.revoked_at = now()
        row.seconds = seconds
    session.add(row)
    session.flush()
    _tell_of_cooldown(session, tournament, row, f"{override_words(seconds)} The reason given: {reason}")
    return row


def override_words(seconds: int | None) -> str:
    """Return the sentence that tells the student about an override."""
    if seconds is None:
        return "You can enter again at once: your re-entry cooldown was lifted."
    if seconds == 0:
        return "You can enter as often as you like: the re-entry cooldown does not apply to you."
    return f"From now on, your re-entry cooldown is {_minutes(seconds)}."


def _minutes(seconds: int) -> str:
    return f"{seconds / 60:g} {'minute' if seconds == 60 else 'minutes'}"


def revoke_override(session: Session, row: CooldownOverride) -> None:
    """Revoke an override; the student is told. Does nothing if it is revoked already."""
    if row.revoked_at is None:
        row.revoked_at = now()
        session.flush()
        tournament = session.get_one(Tournament, row.tournament_id)
        length = _minutes(tournament.exclusion_s)
        _tell_of_cooldown(
            session, tournament, row, f"Your personal re-entry cooldown was revoked. The cooldown is {length} again."
        )


def _tell_of_cooldown(session: Session, tournament: Tournament, row: CooldownOverride, text: str) -> None:
    links = [("assignment", tournament.assignment_id or 0, "Enter a player")]
    subject = f"Your re-entry cooldown in {tournament.title} was changed"
    tell(session, row.author_id, tournament.assignment_id, subject, text, links, NoticeKind.ENTRY)


FROZEN = {
    TournamentKind.FINAL: "A final is played by the entries that were frozen for it; nobody can leave it.",
    TournamentKind.BRACKET: "A bracket is played by the entries that were in the draw; nobody can leave it.",
}


class TournamentClosed(Exception):
    """The tournament is closed."""

    def __init__(self) -> None:
        super().__init__("This tournament is closed: nobody can enter any more.")


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A player to be entered. `asked_at`: when its author requested the entry, if that was earlier. The cooldown of the
    author's last entry must have ended by then, and the new cooldown starts then."""

    author_id: int
    player_id: int
    name: str
    asked_at: datetime | None = None
    trace: str | None = None  # the upload's trace id, see `tournament.work.runner`


def enter(session: Session, tournament: Tournament, new: NewEntry, at: datetime | None = None) -> Entry:
    """Accept a player. Its entry starts with empty standings and replaces its author's oldest active entry, unless the
    author may have more entries. The caller sends `tournament.pair` after the commit. Raises TournamentClosed,
    OnCooldown, Overtaken."""
    at = at or now()
    asked = new.asked_at or at
    lock(session, tournament)
    check_enterable(session, tournament, new.author_id, asked)
    own = (Entry.tournament_id == tournament.id, Entry.author_id == new.author_id)
    formers = session.scalars(locked_entries(*own)).all()
    if new.asked_at:
        later = [
            each
            for each in formers
            if each.state == EntryState.ACTIVE
            # ignores entries that a wrong clock dated in the future
            and asked < (each.exclusion_from or each.entered_at) <= at + SKEW
        ]
        if len(later) >= tournament.active_limit:
            raise Overtaken
    replace_oldest(formers, tournament.active_limit - 1, at)
    entry = Entry(
        tournament_id=tournament.id,
        author_id=new.author_id,
        player_id=new.player_id,
        name=new.name,
        version=max((former.version for former in formers), default=0) + 1,
        entered_at=at,
        exclusion_from=asked,
        trace=new.trace,
    )
    session.add(entry)
    session.flush()
    return entry


def check_enterable(session: Session, tournament: Tournament, author_id: int, at: datetime) -> None:
    """Check that the author can enter at that moment. Raises TournamentClosed and OnCooldown."""
    if tournament.state == TournamentState.CLOSED:
        raise TournamentClosed
    ends = cooldown_ends(session, tournament.id, author_id, at)
    if ends:
        raise OnCooldown(ends, at)


def replace_oldest(entries: Iterable[Entry], limit: int, at: datetime) -> int:
    """Keep only the `limit` latest active entries of an author's locked `entries` in play; return how many were
    replaced."""
    active = sorted((each for each in entries if each.state == EntryState.ACTIVE), key=lambda each: each.version)
    replaced = active[: max(0, len(active) - limit)]
    for each in replaced:
        leave(each, EntryState.REPLACED, at)
    return len(replaced)


def leave(entry: Entry, state: EntryState, at: datetime) -> None:
    """Take a locked entry out of play if it is active."""
    if entry.state == EntryState.ACTIVE:
        entry.state, entry.left_at = state, at


def lock(session: Session, tournament: Tournament) -> None:
    """Lock the tournament, so that nobody else can enter or leave until the transaction ends, and read it again."""
    locked = select(Tournament).where(Tournament.id == tournament.id).with_for_update(key_share=True)
    session.scalars(locked.execution_options(populate_existing=True)).one()


def ensure_bots(session: Session, tournament: Tournament) -> None:
    """Enter the game's house bots that are not in the tournament yet; withdraw those that the game no longer has."""
    lock(session, tournament)
    bots = {bot.name: bot for bot in find_game(tournament.game).bots}
    entered = session.scalars(
        select(Entry).where(Entry.tournament_id == tournament.id, Entry.bot.is_not(None)).order_by(Entry.id)
    ).all()
    for entry in entered:
        if entry.bot not in bots:
            leave(entry, EntryState.WITHDRAWN, now())
    for name in sorted(bots.keys() - {entry.bot for entry in entered}):
        session.add(Entry(tournament_id=tournament.id, bot=name, name=bots[name].title))
    session.flush()


# Withdrawing


class WithdrawalError(Refusal):
    """An entry cannot be withdrawn or reinstated; the message says why."""

    code = "conflict"


def withdraw(session: Session, entry: Entry, by: int, at: datetime | None = None) -> None:
    """Take an active entry out of its ladder. Its games are kept, and the entry continues from them if it is
    reinstated. The author gets a notice if somebody else withdraws the entry. Raises WithdrawalError."""
    tournament = _locked_ladder(session, entry)
    if entry.state is not EntryState.ACTIVE:
        raise WithdrawalError(f"Only an active entry can be withdrawn; this one is {entry.state.value}.")
    leave(entry, EntryState.WITHDRAWN, at or now())
    entry.withdrawn_by = by
    text = "It plays no more games, and it is not ranked. Your other entries are not affected; you can enter again."
    _tell_of_entry(session, tournament, entry, by, "was withdrawn by your instructor", text)
    session.flush()


def reinstate(session: Session, entry: Entry, by: int, instructs: bool = False) -> None:
    """Let a withdrawn entry play again. An instructor can also reinstate an entry that was put out, once the fault
    limit is higher than its number of faults. The author gets a notice if somebody else reinstates the entry. The
    caller sends `tournament.pair` after the commit. Raises WithdrawalError."""
    tournament = _locked_ladder(session, entry)
    refusal = _why_not_reinstated(session, tournament, entry, by, instructs)
    if refusal:
        raise WithdrawalError(refusal)
    entry.state, entry.left_at, entry.withdrawn_by = EntryState.ACTIVE, None, None
    _tell_of_entry(
        session, tournament, entry, by, "was reinstated by your instructor", "It continues from where it was."
    )
    session.flush()


def can_withdraw(entry: Entry) -> bool:
    """Whether `withdraw` would succeed."""
    return entry.author_id is not None and entry.tournament.kind not in FROZEN and entry.state is EntryState.ACTIVE


def can_reinstate(session: Session, entry: Entry, by: int, instructs: bool = False) -> bool:
    """Whether `reinstate` would succeed."""
    frozen = entry.author_id is None or entry.tournament.kind in FROZEN
    return not frozen and not _why_not_reinstated(session, entry.tournament, entry, by, instructs)


def _locked_ladder(session: Session, entry: Entry) -> Tournament:
    tournament = entry.tournament
    if tournament.kind in FROZEN:
        raise WithdrawalError(FROZEN[tournament.kind])
    if entry.author_id is None:
        raise WithdrawalError("A house bot belongs to the game and cannot be withdrawn.")
    lock(session, tournament)
    lock_entries(session, [entry.id])
    return tournament


def _why_not_reinstated(session: Session, tournament: Tournament, entry: Entry, by: int, instructs: bool) -> str:
    """Return the reason why an entry cannot be reinstated; "" if it can."""
    if tournament.state is TournamentState.CLOSED:
        return "This tournament is closed, so entries cannot be reinstated."
    if entry.state is EntryState.OUT and instructs:
        if entry.faults >= tournament.fault_limit:
            return (
                f"It made an invalid play in {entry.faults} games, and an entry is removed after "
                f"{tournament.fault_limit}. "
                "Raise that limit first, or let the student enter a new version."
            )
    elif entry.state is not EntryState.WITHDRAWN:
        return f"Only an entry that was withdrawn can be reinstated; this one is {entry.state.value}."
    elif not instructs and entry.withdrawn_by != by:
        return "Your instructor has withdrawn this entry; only an instructor can reinstate it."
    own = (Entry.tournament_id == tournament.id, Entry.author_id == entry.author_id)
    active = session.scalar(select(func.count()).where(*own, Entry.state == EntryState.ACTIVE)) or 0
    if active < tournament.active_limit:
        return ""
    have = "another entry is" if active == 1 else f"{active} other entries are"
    return f"{have.capitalize()} playing, which is the most a student can have here. Withdraw one of them first."


def _tell_of_entry(session: Session, tournament: Tournament, entry: Entry, by: int, did: str, text: str) -> None:
    if by != entry.author_id and entry.author_id is not None:
        name = f"{entry.name}, version {entry.version}"
        subject = f"{name}, {did} in {tournament.title}"
        links = [("entry", entry.id, name)]
        tell(session, entry.author_id, tournament.assignment_id, subject, text, links, NoticeKind.ENTRY)
