"""Plays one block: claims it, plays its games and stores them. Also queues the next blocks. Only claiming and storing
take a transaction; while the games are played, the lease is renewed."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, joinedload

from tournament.bracket import brackets
from tournament.final import finals
from tournament.final.status import RulesChanged
from tournament.ladder import pairing
from tournament.ladder.pairing import runs_low
from tournament.ladder.results import Played, store_block
from tournament.play.contestants import contestant, count_games, counting_starts
from tournament.play.games import UnknownGame, find_game
from tournament.play.record import Record, deal_seed
from tournament.play.referee import RulesFailed
from tournament.play.table import Contestant, GameTable, play_tables, seatings
from tournament.store import jobs
from tournament.store.database import now, reading, storing, writing
from tournament.store.tables import Block, Entry, EntryState, Tournament, TournamentKind, TournamentState
from tournament.work import runner
from tournament.work.runner import PLAY, ClaimLost, HeldJob, JobKind, JobPlan
from tournament.work.services import Services
from tournament.work.tally import INTERNAL_ERRORS

log = logging.getLogger(__name__)

RULES_FAILED = "the game's own fault: "
"""The beginning of the reason for a cut-off attempt, for an error in the game's own code."""

URGENT_SHARE = 4
"""The share, in `Turns.charge`, of a block that plays a new entry's first games; any other block has the share 1."""


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """The data needed to play a block, read from the database. `contestants` is empty if an entry has left."""

    tournament_id: int
    share: int
    game: str
    seed: int
    contestants: Sequence[Contestant]


def play_due_block(services: Services, kind: TournamentKind | None = None) -> bool:
    """Claim, play and store the best due block. With `kind`, only tournaments of that kind are considered. Returns
    False if no block was due. Cancelled blocks do not use up a turn. Raises SandboxUnavailable, before a claim, if
    this worker lacks a sandbox."""
    while job := claim_block(services, kind):
        job.run()
        if job.content.contestants:
            keep_queued(services, job.content.tournament_id)
            return True
    return False


def claim_block(services: Services, kind: TournamentKind | None = None) -> HeldJob[BlockPlan] | None:
    """Claim the best due block of the tournament whose turn it is; None if no block is due. New entries' first games
    come first, and blocks that failed come last."""
    due = exists().where(Block.tournament_id == Tournament.id, jobs.claimable(Block, now()))
    wanted = select(Tournament.id).where(Tournament.state == TournamentState.OPEN, due).order_by(Tournament.id)
    with reading(services.sessions) as session:
        left = list(session.scalars(wanted if kind is None else wanted.where(Tournament.kind == kind)))
    order = select(Block.id).join(Block.tournament).where(Tournament.state == TournamentState.OPEN)
    order = order.order_by(Block.trouble != "", Block.urgency.desc(), Block.id)
    while left:
        id_ = services.tournaments.next(left)
        if job := runner.claim_first(services, BLOCKS, order.where(Block.tournament_id == id_)):
            return job
        left.remove(id_)  # other workers were faster
    return None


def _plan_block(services: Services, session: Session, block_id: int) -> JobPlan[BlockPlan]:
    """Read the data needed to play a block. Raises NotNow if its game cannot be loaded."""
    block = session.get_one(Block, block_id, options=[joinedload(Block.tournament)])
    tournament = block.tournament
    seated = select(Entry).where(Entry.id.in_(block.entries)).options(joinedload(Entry.player))
    entries = {entry.id: entry for entry in session.scalars(seated)}
    seats = [entries[id_] for id_ in block.entries]
    contestants: list[Contestant] = []
    if all(entry.state == EntryState.ACTIVE for entry in seats):
        try:
            contestants = [contestant(services, tournament.game, each.name, each.player, each.bot) for each in seats]
        except UnknownGame as error:
            log.error("block %d waits: %s", block_id, error)
            raise jobs.NotNow(str(error)) from error
    share = URGENT_SHARE if block.urgency else 1
    plan = BlockPlan(tournament.id, share, tournament.game, block.seed, contestants)
    return JobPlan(plan, tournament.kind.value, [each.trace for each in seats], {"tournament": tournament.id})


