"""The tournament's Celery tasks, and one turn of a playing worker: find out what waits, choose something, and play it.
Of the work for single students, games by hand come first, since a person is waiting at the screen. Next come custom
games that were requested singly, or are the first of a batch. Later games of batches and comparisons take turns at
random, so that neither has to wait for the other."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from random import SystemRandom
from time import monotonic, sleep
from typing import Any

from celery import shared_task
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from sandbox.api import SandboxUnavailable
from tournament import blocks
from tournament.practice import hand_games, trials
from tournament.practice.comparisons import COMPARISONS
from tournament.practice.custom_games import CUSTOM_GAMES
from tournament.practice.hand_games import HAND_GAMES
from tournament.practice.turn import longest_waiting
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
from tournament.work import runner
from tournament.work.runner import ANSWER, PLAY
from tournament.work.services import Services, current
from tournament.work.turns import WorkKind, share
from tournament.work.workers import bury_dead

log = logging.getLogger(__name__)

GIVES_WAY = {WorkKind.BRACKET, WorkKind.LADDER}
"""These kinds of work are seldom played while many uploads wait to be graded, see `tournament.work.turns`."""

FIRST_GAMES = select(CustomGame.id).where(CustomGame.number == 0).order_by(CustomGame.queued_at, CustomGame.id)
LATER_GAMES = (
    select(CustomGame.id).where(CustomGame.number > 0).order_by(CustomGame.number, CustomGame.queued_at, CustomGame.id)
)


def play_personal(services: Services) -> bool:
    """Continue a game by hand; if none waits, play a single custom game or the first of a batch; if none waits, a later
    game of a batch or a few pairs of a comparison. Returns False if there was nothing to play. Raises the same
    errors as `tournament.work.runner.claim_first`."""
    others = [(CUSTOM_GAMES, LATER_GAMES), (COMPARISONS, longest_waiting(VersionComparison))]
    SystemRandom().shuffle(others)
    games = [(HAND_GAMES, longest_waiting(HandGame)), (CUSTOM_GAMES, FIRST_GAMES), *others]
    return any(runner.do_first(services, kind, order) for kind, order in games)


def sweep_practice(services: Services) -> None:
    """Send missing messages for practice work that is due."""
    hand_games.sweep(services)
    for table in (Trial, CustomGame, VersionComparison):
        runner.sweep(services, table)


WAYS: Mapping[WorkKind, Callable[[Services], bool]] = {
    WorkKind.TRIAL: trials.play_due_trial,
    WorkKind.PERSONAL: play_personal,
    **{WorkKind(kind.value): partial(blocks.play_due_block, kind=kind) for kind in TournamentKind},
}


def play_next(services: Services) -> bool:
    """Play the work whose turn it is; return False if nothing waits. Raises SandboxUnavailable before anything is
    claimed."""
    with reading(services.sessions) as session:
        waiting = what_waits(session)
    waiting = _that_may_play(services, waiting)
    left = set(waiting)
    while left:
        kind = services.turns.next(each for each in WorkKind if each in left)
        began, played = monotonic(), True  # the default: an error counts as a turn, too
        try:
            played = WAYS[kind](services)
        finally:
            if played:
                took = monotonic() - began
                services.turns.charge(kind, took, share(kind, waiting))
                services.pace.played(took, gave_way=kind in GIVES_WAY, may_rest=kind is WorkKind.FINAL)
        if played:
            return True
        left.discard(kind)  # somebody else was faster
    return False


def _that_may_play(services: Services, waiting: set[WorkKind]) -> set[WorkKind]:
    """Return the kinds of work that may be played now. A final is played half of the time, however many uploads
    wait."""
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
    """Return the kinds of work for which something could be claimed now."""
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


# The tasks


@shared_task(name=PLAY, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def play() -> None:
    """Play what is next."""
    try:
        play_next(current())
    except SandboxUnavailable as trouble:
        log.error("this worker plays no games: %s", trouble)


@shared_task(name=ANSWER, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def answer() -> None:
    """Let house bots answer a person who plays by hand."""
    try:
        hand_games.answer_first(current())
    except SandboxUnavailable as trouble:
        log.error("this worker plays no games by hand: %s", trouble)


@shared_task(name="tournament.pair", ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def pair() -> None:
    """Queue blocks in every open tournament."""
    blocks.pair_all(current())


@shared_task(name="tournament.sweep", ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def sweep() -> None:
    """Send messages again for work that is due but has lost its message or its worker."""
    bury_dead(current().sessions)
    sweep_practice(current())
    blocks.sweep(current())
