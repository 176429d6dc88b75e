"""What the headers of messages carry: the ids of the uploads on whose account they were sent."""

from typing import Any

from celery import Task
from celery.signals import task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, unbind_contextvars

from tournament.work.trace import TRACE, followed


def headers() -> dict[str, Any]:
    """Of a message that is sent now."""
    return {TRACE: found} if (found := followed()) else {}


def install() -> None:
    """Let the lines that are logged during a task carry what its message did."""
    task_prerun.connect(_begin, weak=False, dispatch_uid=__name__)
    task_postrun.connect(_end, weak=False, dispatch_uid=__name__)


def _begin(task: Task, **_: Any) -> None:
    traces = getattr(task.request, TRACE, None) or (task.request.headers or {}).get(TRACE)
    if isinstance(traces, list):
        bind_contextvars(**{TRACE: traces})


def _end(**_: Any) -> None:
    unbind_contextvars(TRACE)