def _play_and_store(job: HeldJob[BlockPlan]) -> None:
    """Play and store a block, or cancel it if one of its entries has left."""
    plan, began = job.content, monotonic()
    if not plan.contestants:
        job.store(lambda _, block: jobs.cancel(block))
        return
    try:
        records = play_block(job)
    except RulesFailed as failure:  # the block is retried with other cards, until the game is taken out of service
        log.exception("block %d failed by its game", job.claim.id)
        INTERNAL_ERRORS.labels(job.plan.phase).inc()
        raise jobs.NotNow(f"{RULES_FAILED}{failure}") from failure
    else:
        if not store_records(job, records):
            raise ClaimLost
        count_games(job.plan.phase, records)
    finally:
        job.services.tournaments.charge(plan.tournament_id, monotonic() - began, plan.share)


BLOCKS = JobKind(Block, _plan_block, _play_and_store)


def play_block(job: HeldJob[BlockPlan]) -> list[Record]:
    """Play the block's games, each with its own deal for this attempt; raises ClaimLost, SandboxError."""
    plan, attempt = job.content, job.claim.deals
    orders = enumerate(seatings(plan.contestants))
    tables = [GameTable(deal_seed(plan.seed, attempt, number), order) for number, order in orders]
    records = play_tables(find_game(plan.game), counting_starts(tables), job.services.limits, job.beat)
    return [replace(record, attempt=attempt) for record in records]


def store_records(job: HeldJob[BlockPlan], records: Sequence[Record]) -> bool:
    """Store a block's games; returns False if the claim was lost. This does not use `job.store`: see `store_block`."""
    games = [Played.of(record) for record in records]
    return storing(job.services.sessions, lambda session: store_block(session, job.claim, games))


def keep_queued(services: Services, tournament_id: int) -> None:
    """Queue more blocks if at least half of the queue has been started."""
    with reading(services.sessions) as session:
        low = runs_low(session, tournament_id)
    if low:
        pair_one(services, tournament_id)


def pair_one(services: Services, tournament_id: int) -> None:
    """Queue blocks for a tournament, and send a message for each."""
    try:
        with reading(services.sessions) as session:
            act = _next_blocks(session, session.get_one(Tournament, tournament_id))
    except UnknownGame as error:  # continue with the other tournaments
        log.error("the tournament %d waits: %s", tournament_id, error)
        return
    except RulesChanged as trouble:  # the tournament waits, and its page says why
        log.error("the final %d stands still: %s", tournament_id, trouble)
        return
    if act is None:
        return
    with writing(services.sessions) as session:
        blocks = act(session)
    for _ in range(blocks):
        services.send(PLAY)
    if blocks:
        log.info("queued", extra={"blocks": blocks, "tournament": tournament_id})


def _next_blocks(session: Session, tournament: Tournament) -> Callable[[Session], int] | None:
    """Return a function that queues the next blocks, to be called in a writing transaction; None if no block is due.
    Raises UnknownGame and RulesChanged."""
    if tournament.kind is TournamentKind.LADDER:
        drawn = pairing.draw(session, tournament)
        return partial(pairing.queue, drawn) if drawn else None
    if tournament.kind is TournamentKind.BRACKET:
        return partial(brackets.advance, tournament_id=tournament.id)
    round_ = finals.draw(session, tournament.id)
    return partial(finals.queue, round_) if round_ else None


def pair_all(services: Services) -> None:
    """Queue blocks for every open tournament."""
    with reading(services.sessions) as session:
        open_ = session.scalars(select(Tournament.id).where(Tournament.state == TournamentState.OPEN)).all()
    for tournament_id in open_:
        pair_one(services, tournament_id)


def sweep(services: Services) -> int:
    """Send missing messages for blocks that are due; return the number of these blocks."""
    open_ = select(Tournament.id).where(Tournament.state == TournamentState.OPEN)
    return runner.sweep(services, Block, Block.tournament_id.in_(open_))
