"""The headers of messages: the ids of the uploads that a message was sent for."""

from typing import Any

from celery import Task
from celery.signals import task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, unbind_contextvars

from tournament.work.trace import TRACE, followed


def headers() -> dict[str, Any]:
    """The headers of a message that is sent now."""
    return {TRACE: found} if (found := followed()) else {}


def install() -> None:
    """Add the ids that a message carries to every line that is logged during its task."""
    task_prerun.connect(_begin, weak=False, dispatch_uid=__name__)
    task_postrun.connect(_end, weak=False, dispatch_uid=__name__)


def _begin(task: Task, **_: Any) -> None:
    traces = getattr(task.request, TRACE, None) or (task.request.headers or {}).get(TRACE)
    if isinstance(traces, list):
        bind_contextvars(**{TRACE: traces})


def _end(**_: Any) -> None:
    unbind_contextvars(TRACE)
