"""The Celery tasks of the grader, on the queue `grading`. They carry no data: what to do is in the database."""

from celery import shared_task

from grader import work
from tournament.services import current


@shared_task(name="grader.grade", ignore_result=True)  # type: ignore[untyped-decorator]
def grade() -> None:
    """Grade one submission, and pass the word on if more are waiting."""
    if work.grade_next(current()):
        work.send_if_due(current())


@shared_task(name="grader.sweep", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """See to submissions whose message or worker was lost; sent every few seconds."""
    work.send_if_due(current())
