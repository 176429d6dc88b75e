"""Storing the games of a block, and the standings with them, in one transaction.

The entries of a block are locked in the order of their ids, so that workers that store at the same time neither wait
for each other in a circle nor lose an update.
"""

import logging
from collections.abc import Iterable, Sequence
from functools import partial
from math import isclose
from typing import Any

from sqlalchemy import Select, and_, case, func, select
from sqlalchemy.orm import Session

from tournament import jobs
from tournament.db import after_commit, now
from tournament.jobs import Claim
from tournament.models import Block, Entry, EntryState, PlayedGame, Seat, Tournament
from tournament.notices import Link, tell
from tournament.plackett_luce import finish_of
from tournament.record import Record, is_question
from tournament.schedule import seatings

log = logging.getLogger(__name__)

PRODUCTS = (
    ("games", "games"),
    ("wins", "wins"),
    ("wins", "games"),
    ("places", "places"),
    ("places", "games"),
    ("points", "points"),
    ("points", "games"),
)
"""Of these sums over a block, `Entry` keeps the products summed over all blocks, in columns such as `wins_games`."""

BLOCK_SUMS = ("games", "wins", "faults", "places", "points")

PRODUCT_COLUMNS = tuple("_".join(pair) for pair in PRODUCTS)

OFFENCES_TOLD = 10
"""Of the games that put an entry out, so many of the latest are named to its author."""

SUMS = (*BLOCK_SUMS, "blocks", *PRODUCT_COLUMNS)
"""The columns of `Entry` that the seats which count add up to."""


def store_block(session: Session, claim: Claim, records: Sequence[Record]) -> bool:
    """Store a block's games, in the order of its seatings, and finish the block.

    False, and nothing is stored, if the claim was lost: somebody else plays, or has played, the block.
    """
    block = jobs.held(session, Block, claim)
    if block is None:
        return False
    entries = lock_entries(session, block.entries)
    fault_limit = session.get_one(Tournament, block.tournament_id).fault_limit
    before = {entry: _block_sums(entry) for entry in entries.values()}
    playing = [entry for entry in entries.values() if entry.state == EntryState.ACTIVE]
    games = []
    for seating, (order, record) in enumerate(zip(seatings(block.entries), records, strict=True)):
        games.append(_game(block, seating, record, [entries[id_] for id_ in order], fault_limit))
    session.add_all(games)
    block.finish = "".join(_finish(block.entries, game.seats) for game in games)
    for entry, sums in before.items():
        _count_block(entry, sums)
    jobs.finish(block)
    session.flush()
    after_commit(session, partial(log.info, "stored", extra={"games": [game.id for game in games]}))
    for entry in playing:
        if entry.state == EntryState.OUT and entry.author_id is not None:
            tell_put_out(session, entry, entry.author_id)
    return True


def tell_put_out(session: Session, entry: Entry, author_id: int) -> None:
    """Tell an author at once, with the games to look at, that an entry made too many invalid plays."""
    tournament = entry.tournament
    wanted = select(Seat.game_id, Seat.verdict).where(Seat.entry_id == entry.id, Seat.verdict.is_not(None), Seat.counts)
    games = session.execute(wanted.order_by(Seat.game_id.desc()).limit(OFFENCES_TOLD)).all()
    links: list[Link] = [("offence", row.game_id, f"Game {row.game_id}") for row in games]
    tell(
        session,
        author_id,
        tournament.assignment_id,
        f"{entry.name}, version {entry.version}, is out of {tournament.title}",
        f"It made an invalid play in {entry.faults} games, which is the limit. Each game shows the very call, what was "
        "answered and the rule that was broken. A new entry starts clean.",
        [("entry", entry.id, "All its games"), *links],
    )


def lock_entries(session: Session, ids: Iterable[int]) -> dict[int, Entry]:
    """The entries as they are now, by id; nobody else changes them before this transaction ends."""
    locked = select(Entry).where(Entry.id.in_(ids)).order_by(Entry.id).with_for_update(key_share=True, of=Entry)
    return {entry.id: entry for entry in session.scalars(locked.execution_options(populate_existing=True))}


def _game(block: Block, seating: int, record: Record, table: Sequence[Entry], fault_limit: int) -> PlayedGame:
    """The rows of one game, counted in the standings of its `table`."""
    seats = _seats(record, table)
    for entry, seat in zip(table, seats, strict=True):
        entry.seated += 1
        if seat.counts:
            _count(entry, seat, fault_limit)
    return PlayedGame(
        block_id=block.id,
        seating=seating,
        tournament_id=block.tournament_id,
        ended=record.ended,
        plays=sum(not is_question(play) for _, play in record.plays),
        record=record.pack(),
        seats=seats,
    )


