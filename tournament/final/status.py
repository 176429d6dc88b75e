"""Reads a final from its tables: the results of its entries, each block as the record shows it, and the final's
progress, for its page and the command line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from sqlalchemy import Select, func, select
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
from tournament.final.rounds import DIGITS, Contender, FinalError, GameOutcome, Scoreboard, Stage, survives, wanting
from tournament.final.settings import FinalSettings
from tournament.ladder.results import PRODUCT_COLUMNS, SUMS
from tournament.play.games import find_game
from tournament.play.record import Record, hashed_seed
from tournament.ranking.ranks import Tally
from tournament.store.jobs import JobState
from tournament.store.tables import (
    Block,
    Entry,
    Final,
    FinalPhase,
    PlayedGame,
    Seat,
    Tournament,
    TournamentKind,
    TournamentState,
    VoidAttempt,
)
from tournament.work.backlog import latest_pace

CHUNK = 200
"""The number of blocks read at a time for an export."""

SEATS_READ = 10_000
"""The number of seats read at a time to calculate the marks, since all games of a large final do not fit into memory.
"""


class RulesChanged(FinalError):
    """The final began with another version of the game's rules."""


def check_rules(header: Header) -> None:
    """Check that the rules have not changed: all games of a final must follow the same rules. Raises RulesChanged."""
    version = find_game(header.game).version
    if version != header.rules:
        raise RulesChanged(
            f"The final began with version {header.rules} of the rules of {header.game}; this is version {version}. "
            "Install the earlier version of Quadrille to finish the final, or abort it and freeze another one."
        )


def amendments_of(final: Final) -> list[AmendmentLine]:
    """Return the amendments since the final was frozen, the oldest first."""
    return [parse_line(AmendmentLine, text) for text in final.amendments]


def present_settings(final: Final) -> FinalSettings:
    """Return the final's settings, with all amendments applied."""
    settings = read_header(final.header).settings
    for each in amendments_of(final):
        settings = each.applied(settings)
    return settings


def contenders_of(session: Session, final: Final) -> list[Contender]:
    """Return the results of every entry, from the sums that are stored with it."""
    columns = [getattr(Entry, column) for column in ("id", "bot", "seated", *SUMS)]
    rows = session.execute(select(*columns).where(Entry.tournament_id == final.tournament_id))
    entries = {entry.id: entry for entry in rows}
    contenders = []
    for entry in (entries[id_] for id_ in final.entries):
        products = {column: round(getattr(entry, column), DIGITS) for column in PRODUCT_COLUMNS}
        points = round(entry.points, DIGITS)  # the last bits depend on the order in which games were stored
        tally = Tally(entry.games, entry.wins, entry.places, points, True, entry.blocks, products)
        contenders.append(Contender(tally, entry.faults, entry.seated, entry.bot is not None))
    return contenders


def replay_log(session: Session, final: Final, header: Header) -> Scoreboard:
    """Calculate the scores again, from all stored games."""
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
    """Yield each block as the record shows it, in the order in which blocks were drawn."""
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


PACE_BLOCKS = 200
"""The number of latest blocks from which the pace is measured."""


@dataclass(frozen=True, slots=True)
class BlocksLeft:
    """The number of blocks left in this `stage`: `least` if no more intervals cross a boundary, `most` if all do."""

    least: int
    most: int
    stage: Stage = Stage.DONE


@dataclass(frozen=True, slots=True)
class FinalStatus:
    """A final's progress. `blocks` and `games` are the numbers that have been played. `seconds`: the shortest and the
    longest time for the rest at the present pace; None if unknown. `ladder_blocks`: the number of blocks that wait
    in ladders. `trouble`: why the final does not continue, or ""."""

    phase: FinalPhase
    paused: bool
    stage: Stage
    rounds: int
    entries: int
    survivors: int
    blocks: int
    games: int
    left: BlocksLeft
    seconds: tuple[float, float] | None
    parked: list[Block]
    ladder_blocks: int
    trouble: str

    @property
    def share(self) -> float:
        """The share of the final that has been played, from 0 to 1, if the largest possible number of blocks has to be
        played."""
        whole = self.blocks + self.left.most
        return self.blocks / whole if whole else 0.0


def blocks_left(settings: FinalSettings, size: int, contenders: Sequence[Contender]) -> BlocksLeft:
    """Return the number of blocks left to be played, including the current round. `size`: the number of players at a
    table."""
    stage, wanted = wanting(settings, contenders)
    alive = [each for each in contenders if not each.house and survives(settings, each)]
    seats = min(size, len(alive))  # house bots take the other seats
    if stage is Stage.DONE:
        return BlocksLeft(0, 0)
    if stage is Stage.FIRST:
        least = sum(_blocks(each, settings.first_games, size) for each in alive)
        most = sum(_blocks(each, settings.most_games, size) for each in alive)
        return BlocksLeft(ceil(least / seats), ceil(most / seats), stage)
    to_come = [_blocks(contenders[index], settings.most_games, size) for index in wanted]
    tables = min(len(wanted), ceil(len(alive) / seats))  # per round, if entries near a boundary sit at different tables
    least = ceil(len(wanted) / seats)
    return BlocksLeft(least, max(least, min(sum(to_come), max(to_come) * tables)), stage)


def _blocks(contender: Contender, games: int, size: int) -> int:
    return max(0, ceil((games - contender.tally.games) / size))


def status_of(session: Session, final: Final) -> FinalStatus:
    """Return the final's progress."""
    header = read_header(final.header)
    contenders = contenders_of(session, final)
    students = [each for each in contenders if not each.house]
    over = final.phase not in (FinalPhase.FROZEN, FinalPhase.RUNNING)
    left, trouble = BlocksLeft(0, 0), ""
    if not over:
        left = blocks_left(present_settings(final), find_game(header.game).seats[0], contenders)
        try:
            check_rules(header)
        except RulesChanged as error:
            trouble = str(error)

    def count(wanted: Select[Any]) -> int:
        return session.scalar(wanted.with_only_columns(func.count(), maintain_column_froms=True)) or 0

    games = select(PlayedGame).where(PlayedGame.tournament_id == final.tournament_id)
    latest = games.with_only_columns(PlayedGame.played_at).where(PlayedGame.seating == 0)
    pace = latest_pace(session.scalars(latest.order_by(PlayedGame.id.desc()).limit(PACE_BLOCKS)).all())
    blocks = select(Block).where(Block.tournament_id == final.tournament_id)
    ladders = select(Block).join(Block.tournament).where(Tournament.kind == TournamentKind.LADDER)
    return FinalStatus(
        phase=final.phase,
        paused=final.phase is FinalPhase.RUNNING and final.tournament.state is TournamentState.PAUSED,
        stage=left.stage,
        rounds=len(final.rounds),
        entries=len(students),
        survivors=sum(survives(header.settings, each) for each in students),
        blocks=count(blocks.where(Block.state == JobState.DONE)),
        games=count(games),
        left=left,
        seconds=None if pace is None else (left.least * pace, left.most * pace),
        parked=list(session.scalars(blocks.where(Block.state == JobState.PARKED).order_by(Block.id))),
        ladder_blocks=count(ladders.where(Tournament.state == TournamentState.OPEN, Block.state == JobState.QUEUED)),
        trouble=trouble,
    )
