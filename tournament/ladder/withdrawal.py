"""Withdrawing an entry from a ladder, and reinstating it. Its standing is kept, and nothing else changes.

Each function works in the caller's transaction and locks the tournament, as entering does. Finals and brackets play
copies of the entries, so they continue with entries that are withdrawn in the meantime.
"""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.ladder.ladder import leave, lock
from tournament.ladder.results import lock_entries
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import Entry, EntryState, Tournament, TournamentKind, TournamentState
from tournament.store.validation import Refusal

FROZEN = {
    TournamentKind.FINAL: "A final plays the entries that were frozen for it; nobody can leave it.",
    TournamentKind.BRACKET: "A bracket plays the entries that it was drawn with; nobody can leave it.",
}


class WithdrawalError(Refusal):
    """An entry cannot be withdrawn or reinstated; the message says why."""

    code = "conflict"


def withdraw(session: Session, entry: Entry, by: int, at: datetime | None = None) -> None:
    """Take an active entry out of its ladder. Its games stay; it comes back with them. Raises WithdrawalError.

    The author is told if somebody else does it.
    """
    tournament = _locked(session, entry)
    if entry.state is not EntryState.ACTIVE:
        raise WithdrawalError(f"Only an active entry can be withdrawn; this one is {entry.state.value}.")
    leave(entry, EntryState.WITHDRAWN, at or now())
    entry.withdrawn_by = by
    text = "It plays no more games, and it is not ranked. Your other entries are not affected; you can enter again."
    _tell_author(session, tournament, entry, by, "was withdrawn by your instructor", text)
    session.flush()


def reinstate(session: Session, entry: Entry, by: int, instructs: bool = False) -> None:
    """Let a withdrawn entry play again. The caller sends `tournament.pair` after the commit.

    An instructor can also bring back an entry that was put out, once the threshold is higher. Raises WithdrawalError.
    """
    tournament = _locked(session, entry)
    refusal = _refusal(session, tournament, entry, by, instructs)
    if refusal:
        raise WithdrawalError(refusal)
    entry.state, entry.left_at, entry.withdrawn_by = EntryState.ACTIVE, None, None
    _tell_author(session, tournament, entry, by, "was reinstated by your instructor", "It continues from where it was.")
    session.flush()


def can_withdraw(entry: Entry) -> bool:
    """Whether `withdraw` would do it."""
    return entry.author_id is not None and entry.tournament.kind not in FROZEN and entry.state is EntryState.ACTIVE


def can_reinstate(session: Session, entry: Entry, by: int, instructs: bool = False) -> bool:
    """Whether `reinstate` would do it."""
    frozen = entry.author_id is None or entry.tournament.kind in FROZEN
    return not frozen and not _refusal(session, entry.tournament, entry, by, instructs)


def _locked(session: Session, entry: Entry) -> Tournament:
    tournament = entry.tournament
    if tournament.kind in FROZEN:
        raise WithdrawalError(FROZEN[tournament.kind])
    if entry.author_id is None:
        raise WithdrawalError("A house bot stays as long as the game has it.")
    lock(session, tournament)
    lock_entries(session, [entry.id])
    return tournament


def _refusal(session: Session, tournament: Tournament, entry: Entry, by: int, instructs: bool) -> str:
    """Why an entry cannot be reinstated; "" if it can."""
    if tournament.state is TournamentState.CLOSED:
        return "This tournament is closed: nobody can come back."
    if entry.state is EntryState.OUT and instructs:
        if entry.faults >= tournament.fault_limit:
            return (
                f"It made an invalid play in {entry.faults} games, and {tournament.fault_limit} put an entry out. "
                "Raise that threshold first, or let the student enter a new version."
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
    return f"{have.capitalize()} playing, which is as many as a student may have here. Withdraw one of them first."


def _tell_author(session: Session, tournament: Tournament, entry: Entry, by: int, did: str, text: str) -> None:
    if by != entry.author_id and entry.author_id is not None:
        name = f"{entry.name}, version {entry.version}"
        subject = f"{name}, {did} in {tournament.title}"
        tell(session, entry.author_id, tournament.assignment_id, subject, text, [("entry", entry.id, name)])
