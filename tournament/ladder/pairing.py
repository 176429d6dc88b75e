"""Queues the blocks that are played next on a ladder. Each function works in the caller's transaction. `draw`, which
decides who plays whom, only reads, so that nobody has to wait for it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, repeat
from random import Random, SystemRandom
from threading import Lock
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, Row, func, insert, select, update
from sqlalchemy.orm import Session

from tournament.ladder.schedule import FIRST_GAMES, Candidate, Meetings, next_tables, strengths, urgencies
from tournament.play.games import find_game
from tournament.store.database import changed, now
from tournament.store.jobs import UNFINISHED, JobState
from tournament.store.tables import Block, Entry, EntryState, Tournament, TournamentKind, TournamentState

QUEUED_BLOCKS = 16
"""The maximum number of blocks in a tournament's queue. The same number of blocks with new entries' first games can
wait in addition."""

REMEMBERED_BLOCKS = 50_000
"""A process that has just started reads this many of the latest blocks to find out who has met whom."""


@dataclass(frozen=True, slots=True)
class DrawnBlocks:
    """A change to a ladder's queue. Add `blocks`, as (seed, entries), after the `last` one, with their `urgencies`.
    Cancel the blocks with the ids in `stale`: one of their entries has left, so their games would not count."""

    tournament_id: int
    last: int
    blocks: Sequence[tuple[int, Sequence[int]]]
    urgencies: Sequence[int]
    stale: Sequence[int]


def draw(session: Session, tournament: Tournament, rng: Random | None = None) -> DrawnBlocks | None:
    """Return the blocks that fill the queue up to QUEUED_BLOCKS, fewer if the ladder rests; None if there is nothing to
    do. Locks nothing, unlike `queue`."""
    if tournament.state is not TournamentState.OPEN:
        return None
    # Read first, so that whatever is queued in the meantime is newer
    last = session.scalar(select(func.max(Block.id)).where(Block.tournament_id == tournament.id)) or 0
    unfinished = (Block.tournament_id == tournament.id, Block.state.in_(UNFINISHED))
    coming = session.execute(select(Block.id, Block.state, Block.entries, Block.urgency).where(*unfinished)).all()
    stale = _stale(session, coming)
    urgent = [each.urgency > 0 for each in coming if each.state is JobState.QUEUED and each.id not in stale]
    free, first = QUEUED_BLOCKS - len(urgent), QUEUED_BLOCKS - sum(urgent)
    blocks: list[tuple[int, Sequence[int]]] = []
    urgency: list[int] = []
    if free > 0 or (first > 0 and _newcomers(session, tournament.id)):
        rng = rng or SystemRandom()
        candidates = _active_candidates(
            session, tournament.id, [each.entries for each in coming if each.id not in stale]
        )
        met = meetings_of(session, tournament.id, [each.id for each in candidates], REMEMBERED_BLOCKS)
        sizes = find_game(tournament.game).seats
        tables = next_tables(candidates, sizes, free, tournament.target_games, met, rng, first)
        urgency = urgencies(candidates, tables)
        blocks = [(rng.getrandbits(53), table) for table in tables]
    return DrawnBlocks(tournament.id, last, blocks, urgency, sorted(stale)) if blocks or stale else None


def queue(drawn: DrawnBlocks, session: Session) -> int:
    """Queue the drawn blocks and return their number; the caller sends a message for each. No block is added if another
    worker is pairing the tournament or has paired it since, or if the tournament is no longer open."""
    open_ = select(Tournament.id).where(Tournament.id == drawn.tournament_id, Tournament.state == TournamentState.OPEN)
    if session.scalar(open_.with_for_update(key_share=True, skip_locked=True)) is None:
        return 0
    if drawn.stale:
        waiting = update(Block).where(Block.id.in_(drawn.stale), Block.state == JobState.QUEUED)
        changed(session, waiting.values(state=JobState.CANCELLED, finished_at=now()))
    newer = select(Block.id).where(Block.tournament_id == drawn.tournament_id, Block.id > drawn.last)
    if session.scalar(newer.limit(1)) is not None:
        return 0
    add_blocks(session, drawn.tournament_id, drawn.blocks, drawn.urgencies)
    return len(drawn.blocks)


def add_blocks(
    session: Session, tournament_id: int, blocks: Sequence[tuple[int, Sequence[int]]], urgencies: Iterable[int] = ()
) -> None:
    """Queue blocks of a tournament, given as (seed, entries), in one statement. Without `urgencies` no block is
    urgent."""
    rows = [
        {"tournament_id": tournament_id, "seed": seed, "entries": table, "urgency": urgency}
        for (seed, table), urgency in zip(blocks, chain(urgencies, repeat(0)), strict=False)
    ]
    if rows:
        session.execute(insert(Block.__table__), rows)  # type: ignore[arg-type]  # it is a table


def _stale(session: Session, coming: Sequence[Row[int, JobState, list[int], int]]) -> set[int]:
    """Return the ids of waiting blocks with an entry that has left."""
    waiting = {each.id: each.entries for each in coming if each.state is JobState.QUEUED}
    seated = {entry for table in waiting.values() for entry in table}
    left = set(session.scalars(select(Entry.id).where(Entry.id.in_(seated), Entry.state != EntryState.ACTIVE)))
    return {id_ for id_, table in waiting.items() if not left.isdisjoint(table)}


def cancel_unfinished(session: Session, tournament_id: int) -> None:
    """Cancel all blocks of a tournament that are not finished; games that are being played will not be stored."""
    left = update(Block).where(Block.tournament_id == tournament_id, Block.state.in_(UNFINISHED))
    changed(session, left.values(state=JobState.CANCELLED, owner=None, lease_until=None, finished_at=now()))


def runs_low(session: Session, tournament_id: int) -> bool:
    """Whether half of a tournament's queue has been started or, while new entries need games, half of the blocks that
    may wait for them."""
    queued = (Block.tournament_id == tournament_id, Block.state == JobState.QUEUED)
    urgent = session.scalars(select(Block.urgency > 0).where(*queued)).all()
    half = QUEUED_BLOCKS // 2
    return len(urgent) <= half or (sum(urgent) <= half and _newcomers(session, tournament_id))


def _newcomers(session: Session, tournament_id: int) -> bool:
    """Whether any student's entry in a ladder lacks some of its first games."""
    ladder = (Tournament.id == tournament_id, Tournament.kind == TournamentKind.LADDER)
    active = (Entry.tournament_id == tournament_id, Entry.state == EntryState.ACTIVE, Entry.author_id.is_not(None))
    found = select(Entry.id).join(Entry.tournament).where(*ladder, *active, Entry.games < FIRST_GAMES).limit(1)
    return session.scalar(found) is not None


