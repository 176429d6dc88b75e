"""Stores the games of a block, and updates the standings, in one transaction.

The entries of a block are locked in the order of their ids, so that workers that store at the same time neither
deadlock nor lose an update.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from sqlalchemy import ColumnElement, Select, Table, bindparam, insert, select, update
from sqlalchemy.orm import Session

from tournament.play.record import Record, is_question
from tournament.play.table import seatings
from tournament.ranking.plackett_luce import finish_of
from tournament.store import jobs
from tournament.store.database import after_commit, changed, now
from tournament.store.jobs import Claim, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Block, Entry, EntryState, Link, PlayedGame, Seat, Tournament

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
"""The pairs of a block's sums that are multiplied. `Entry` keeps the sums of these products over all blocks, in columns
such as `wins_games`."""

BLOCK_SUMS = ("games", "wins", "faults", "places", "points")

PRODUCT_COLUMNS = tuple("_".join(pair) for pair in PRODUCTS)

OFFENCES_TOLD = 10
"""The number of latest games with faults that are listed for an author whose entry is put out."""

FORM_GAMES = 64
"""The number of latest games whose results an entry keeps."""

SUMS = (*BLOCK_SUMS, "blocks", *PRODUCT_COLUMNS)
"""The columns of `Entry` that are sums over the seats that count."""

Rows: TypeAlias = Sequence[dict[str, Any]]
"""Rows of one table, by column."""

# Statements for storing a block, each built only once: SQLAlchemy takes longer to build one than SQLite to execute it.

_BLOCK, _ENTRY, _GAME, _SEAT = (cast("Table", kind.__table__) for kind in (Block, Entry, PlayedGame, Seat))

HELD = (
    select(Block.entries, Block.tournament_id, Tournament.fault_limit)
    .join(Block.tournament)
    .where(jobs.stands(Block, jobs.ANY_CLAIM))
    .with_for_update(of=Block)
)
TABLE = (
    select(Entry.id, Entry.state, Entry.faults, Entry.form)
    .where(Entry.id.in_(bindparam("ids", expanding=True)))
    .order_by(Entry.id)
    .with_for_update(key_share=True, of=Entry)
)
GAMES, SEATS = insert(_GAME), insert(_SEAT)
IDS = select(_GAME.c.id).where(_GAME.c.block_id == bindparam("block")).order_by(_GAME.c.seating)
ADDED = (
    update(_ENTRY)
    .where(_ENTRY.c.id == bindparam("entry_id"))
    .values({column: _ENTRY.c[column] + bindparam(f"more_{column}") for column in (*SUMS, "seated")})
    .values(form=bindparam("new_form"))
)
PLAYED = update(_BLOCK).where(_BLOCK.c.id == bindparam("block"))


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a block, with what can be calculated before anything is locked. `times`: see `call_times`."""

    record: Record
    packed: bytes
    plays: int
    times: Sequence[tuple[float, float] | tuple[None, None]]

    @staticmethod
    def of(record: Record) -> "Played":
        plays = sum(not is_question(play) for _, play in record.plays)
        return Played(record, record.pack(), plays, call_times(record))


def call_times(record: Record) -> list[tuple[float, float] | tuple[None, None]]:
    """Return, by seat, the CPU time of the average call and of the slowest call, in milliseconds; None for both if
    there are no calls or their times are not known."""
    times: list[list[float]] = [[] for _ in record.seats]
    for (seat, play), ms in zip(record.plays, record.times_ms, strict=False):  # golden records have no times
        if not is_question(play):
            times[seat].append(ms)
    return [(round(sum(each) / len(each), 3), max(each)) if each else (None, None) for each in times]


def letter(place: int, fault: bool) -> str:
    """Return the letter in `Entry.form` for a game that counts: `w` for a win, `f` for a loss by a fault, else `l`."""
    return "f" if fault else "w" if place == 1 else "l"


def store_block(session: Session, claim: Claim, games: Sequence[Played]) -> bool:
    """Store a block's games, in the order of its seatings, and finish the block. If the claim was lost, store nothing
    and return False. On SQLite nobody else can write meanwhile, so this uses few statements and loads no objects
    into the session."""
    block = session.execute(HELD, asdict(claim)).one_or_none()
    if block is None:
        return False
    rows = session.execute(TABLE, {"ids": block.entries})
    parts = {
        row.id: _EntryInBlock(row.id, row.state == EntryState.ACTIVE, block.fault_limit - row.faults, row.form)
        for row in rows
    }
    seats = [
        _seat_rows(game, [parts[id_] for id_ in order])
        for game, order in zip(games, seatings(block.entries), strict=True)
    ]
    ids = _insert(session, claim.id, block.tournament_id, games, seats)
    session.execute(ADDED, [part.added() for part in parts.values()])
    finish = "".join(_finish(block.entries, rows) for rows in seats)
    session.execute(PLAYED, {"block": claim.id, "finish": finish, **jobs.ended(JobState.DONE)})
    session.expire_all()
    after_commit(session, partial(log.info, "stored", extra={"games": ids}))
    _put_out(session, [part.entry_id for part in parts.values() if part.put_out])
    return True


