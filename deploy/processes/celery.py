"""The Celery application: which task goes to which queue, over which transport, and what is sent periodically. A lost,
doubled or late message does no harm: messages expire soon, and the sweepers send again what is still due."""

import logging
import shutil
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from queue import Full, Queue
from threading import Thread
from typing import Any, NoReturn, TypeAlias

from celery import Celery, Task
from celery.signals import task_postrun, task_prerun
from kombu import Queue as TaskQueue
from structlog.contextvars import bind_contextvars, unbind_contextvars

import deploy.processes.transport
from deploy.processes.gate import TOLERATED_SKEW_S, GatedTask
from deploy.settings import Settings
from grader.store.queue import GRADE_PROGRAM, GRADING, PLAYERS
from tournament.work.runner import ANSWER, TRACE, followed
from tournament.work.services import Services

log = logging.getLogger(__name__)

PROGRAMS, LADDER = "programs", "ladder"
QUEUES = (GRADING, PROGRAMS, LADDER)
KINDS = {GRADING: (GRADING, PROGRAMS), PLAYERS: (GRADING,), LADDER: (LADDER,)}
"""For each kind of worker, the queues from which it takes messages."""

TASKS = ("grader.tasks", "tournament.tasks")
ROUTES = {GRADE_PROGRAM: PROGRAMS, "grader.*": GRADING, ANSWER: GRADING, "tournament.*": LADDER}
SCHEDULE_S = {"tournament.pair": 5.0, "tournament.sweep": 5.0, "grader.sweep": 2.0}
MESSAGE_LIFE_S = 120.0
QUEUE_FOLDER = "queue"
KEPT_MESSAGES = 100  # messages kept by a process whose broker hangs

Send: TypeAlias = Callable[[str], None]
"""The `send` of `Services`: puts a task's name on the transport, and never raises."""


class App(Celery):  # type: ignore[misc]  # celery is not typed
    """Celery with the services of this process, which tasks reach as `current_app.services`. `may_work` is called
    before each task."""

    services: Services
    may_work: Callable[[], bool]


def make_app(settings: Settings) -> App:
    """Return the Celery application of an installation. It is not connected to anything yet."""
    app = App("quadrille", include=TASKS, set_as_current=True, task_cls=GatedTask)
    app.may_work = lambda: True
    app.conf.update(
        task_queues=[TaskQueue(name, routing_key=name) for name in QUEUES],
        task_default_queue=LADDER,
        task_routes={name: {"queue": queue} for name, queue in ROUTES.items()},
        task_ignore_result=True,
        task_publish_retry=False,  # not needed: a sweeper finds everything that is due
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # no limit, since a broker may come back at any time
        beat_schedule={
            name: {"task": name, "schedule": every, "options": {"expires": every + 2 * TOLERATED_SKEW_S}}
            for name, every in SCHEDULE_S.items()
        },
        **_transport(settings),
    )
    return app


def _transport(settings: Settings) -> dict[str, Any]:
    if not settings.broker_url:
        options = deploy.processes.transport.folder_options(settings.data / QUEUE_FOLDER)
        return {"broker_url": "folder://localhost/", "broker_transport_options": options}
    # A Redis that is down must not hold up a request; losing an unacknowledged message does no harm,
    # so it need not be redelivered.
    options = {"socket_connect_timeout": 2, "socket_timeout": 5, "max_retries": 0, "visibility_timeout": 600}
    return {"broker_url": settings.broker, "broker_transport_options": options}


def sender(app: App) -> Send:
    """Return a `Send` that sends immediately, which takes seconds while a Redis server hangs."""

    def send(task: str) -> None:
        try:
            app.send_task(task, expires=MESSAGE_LIFE_S, headers={TRACE: found} if (found := followed()) else {})
        except Exception as error:  # noqa: BLE001  # any error: the work is stored, a sweeper finds it
            log.warning("%s could not be sent, but a sweeper will send it: %s", task, error)

    return send


def aside(send: Send) -> Send:
    """Return a `Send` for requests, which sends from a separate thread, so that an upload does not wait for a Redis
    server that hangs."""
    waiting: Queue[Callable[[], None]] = Queue(KEPT_MESSAGES)

    def pass_on() -> NoReturn:
        while True:
            waiting.get()()

    def put(task: str) -> None:
        try:
            waiting.put_nowait(partial(copy_context().run, send, task))  # the request's trace goes into the headers
        except Full:
            log.warning("%s is not sent, since %d messages wait already; a sweeper will send it", task, KEPT_MESSAGES)

    Thread(target=pass_on, name="sending", daemon=True).start()
    return put


def counter(app: App) -> Callable[[], int]:
    """Return the `unread` of `Services`: a function that counts the ladder's waiting messages."""

    def count() -> int:
        with app.connection_or_acquire() as connection, connection.channel() as channel:
            return int(channel.queue_declare(LADDER).message_count)

    return count


def declare_queues(app: App) -> None:
    """Create the queues before several processes try to do so at once."""
    with app.connection_for_write() as connection, connection.channel() as channel:
        for queue in app.amqp.queues.values():
            queue(channel).declare()


def forget_messages(settings: Settings) -> None:
    """Empty the queue in the data folder; call this only while nothing is running. Its messages are sent again
    later."""
    shutil.rmtree(settings.data / QUEUE_FOLDER, ignore_errors=True)


def _begin_trace(task: Task, **_: Any) -> None:
    """Add the ids that a message carries to every line logged during its task."""
    traces = getattr(task.request, TRACE, None) or (task.request.headers or {}).get(TRACE)
    if isinstance(traces, list):
        bind_contextvars(**{TRACE: traces})


def _end_trace(**_: Any) -> None:
    unbind_contextvars(TRACE)


task_prerun.connect(_begin_trace, weak=False)
task_postrun.connect(_end_trace, weak=False)