def _active_candidates(session: Session, tournament_id: int, coming: Iterable[Sequence[int]]) -> list[Candidate]:
    """Return the active entries. Games that are `coming` count as played, even in parked blocks: otherwise a player
    that cannot play because of internal errors would occupy the ladder forever."""
    more = Counter[int]()
    for table in coming:
        more.update({id_: len(table) for id_ in table})
    active = select(Entry.id, Entry.games, Entry.author_id, Entry.bot, Entry.places).where(
        Entry.tournament_id == tournament_id, Entry.state == EntryState.ACTIVE
    )
    rows = session.execute(active.order_by(Entry.id)).all()
    guesses = strengths([row.games for row in rows], [-row.places for row in rows]).tolist()
    return [
        Candidate(id_, games + more[id_], author_id, bot is not None, guess)
        for (id_, games, author_id, bot, _), guess in zip(rows, guesses, strict=True)
    ]


class _KnownMeetings:
    """Who has met whom in a tournament, up to and including its block `last`, queued at `queued_at`. This cache saves
    reading all blocks again, and can be dropped at any time. Only one transaction at a time queues blocks, so blocks
    queued later have greater ids."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        """Empty the cache."""
        self.last, self.met = 0, Meetings(())
        self.queued_at: datetime | None = None


_known: WeakKeyDictionary[Engine, dict[int, _KnownMeetings]] = WeakKeyDictionary()


def meetings_of(session: Session, tournament_id: int, ids: list[int], most: int | None = None) -> Meetings:
    """Return how often each two of these entries have met. The cost depends on the number of entries and on the blocks
    since the last call, not on all blocks that were ever played. `most`: the maximum number of latest blocks to
    read, which limits the time of a process's first call."""
    known = _known.setdefault(session.get_bind().engine, {}).setdefault(tournament_id, _KnownMeetings())
    with known.lock:
        if known.last and session.scalar(select(Block.queued_at).where(Block.id == known.last)) != known.queued_at:
            known.forget()  # an older backup has been restored
        if known.met.ids != ids:
            known.met = known.met.among(ids)
        new = select(Block.id, Block.entries, Block.queued_at).where(Block.tournament_id == tournament_id)
        blocks = session.execute(new.where(Block.id > known.last).order_by(Block.id.desc()).limit(most)).all()
        known.met.add(block.entries for block in blocks)
        if blocks:
            known.last, known.queued_at = blocks[0].id, blocks[0].queued_at
        return known.met


def forget_meetings(session: Session, tournament_id: int) -> None:
    """Drop the cache of a tournament in which no more blocks are paired."""
    _known.get(session.get_bind().engine, {}).pop(tournament_id, None)
