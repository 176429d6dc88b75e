"""Reading a final's tables: what its entries have done, and each block as the record shows it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from tournament.final.record import (
    AmendmentLine,
    BlockLine,
    Header,
    VoidLine,
    parse_line,
    played_line,
    read_header,
    root_of,
)
from tournament.final.rounds import DIGITS, Contender, GameOutcome, Scoreboard
from tournament.final.settings import FinalSettings
from tournament.ladder.results import PRODUCT_COLUMNS, SUMS
from tournament.play.record import Record
from tournament.play.seeds import hashed_seed
from tournament.ranking.ratings import Tally
from tournament.store.tables import Block, Entry, Final, PlayedGame, Seat, VoidAttempt

CHUNK = 200
"""Blocks read at a time for an export."""

SEATS_READ = 10_000
"""Seats read at a time to work out the marks: the games of a large final would fill the memory."""


def amendments_of(final: Final) -> list[AmendmentLine]:
    """What was changed since it was frozen, the oldest first."""
    return [parse_line(AmendmentLine, text) for text in final.amendments]


def settings_of(final: Final) -> FinalSettings:
    """The settings that hold now."""
    settings = read_header(final.header).settings
    for each in amendments_of(final):
        settings = each.applied(settings)
    return settings


def contenders_of(session: Session, final: Final) -> list[Contender]:
    """What every entry has done, from the sums that are kept with it."""
    columns = [getattr(Entry, column) for column in ("id", "bot", "seated", *SUMS)]
    rows = session.execute(select(*columns).where(Entry.tournament_id == final.tournament_id))
    entries = {entry.id: entry for entry in rows}
    contenders = []
    for entry in (entries[id_] for id_ in final.entries):
        products = {column: round(getattr(entry, column), DIGITS) for column in PRODUCT_COLUMNS}
        points = round(entry.points, DIGITS)  # the last bits depend on the order in which the games came in
        tally = Tally(entry.games, entry.wins, entry.places, points, True, entry.blocks, products)
        contenders.append(Contender(tally, entry.faults, entry.seated, entry.bot is not None))
    return contenders


def replay_log(session: Session, final: Final, header: Header) -> Scoreboard:
    """The scores, worked out again from every stored game."""
    board = Scoreboard([entry.bot is not None for entry in header.entries])
    number = {id_: index for index, id_ in enumerate(final.entries)}
    columns = (PlayedGame.block_id, PlayedGame.seating, Seat.entry_id, Seat.place, Seat.points, Seat.verdict)
    rows = session.execute(
        select(*columns)
        .join(Seat.game)
        .where(PlayedGame.tournament_id == final.tournament_id)
        .order_by(PlayedGame.block_id, PlayedGame.seating, Seat.seat)
        .execution_options(yield_per=SEATS_READ)
    )
    for _, block in groupby(rows, lambda row: row.block_id):
        games = []
        for _, game in groupby(block, lambda row: row.seating):
            _, _, ids, places, points, verdicts = zip(*game, strict=True)
            faults = {seat for seat, verdict in enumerate(verdicts) if verdict is not None}
            games.append(GameOutcome([number[id_] for id_ in ids], places, points, faults))
        board.add_block(list(games[0].seats), games)
    return board


def record_lines(session: Session, final: Final) -> Iterator[BlockLine]:
    """Each block as the record shows it, in the order in which they were drawn."""
    root = root_of(final.header)
    number = {id_: index for index, id_ in enumerate(final.entries)}
    wanted = select(Block.seed, Block.id).where(Block.tournament_id == final.tournament_id)
    ids = {row.seed: row.id for row in session.execute(wanted)}
    rounds = [index for index, blocks in enumerate(final.rounds) for _ in range(blocks)]
    for start in range(0, len(rounds), CHUNK):
        chunk = {
            index: ids[hashed_seed(root, "block", index)] for index in range(start, min(start + CHUNK, len(rounds)))
        }
        own = list(chunk.values())
        blocks = {block.id: block for block in session.scalars(select(Block).where(Block.id.in_(own)))}
        games, void = _records_of(session, own), _void(session, own)
        for index, id_ in chunk.items():
            block, records = blocks[id_], games.get(id_, [])
            yield BlockLine(
                block=index,
                round=rounds[index],
                seed=block.seed,
                entries=[number[entry] for entry in block.entries],
                games=[played_line(record) for record in records],
                skipped="" if records else block.trouble or "skipped",
                attempt=records[0].attempt or None if records else None,
                void=void.get(id_, []),
            )
        session.expunge_all()


def _records_of(session: Session, ids: Sequence[int]) -> dict[int, list[Record]]:
    wanted = select(PlayedGame).where(PlayedGame.block_id.in_(ids)).options(undefer(PlayedGame.record))
    rows = session.scalars(wanted.order_by(PlayedGame.block_id, PlayedGame.seating))
    return {id_: [Record.unpack(game.record) for game in games] for id_, games in groupby(rows, lambda g: g.block_id)}


def _void(session: Session, ids: Sequence[int]) -> dict[int, list[VoidLine]]:
    wanted = select(VoidAttempt).where(VoidAttempt.block_id.in_(ids))
    rows = session.scalars(wanted.order_by(VoidAttempt.block_id, VoidAttempt.attempt))
    return {
        id_: [VoidLine(attempt=each.attempt, reason=each.reason) for each in found]
        for id_, found in groupby(rows, lambda each: each.block_id)
    }