def _seats(record: Record, table: Sequence[Entry]) -> list[Seat]:
    """A game counts for active entries; one that ended in a fault counts for those at fault only."""
    faults = {note.seat: note for note in record.faults}
    seats = []
    for number, entry in enumerate(table):
        note = faults.get(number)
        seat = Seat(seat=number, entry_id=entry.id, place=record.places[number], points=record.points[number])
        seat.counts = entry.state == EntryState.ACTIVE and (note is not None or not faults)
        if note:
            seat.verdict, seat.rule, seat.message = note.verdict.value, note.rule, note.message
        seats.append(seat)
    return seats


def _count(entry: Entry, seat: Seat, fault_limit: int) -> None:
    """Add a seat that counts to its entry's sums; the last fault allowed puts the entry out."""
    entry.games += 1
    entry.wins += seat.place == 1 and seat.verdict is None
    entry.places += seat.place
    entry.points += seat.points
    entry.faults += seat.verdict is not None
    if entry.faults >= fault_limit:
        entry.state, entry.left_at = EntryState.OUT, now()


def _block_sums(entry: Entry) -> dict[str, float]:
    return {column: getattr(entry, column) for column in BLOCK_SUMS}


def _count_block(entry: Entry, before: dict[str, float]) -> None:
    """Add a block to the sums of products; it is what the entry's sums have grown by."""
    block = {column: value - before[column] for column, value in _block_sums(entry).items()}
    if not block["games"]:
        return
    entry.blocks += 1
    for column, (one, other) in zip(PRODUCT_COLUMNS, PRODUCTS, strict=True):
        setattr(entry, column, getattr(entry, column) + block[one] * block[other])


def _finish(entries: Sequence[int], seats: Sequence[Seat]) -> str:
    by_entry = {seat.entry_id: seat for seat in seats}
    ordered = [by_entry[id_] for id_ in entries]
    places, at_fault = [seat.place for seat in ordered], [seat.verdict is not None for seat in ordered]
    return finish_of(places, at_fault, any(seat.counts for seat in ordered))


def recompute(session: Session, tournament: Tournament) -> list[int]:
    """Rebuild the standings from the stored games; the ids of the entries whose sums were wrong."""
    ids = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament.id)).all()
    entries = lock_entries(session, ids)  # first: a result stored after the games were summed would be lost
    sums, seated = _sums(session, tournament), _seated(session, tournament)
    wrong = []
    for id_, entry in entries.items():
        right = dict(zip(SUMS, sums.get(id_, (0,) * len(SUMS)), strict=True)) | {"seated": seated.get(id_, 0)}
        if not all(isclose(value, getattr(entry, column)) for column, value in right.items()):
            wrong.append(id_)  # not `!=`: sums of fractions depend on the order of adding
        for column, value in right.items():
            setattr(entry, column, value)
    session.flush()
    return wrong


def _sums(session: Session, tournament: Tournament) -> dict[int, tuple[float, ...]]:
    """The sums over the seats that count, in the order of SUMS, by entry id."""
    block = _blocks(tournament).subquery()
    products = [block.c[one] * block.c[other] for one, other in PRODUCTS]
    columns = [func.sum(block.c[column]) for column in BLOCK_SUMS]
    summed: list[Any] = [*columns, func.count(), *map(func.sum, products)]  # in the order of SUMS
    rows = session.execute(select(block.c.entry_id, *summed).group_by(block.c.entry_id))
    return {id_: tuple(sums) for id_, *sums in rows}


def _seated(session: Session, tournament: Tournament) -> dict[int, int]:
    """The games that each entry sat in, by its id."""
    seats = select(Seat.entry_id, func.count()).join(Seat.game).where(PlayedGame.tournament_id == tournament.id)
    return dict(session.execute(seats.group_by(Seat.entry_id)).all())


def _blocks(tournament: Tournament) -> Select[*tuple[Any, ...]]:
    """The sums of each entry in each block."""
    fault = case((Seat.verdict.is_not(None), 1), else_=0)
    win = case((and_(Seat.verdict.is_(None), Seat.place == 1), 1), else_=0)
    what = zip(BLOCK_SUMS, (1, win, fault, Seat.place, Seat.points), strict=True)
    return (
        select(Seat.entry_id, *(func.sum(column).label(name) for name, column in what))
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament.id, Seat.counts)
        .group_by(Seat.entry_id, PlayedGame.block_id)
    )
