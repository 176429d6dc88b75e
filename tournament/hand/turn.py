"""What a playing worker does for games by hand."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from tournament.custom import turn
from tournament.games import UnknownGame, find_game
from tournament.hand import games
from tournament.hand.advice import advise
from tournament.hand.table import HandTable, go_on
from tournament.play.local import program_of
from tournament.play.record import Record
from tournament.store import jobs
from tournament.store.database import now, reading, storing
from tournament.store.jobs import Claim, JobState
from tournament.store.tables import PATIENCE, HandGame
from tournament.work.backlog import phase_of
from tournament.work.claims import ClaimLost, Heartbeat, failed, put_aside
from tournament.work.services import Services

log = logging.getLogger(__name__)

WAITING = select(HandGame.id).order_by(HandGame.queued_at, HandGame.id)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done with a game: the bots go on or, with `adviser`, that player is asked."""

    table: HandTable
    adviser: bytes | None


def play_next(services: Services) -> bool:
    """Go on with the game by hand that has waited longest, or ask a player about one that is over; False if none
    waits. Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox. Any other internal
    error gives the job back and is raised."""
    _ = services.sandbox
    return _play(services, WAITING)


def answer_next(services: Services) -> bool:
    """Let the bots answer in the game by hand whose person has waited longest; False if nobody waits. It takes so
    little time that any worker may do it. Raises as `play_next` does."""
    return _play(services, WAITING.where(HandGame.ended == ""))


def _play(services: Services, waiting: Select[int]) -> bool:
    _ = services.trusted
    found = jobs.claim_first(services.sessions, HandGame, waiting, services.worker, lambda session, id_: None)
    if found is None:
        return False
    claim, _ = found
    try:
        work = storing(services.sessions, partial(_work, claim=claim))
        if work:
            done = _done(services, claim, work)
            storing(services.sessions, partial(_store, claim=claim, done=done))
    except ClaimLost:
        log.info("hand_game %d was given to another worker", claim.id)
    except UnknownGame as error:  # the operator's, not the person's
        put_aside(services, claim, str(error), HandGame)
    except Exception as trouble:  # whatever it is, it is internal, and the job must be given back at once
        failed(services, claim, trouble, phase_of(HandGame), HandGame)
        raise
    return True


def _work(session: Session, claim: Claim) -> _Work | None:
    row: HandGame | None = jobs.held(session, HandGame, claim)
    if row is None:
        return None
    table = HandTable(Record.unpack(row.record), row.seat, row.bots, row.move)
    return _Work(table, row.adviser.source if row.adviser and row.ended else None)


def _done(services: Services, claim: Claim, work: _Work) -> Record | list[dict[str, Any]]:
    """The record after the bots' plays, or the advice."""
    table, beat = work.table, Heartbeat(services, claim, HandGame)
    game = find_game(table.record.game)
    if work.adviser is None:
        return go_on(game, table, services.trusted, services.limits, beat)
    program = program_of(game, work.adviser)
    return advise(game, table, program, services.sandbox, services.limits, beat)


def _store(session: Session, claim: Claim, done: Record | list[dict[str, Any]]) -> None:
    """Keep what was done, unless the claim was lost."""
    row: HandGame | None = jobs.held(session, HandGame, claim)
    if row is None:
        return
    if isinstance(done, Record):
        row.move = []
        games.store(row, done)
    else:
        row.advice, row.revision = done, row.revision + 1
        jobs.finish(row)


def sweep(services: Services) -> None:
    """Send messages for what is due and has perhaps lost its own, and give up the seats that were left."""
    turn.sweep(services, HandGame)
    for id_ in _left(services):
        try:
            storing(services.sessions, partial(_give_up, id_=id_))
        except UnknownGame as error:
            log.error("hand_game %d cannot be given up: %s", id_, error)


def _left(services: Services) -> list[int]:
    awaited = (HandGame.ended == "", HandGame.state == JobState.DONE, HandGame.finished_at < now() - PATIENCE)
    with reading(services.sessions) as session:
        return list(session.scalars(select(HandGame.id).where(*awaited).order_by(HandGame.finished_at).limit(50)))


def _give_up(session: Session, id_: int) -> None:
    row = session.get(HandGame, id_, with_for_update=True)
    if row and row.is_left(now()):
        games.leave(row, games.LEFT)
