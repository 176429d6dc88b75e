"""The workers, schedulers and processes of the site as instructors see them: when each last gave a sign of life, and
what prevents it from working. Every few seconds, a separate thread of a worker gives a sign and, unless the worker
hangs, renews its leases. When a worker ends cleanly, its row is deleted. If it dies, the process that watches it
(`deploy.processes.watch`) releases its jobs. If that process dies too, the other workers on the machine release
them, or the leases run out."""

import logging
import os
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from sandbox import signs
from tournament.store import jobs
from tournament.store.database import Sessions, in_a_line, now, reading, writing
from tournament.store.tables import Worker

log = logging.getLogger(__name__)

SIGN_S = 10.0
"""The seconds between two signs of life."""

STALE_S = 300.0
"""A process that could not give a sign of life for this long ends itself, since a restart may fix the problem."""

LAST_WORDS_S = 30.0
"""The seconds that a process may take to end cleanly."""

FORGOTTEN = timedelta(minutes=10)
"""The time after which the row of a silent worker is deleted."""

BOOT = Path("/proc/sys/kernel/random/boot_id")
ENDED = ("Z", "X")
"""The states, in /proc, of a process that has ended but has not been collected by its parent."""

SCHEDULER, SITE = "scheduler", "web"
"""The `queue` in the row of a scheduler, and in that of a process of the site."""


def workers(session: Session) -> Sequence[Worker]:
    """Return the workers that recently gave a sign of life, beginning with those that have trouble."""
    return _seen_lately(session, Worker.queue.not_in((SCHEDULER, SITE)))


def site_processes(session: Session) -> Sequence[Worker]:
    """Return the processes of the site that recently gave a sign of life."""
    return _seen_lately(session, Worker.queue == SITE)


def _seen_lately(session: Session, which: ColumnElement[bool]) -> Sequence[Worker]:
    seen = select(Worker).where(Worker.seen_at > now() - FORGOTTEN, which)
    return session.scalars(seen.order_by(Worker.trouble == "", Worker.queue, Worker.name)).all()


def schedulers(session: Session) -> Sequence[Worker]:
    """Return the schedulers that are alive. The first one sends the tasks that are due; the others stand by."""
    found = session.scalars(select(Worker).where(Worker.queue == SCHEDULER).order_by(Worker.started_at, Worker.name))
    at = now()
    return [each for each in found if not each.silent(at)]


def processes_here(session: Session) -> Sequence[Worker]:
    """Return the processes of this machine, or container, that have not signed off, including dead ones."""
    return [each for each in session.scalars(select(Worker).order_by(Worker.name)) if is_here(each.process)]


def bury_dead(sessions: Sessions) -> int:
    """Release the jobs of workers that have died on this machine, and delete these workers' rows. Returns how many
    died."""
    with reading(sessions) as session:
        known = session.execute(select(Worker.name, Worker.process)).all()
    dead = [name for name, process in known if has_ended(process)]
    for name in dead:
        with writing(sessions) as session:
            bury(session, name)
    return len(dead)


def bury(session: Session, name: str, hung: bool = False) -> None:
    """Release the jobs of a dead worker, or park them if the worker `hung`, and delete the worker's row."""
    held = jobs.release(session, name, hung)
    session.execute(delete(Worker).where(Worker.name == name))
    log.warning("the worker %s %s: %d", name, "hung; parked" if hung else "died; released", held)


def end_process(ended: Event) -> None:
    """End this process, cleanly if possible. Other workers then claim its jobs, as if it had been killed."""
    os.kill(os.getpid(), signal.SIGTERM)
    if not ended.wait(LAST_WORDS_S):
        os._exit(1)