def _insert(
    session: Session, block_id: int, tournament_id: int, games: Sequence[Played], seats: Sequence[Rows]
) -> Sequence[int]:
    """Insert the games and their seats; return the games' ids."""
    of_block = {"block_id": block_id, "tournament_id": tournament_id}
    rows = [
        {"seating": seating, "ended": game.record.ended, "plays": game.plays, "record": game.packed, **of_block}
        for seating, game in enumerate(games)
    ]
    session.execute(GAMES, rows)
    # Without RETURNING, with which SQLite would insert the rows one by one
    ids = session.scalars(IDS, {"block": block_id}).all()
    of_block = {"block_id": block_id}
    session.execute(
        SEATS, [row | {"game_id": id_, **of_block} for id_, table in zip(ids, seats, strict=True) for row in table]
    )
    return ids


def _put_out(session: Session, ids: Sequence[int]) -> None:
    if not ids:
        return
    changed(session, update(Entry).where(Entry.id.in_(ids)).values(state=EntryState.OUT, left_at=now()))
    for entry in session.scalars(select(Entry).where(Entry.id.in_(ids)).order_by(Entry.id)):
        if entry.author_id is not None:
            tell_put_out(session, entry, entry.author_id)


def tell_put_out(session: Session, entry: Entry, author_id: int) -> None:
    """Tell an author that an entry made too many invalid plays, with the games to look at."""
    tournament = entry.tournament
    wanted = select(Seat.game_id, Seat.verdict).where(Seat.entry_id == entry.id, Seat.verdict.is_not(None), Seat.counts)
    games = session.execute(wanted.order_by(Seat.game_id.desc()).limit(OFFENCES_TOLD)).all()
    links: list[Link] = [("offence", row.game_id, f"Game {row.game_id}") for row in games]
    tell(
        session,
        author_id,
        tournament.assignment_id,
        f"{entry.name}, version {entry.version}, was removed from {tournament.title}",
        f"It made an invalid play in {entry.faults} games, which is the limit. Each game shows the call, the answer "
        "and the rule that was broken. A new entry starts with no invalid plays counted.",
        [("entry", entry.id, "All its games"), *links],
        NoticeKind.ENTRY,
    )


def lock_entries(session: Session, ids: Iterable[int], *conditions: ColumnElement[bool]) -> dict[int, Entry]:
    """Lock and return the entries as they are now, by id; nobody else can change them before this transaction ends."""
    return {entry.id: entry for entry in session.scalars(locked_entries(Entry.id.in_(ids), *conditions))}


def locked_entries(*conditions: ColumnElement[bool]) -> Select[Entry]:
    """Return a query that selects entries and locks them in the order of their ids. All code must lock entries in this
    order."""
    locked = select(Entry).where(*conditions).order_by(Entry.id).with_for_update(key_share=True, of=Entry)
    return locked.execution_options(populate_existing=True)


@dataclass(slots=True)
class _EntryInBlock:
    """An entry in a block: whether its games count, how many faults it has left, its form, and what the block adds."""

    entry_id: int
    active: bool
    faults_left: int
    form: str
    seated: int = 0
    games: int = 0
    wins: int = 0
    faults: int = 0
    places: int = 0
    points: float = 0.0
    put_out: bool = False

    def count(self, place: int, points: float, fault: bool) -> None:
        """Add a game that counts; the last allowed fault puts the entry out."""
        self.games += 1
        self.wins += place == 1 and not fault
        self.faults += fault
        self.places += place
        self.points += points
        self.form += letter(place, fault)
        if self.faults >= self.faults_left:
            self.put_out, self.active = True, False

    def added(self) -> Mapping[str, Any]:
        """Return parameters for `ADDED`: what is added to the entry's columns, the block's products included."""
        sums: dict[str, float] = {column: getattr(self, column) for column in (*BLOCK_SUMS, "seated")}
        products = {"_".join(pair): sums[pair[0]] * sums[pair[1]] for pair in PRODUCTS}
        more = sums | products | {"blocks": int(self.games > 0)}
        own = {"entry_id": self.entry_id, "new_form": self.form[-FORM_GAMES:]}
        return own | {f"more_{column}": value for column, value in more.items()}


def _seat_rows(game: Played, table: Sequence[_EntryInBlock]) -> Rows:
    """Return the rows of a game's seats. A seat is also counted in its entry if the entry is active; in a game that
    ended in a fault, only the seats at fault are counted."""
    record = game.record
    faults = {note.seat: note for note in record.faults}
    rows = []
    for number, part in enumerate(table):
        note, place, points = faults.get(number), record.places[number], record.points[number]
        counts = part.active and (note is not None or not faults)
        fault = (note.verdict.value, note.rule, note.message) if note else (None, "", "")
        what = (*fault, *game.times[number])
        row = {"seat": number, "entry_id": part.entry_id, "place": place, "points": points, "counts": counts}
        rows.append(row | dict(zip(("verdict", "rule", "message", "call_ms", "slowest_ms"), what, strict=True)))
        part.seated += 1
        if counts:
            part.count(place, points, note is not None)
    return rows


def _finish(entries: Sequence[int], seats: Rows) -> str:
    by_entry = {seat["entry_id"]: seat for seat in seats}
    ordered = [by_entry[id_] for id_ in entries]
    places, at_fault = [seat["place"] for seat in ordered], [seat["verdict"] is not None for seat in ordered]
    return finish_of(places, at_fault, any(seat["counts"] for seat in ordered))
