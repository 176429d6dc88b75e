"""One turn of a playing worker: find out what waits, choose, and play it."""

from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic, sleep
from typing import Any

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from tournament import blocks
from tournament.custom import personal, trials
from tournament.store.database import now, reading
from tournament.store.jobs import claimable
from tournament.store.tables import (
    Block,
    CustomGame,
    HandGame,
    Tournament,
    TournamentKind,
    TournamentState,
    Trial,
    VersionComparison,
)
from tournament.work.services import Services
from tournament.work.turns import WorkKind, share

GIVES_WAY = {WorkKind.BRACKET, WorkKind.LADDER}
"""These are seldom played while many uploads wait to be graded, see `tournament.work.yielding`."""

PLAY: Mapping[WorkKind, Callable[[Services], bool]] = {
    WorkKind.TRIAL: trials.play_next,
    WorkKind.PERSONAL: personal.play_next,
    **{WorkKind(kind.value): partial(blocks.play_next, kind=kind) for kind in TournamentKind},
}


def play_next(services: Services) -> bool:
    """Play what is next; False if nothing is. Raises SandboxUnavailable, before anything is claimed, if this worker has
    no sandbox. Any other internal error gives the job back and is raised."""
    with reading(services.sessions) as session:
        waiting = what_waits(session)
    waiting = _that_may_play(services, waiting)
    left = set(waiting)
    while left:
        kind = services.turns.next(each for each in WorkKind if each in left)
        if _play(services, kind, waiting):
            return True
        left.discard(kind)  # somebody else was faster
    return False


def _play(services: Services, kind: WorkKind, waiting: set[WorkKind]) -> bool:
    began, played = monotonic(), True
    try:
        played = PLAY[kind](services)
    finally:
        took = monotonic() - began
        if played:
            services.turns.charge(kind, took, share(kind, waiting))
            services.pace.played(took, gave_way=kind in GIVES_WAY, may_rest=kind is WorkKind.FINAL)
    return played


def _that_may_play(services: Services, waiting: set[WorkKind]) -> set[WorkKind]:
    """The kinds of work that may be played now. A final plays half of the time, however many uploads wait."""
    pace = services.pace
    if not waiting & (GIVES_WAY | {WorkKind.FINAL}) or not pace.gives_way(services.sessions):
        return waiting
    allowed = waiting if pace.seldom_enough() else waiting - GIVES_WAY
    if WorkKind.FINAL in allowed and (rest := pace.rest_s()):
        if allowed != {WorkKind.FINAL}:
            return allowed - {WorkKind.FINAL}
        sleep(rest)
    return allowed


def what_waits(session: Session) -> set[WorkKind]:
    """The kinds of which something could be claimed now."""
    at = now()

    def due(kind: type[Any], *more: ColumnElement[bool]) -> Any:
        return exists().where(*more, claimable(kind, at))

    def blocks_due(kind: TournamentKind) -> Any:
        is_open = (Tournament.state == TournamentState.OPEN, Tournament.kind == kind)
        return due(Block, Block.tournament_id == Tournament.id, *is_open)

    waiting = select(
        due(Trial).label(WorkKind.TRIAL),
        (due(HandGame) | due(CustomGame) | due(VersionComparison)).label(WorkKind.PERSONAL),
        *(blocks_due(kind).label(kind.value) for kind in TournamentKind),
    )
    return {WorkKind(name) for name, waits in session.execute(waiting).one()._mapping.items() if waits}
