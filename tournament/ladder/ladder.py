"""Entering a ladder, in the database.

Each function works in the caller's transaction (`tournament.store.database.writing`). Entering locks the tournament's
row, so that only one student enters at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.ladder.exclusion import SKEW, Excluded, Overtaken, exclusion_ends
from tournament.ladder.results import locked_entries
from tournament.play.games import find_game
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState, Tournament, TournamentState


class TournamentClosed(Exception):
    """The tournament is closed."""

    def __init__(self) -> None:
        super().__init__("This tournament is closed: nobody can enter any more.")


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A player to be entered. `asked_at`: when its author asked for it, if that was earlier. The exclusion of their
    last entry must be over by then, and the new one runs from then."""

    author_id: int
    player_id: int
    name: str
    asked_at: datetime | None = None
    trace: str | None = None  # its upload's, see `tournament.work.messages`


def enter(session: Session, tournament: Tournament, new: NewEntry, at: datetime | None = None) -> Entry:
    """Accept a player, which starts from nothing. It replaces the author's oldest active entry, unless the tournament
    lets them have more.

    The caller sends `tournament.pair` after the commit. Raises TournamentClosed, Excluded, Overtaken.
    """
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
            # not one that a clock which jumped has dated later
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
    """Check that the author can enter at that moment. Raises TournamentClosed and Excluded."""
    if tournament.state == TournamentState.CLOSED:
        raise TournamentClosed
    ends = exclusion_ends(session, tournament.id, author_id, at)
    if ends:
        raise Excluded(ends, at)


def replace_oldest(entries: Iterable[Entry], limit: int, at: datetime) -> int:
    """Keep the `limit` latest active ones of an author's locked entries in play; how many were replaced."""
    active = sorted((each for each in entries if each.state == EntryState.ACTIVE), key=lambda each: each.version)
    replaced = active[: max(0, len(active) - limit)]
    for each in replaced:
        leave(each, EntryState.REPLACED, at)
    return len(replaced)


def leave(entry: Entry, state: EntryState, at: datetime) -> None:
    """Take a locked entry out of play, if it is in it."""
    if entry.state == EntryState.ACTIVE:
        entry.state, entry.left_at = state, at


def lock(session: Session, tournament: Tournament) -> None:
    """Let nobody else enter or leave until the transaction ends; the tournament is read again."""
    locked = select(Tournament).where(Tournament.id == tournament.id).with_for_update(key_share=True)
    session.scalars(locked.execution_options(populate_existing=True)).one()


def ensure_bots(session: Session, tournament: Tournament) -> None:
    """Enter the game's house bots that are not in the tournament yet, and withdraw those that the game no longer
    has."""
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


# The leaderboard
