"""The Celery tasks of the grader, on the queues `grading` and `programs`. Messages carry no data: the work is in the
database."""

import logging

from celery import shared_task

from grader.authoring.jobs import publish_due
from grader.entering.entering import settle
from grader.regrade.batches import see_to_ends
from grader.store.queue import GRADE_PROGRAM
from grader.submissions import work
from sandbox.api import SandboxUnavailable
from tournament.store.database import now, storing
from tournament.work.runner import GRADE
from tournament.work.services import current
from tournament.work.workers import bury_dead

log = logging.getLogger(__name__)


@shared_task(name=GRADE, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def grade() -> None:
    """Enter the players whose trial games are over, grade one submission, and send another message if more submissions
    wait."""
    _grade(GRADE)


@shared_task(name=GRADE_PROGRAM, ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def grade_program() -> None:
    """Do the work of `grade`, on the queue of the workers that grade programs."""
    _grade(GRADE_PROGRAM)


def _grade(message: str) -> None:
    settle(current().sessions, current().send)
    try:
        if work.grade_next(current()):
            work.send_if_due(current(), [message])
    except SandboxUnavailable as trouble:
        log.error("this worker grades nothing: %s", trouble)


@shared_task(name="grader.sweep", ignore_result=True, acks_late=True)  # type: ignore[untyped-decorator, unused-ignore]
def sweep() -> None:
    """Find submissions whose message or worker was lost, drafts that are due, and trials that have ended. This runs
    every few seconds."""
    bury_dead(current().sessions)
    storing(current().sessions, lambda session: publish_due(session, now()))
    see_to_ends(current().sessions)
    settle(current().sessions, current().send)
    work.send_if_due(current())
