"""The tournament's Celery tasks. A message carries no data: it says that there may be something to do."""

import logging

from celery import shared_task

from sandbox.api import SandboxUnavailable
from tournament import blocks, playing
from tournament.practice import hand_games
from tournament.work.runner import ANSWER, PLAY
from tournament.work.services import current
from tournament.work.workers import bury_dead

log = logging.getLogger(__name__)


@shared_task(name=PLAY, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def play() -> None:
    """Play what is next."""
    try:
        playing.play_next(current())
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
    """Send again what is due and has lost its message or its worker."""
    bury_dead(current().sessions)
    playing.sweep_practice(current())
    blocks.sweep(current())
