"""The Celery tasks of the grader, on the queues `grading` and `programs`. They carry no data: what to do is in the
database."""

import logging

from celery import shared_task

from grader import work
from grader.drafts.drafts import publish_due
from grader.queue import GRADE, GRADE_PROGRAM
from grader.regrade.batches import see_to_ends
from sandbox.api import SandboxUnavailable
from tournament.store.database import now, storing
from tournament.work.services import current
from tournament.work.workers import bury_dead

log = logging.getLogger(__name__)


@shared_task(name=GRADE, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def grade() -> None:
    """Grade one submission, and send another message if more are waiting."""
    _grade(GRADE)


@shared_task(name=GRADE_PROGRAM, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def grade_program() -> None:
    """The same, on the queue of the workers that grade programs."""
    _grade(GRADE_PROGRAM)


def _grade(message: str) -> None:
    try:
        if work.grade_next(current()):
            work.send_if_due(current(), [message])
    except SandboxUnavailable as trouble:
        log.error("this worker grades nothing: %s", trouble)


@shared_task(name="grader.sweep", ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def sweep() -> None:
    """Find submissions whose message or worker was lost, and drafts whose time has come; sent every few seconds."""
    bury_dead(current().sessions)
    storing(current().sessions, lambda session: publish_due(session, now()))
    see_to_ends(current().sessions)
    work.send_if_due(current())