class Presence:
    """Maintains the row of this process within its context. Before each sign, `look` returns what to `tell`. `offers`
    are the languages in which this process grades programs. A process of the site has no jobs to renew. It keeps
    running without a database, so that it can show that the database is missing."""

    def __init__(self, sessions: Sessions, name: str, queue: str) -> None:
        self._sessions, self._name, self._queue = sessions, name, queue
        self._trouble = ""
        self.offers: frozenset[str] = frozenset()
        self.look: Callable[[], str | None] = lambda: None
        self._started, self._process = now(), this_process()
        self._ended, self._given = Event(), monotonic()
        self._thread = Thread(target=self._keep_telling, name="presence", daemon=True)

    def tell(self, trouble: str | None = None) -> None:
        """Give a sign of life, and store what prevents this worker from working ("": nothing; None: the same as
        before)."""
        if trouble is not None:
            self._trouble = trouble
        row = Worker(
            name=self._name,
            queue=self._queue,
            started_at=self._started,
            seen_at=now(),
            trouble=self._trouble,
            process=self._process,
            offers=" ".join(sorted(self.offers)),
        )
        try:
            with writing(self._sessions) as session:
                # The worker waits for a jail, which has limits of its own
                if self._queue != SITE and signs.hangs() is False:
                    jobs.renew_all(session, self._name)
                session.merge(row)
                session.execute(delete(Worker).where(Worker.seen_at < now() - FORGOTTEN))
            self._given = monotonic()
        except SQLAlchemyError as error:  # the next sign will report it; work that needs the database fails by itself
            log.warning("this worker could not report that it is alive: %s", in_a_line(error))

    def _keep_telling(self) -> None:
        try:
            while (monotonic() - self._given < STALE_S or self._queue == SITE) and not self._ended.wait(SIGN_S):
                self.tell(self.look())
        except Exception:  # any error: a process that gives no signs must not keep running
            log.exception("this process can no longer report that it is alive")
        if not self._ended.is_set():
            log.error("this process could not report that it is alive, so it ends and is started again")
            end_process(self._ended)

    def __enter__(self) -> Self:
        try:
            bury_dead(self._sessions)  # a dead worker may have had this name
        except SQLAlchemyError as error:  # the next sweep repeats this
            log.warning("the jobs of dead workers could not be released: %s", in_a_line(error))
        self.tell()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()
        try:
            with writing(self._sessions) as session:
                session.execute(delete(Worker).where(Worker.name == self._name))
        except SQLAlchemyError as trouble:  # without this, the row becomes outdated
            log.warning("the row of this worker could not be deleted: %s", in_a_line(trouble))


# Names of processes, by which other processes on the same machine find out whether they are alive: a lease runs out
# only some time after its worker died. This reads /proc and does not use psutil, which knows neither the boot id nor
# the PID namespace, and whose start time of a process changes when the system clock is set: living workers would look
# dead.


def this_process() -> str:
    """Return a name that no other process has, here or elsewhere: `<boot> <PID namespace> <pid> <start>`. If this
    process is watched, the name is that of its watch, which outlives it in order to release its jobs. Empty if /proc
    cannot be read."""
    pid = os.getppid() if signs.are_watched() else os.getpid()
    machine, state = _machine(), _process_state(pid)
    return f"{machine} {pid} {state[1]}" if machine and state else ""


def is_here(process: str) -> bool:
    """Whether the process of that name ran on this machine since the machine's last start, and in this container if
    there is one."""
    machine = _machine()
    return bool(machine) and process.startswith(f"{machine} ")


def shares_processors(process: str) -> bool:
    """Whether the process of that name ran on this machine since the machine's last start, in any container."""
    here = _machine()
    return bool(here) and process.split(" ")[0] == here.split(" ")[0]


def has_ended(process: str) -> bool:
    """Whether the process of that name is known to have ended: it ran on this machine since the last start, and its
    number is now free or belongs to another process. False for a process of any other machine."""
    if not is_here(process):
        return False
    pid, start = process.split()[-2:]
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # the process is alive, and belongs to another user
        pass
    state = _process_state(int(pid))
    return state is not None and (state[0] in ENDED or state[1] != start)


def _machine() -> str:
    """Return a name for this machine since its last start and for the PID namespace of this process; "" if it cannot be
    read."""
    try:
        return f"{BOOT.read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _process_state(pid: int) -> tuple[str, str] | None:
    """Return the state of a process and when it started, in ticks since the machine's start; None if they cannot be
    read."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the program's name may contain any characters
    return fields[0], fields[19]
