"""Queueing the blocks that are played next on a ladder. Each function works in the caller's transaction."""

from collections import Counter
from random import Random, SystemRandom
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from tournament.db import now
from tournament.games import find_game
from tournament.jobs import UNFINISHED, JobState
from tournament.models import Block, Entry, EntryState, Tournament, TournamentState
from tournament.schedule import Candidate, Meetings, next_tables
from tournament.strength import strengths

QUEUED_BLOCKS = 16
"""A tournament has at most so many blocks waiting: a second or two of work, so that a new entry plays at once."""


REMEMBERED_BLOCKS = 50_000
"""A process that starts learns from so many of the latest blocks who has met whom."""


def pair(session: Session, tournament: Tournament, rng: Random | None = None) -> int:
    """Queue blocks until QUEUED_BLOCKS wait or the ladder rests; how many were added.

    None are added while another worker pairs the same tournament. The caller sends a message for each one added.
    """
    locked = session.scalar(
        select(Tournament)
        .where(Tournament.id == tournament.id, Tournament.state == TournamentState.OPEN)
        .with_for_update(key_share=True, skip_locked=True)
        .execution_options(populate_existing=True)
    )
    if locked is None:
        return 0
    cancel_stale(session, tournament.id)
    free = QUEUED_BLOCKS - waiting_blocks(session, tournament.id)
    if free <= 0:
        return 0
    rng = rng or SystemRandom()
    candidates = _candidates(session, tournament.id)
    met = _meetings(session, tournament.id, [each.id for each in candidates])
    tables = next_tables(candidates, find_game(tournament.game).seats, free, tournament.target_games, met, rng)
    session.add_all(
        Block(tournament_id=tournament.id, seed=rng.getrandbits(53), entries=list(table)) for table in tables
    )
    session.flush()
    return len(tables)


def cancel_stale(session: Session, tournament_id: int) -> None:
    """Cancel the waiting blocks of entries that have left: nobody would count their games."""
    waiting = select(Block.id, Block.entries).where(
        Block.tournament_id == tournament_id, Block.state == JobState.QUEUED
    )
    tables = {row.id: row.entries for row in session.execute(waiting)}
    seated = {entry for table in tables.values() for entry in table}
    left = set(session.scalars(select(Entry.id).where(Entry.id.in_(seated), Entry.state != EntryState.ACTIVE)))
    stale = [id_ for id_, table in tables.items() if not left.isdisjoint(table)]
    still = update(Block).where(Block.id.in_(stale), Block.state == JobState.QUEUED)
    session.execute(still.values(state=JobState.CANCELLED, finished_at=now()))


def cancel_unfinished(session: Session, tournament_id: int) -> None:
    """Cancel whatever of a tournament is not played; what is being played is not stored any more."""
    left = update(Block).where(Block.tournament_id == tournament_id, Block.state.in_(UNFINISHED))
    cancelled = {"state": JobState.CANCELLED, "owner": None, "lease_until": None, "finished_at": now()}
    session.execute(left.values(cancelled), execution_options={"synchronize_session": False})


def waiting_blocks(session: Session, tournament_id: int) -> int:
    """How many of the tournament's blocks nobody has begun."""
    waiting = select(func.count()).where(Block.tournament_id == tournament_id, Block.state == JobState.QUEUED)
    return session.scalar(waiting) or 0


def _candidates(session: Session, tournament_id: int) -> list[Candidate]:
    """The active entries. Games that wait or are being played count, and those of parked blocks too: a player that
    our own faults keep from playing must not take up the ladder for ever."""
    coming = Counter[int]()
    for table in session.scalars(
        select(Block.entries).where(Block.tournament_id == tournament_id, Block.state.in_(UNFINISHED))
    ):
        coming.update({id_: len(table) for id_ in table})
    rows = session.execute(
        select(Entry.id, Entry.games, Entry.author_id, Entry.bot, Entry.places)
        .where(Entry.tournament_id == tournament_id, Entry.state == EntryState.ACTIVE)
        .order_by(Entry.id)
    ).all()
    guesses = strengths([row.games for row in rows], [-row.places for row in rows]).tolist()
    return [
        Candidate(row.id, row.games + coming[row.id], row.author_id, row.bot is not None, guess)
        for row, guess in zip(rows, guesses, strict=True)
    ]


class _Memory:
    """Who has met whom in a tournament, up to and with the block `last`.

    It saves a process from reading the tournament's blocks again and again, and may be lost at any time. Blocks are
    queued by one transaction at a time, so those that come later have greater ids.
    """

    def __init__(self) -> None:
        self.last = 0
        self.met = Meetings(())


_memories: WeakKeyDictionary[Engine, dict[int, _Memory]] = WeakKeyDictionary()


def _meetings(session: Session, tournament_id: int, ids: list[int]) -> Meetings:
    """Who of these entries has met whom; what it costs depends on their number and on the blocks since the last time,
    not on all that were played."""
    memory = _memories.setdefault(session.get_bind().engine, {}).setdefault(tournament_id, _Memory())
    if memory.met.ids != ids:
        memory.met = memory.met.among(ids)
    new = select(Block.id, Block.entries).where(Block.tournament_id == tournament_id, Block.id > memory.last)
    blocks = session.execute(new.order_by(Block.id.desc()).limit(REMEMBERED_BLOCKS)).all()
    memory.met.add(block.entries for block in blocks)
    memory.last = max((block.id for block in blocks), default=memory.last)
    return memory.met
