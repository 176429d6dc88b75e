"""The doctor's checks of workers, the scheduler and maintenance."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from deploy.processes.celery import LADDER
from grader.programs.grading import titles
from grader.store.models import Submission
from grader.store.queue import GRADING, PLAYERS, crew_of, lacking
from sandbox.host.probe import Finding
from tournament.store.database import now
from tournament.store.jobs import PENDING
from tournament.store.tables import SILENT, Worker
from tournament.work.maintenance import maintenance
from tournament.work.workers import SITE, schedulers, site_processes, workers

SECONDS = round(SILENT.total_seconds())
STARTS = "quadrille serve starts it on one machine, or: quadrille"
SILENT_WORKER = "silent worker", "check its machine; its jobs are given to other workers"
SILENT_SITE = "silent site process", "kill it if its machine still runs: another one takes its place"
BROKEN_WORKER = "worker", "run quadrille doctor on its machine"
UNDONE = frozenset(
    {"processes", "language", "scheduler", f"{GRADING} workers", f"{LADDER} workers", "worker"}
) | {SILENT_WORKER[0], SILENT_SITE[0]}  # fmt: skip
"""The names of findings that say, if they are not good, that work is not done."""


def attendance(session: Session) -> Iterator[Finding]:
    """Which processes run. Nothing here is an error of this machine: see UNDONE."""
    at = now()
    known = workers(session)
    alive = [worker for worker in known if not worker.silent(at)]
    sending = schedulers(session)
    if not alive and not sending:
        waits = session.scalar(select(Submission.id).where(Submission.state.in_(PENDING)).limit(1)) is not None
        detail = "no worker or scheduler has been seen lately: Quadrille is not running"
        detail += ", and submissions wait" if waits else ""
        yield Finding("processes", not waits, detail, "start it: quadrille serve", needed=False)
    else:
        yield _kind(GRADING, [worker for worker in alive if worker.queue in (GRADING, PLAYERS)])
        yield _kind(LADDER, [worker for worker in alive if worker.queue == LADDER])
        yield from _languages(session)
        yield _scheduler(sending)
    for each in (*known, *sending, *site_processes(session)):
        if problem := each.problem(at):
            detail = f"{each.name} ({each.queue}) {problem}"
            silent = SILENT_SITE if each.queue == SITE else SILENT_WORKER
            kind, fix = silent if each.silent(at) else BROKEN_WORKER
            yield Finding(kind, False, detail, fix, needed=False)
    yield _maintenance(session)


def _kind(kind: str, alive: Sequence[Worker]) -> Finding:
    if alive:
        return Finding(f"{kind} workers", True, f"{len(alive)} running: {', '.join(each.name for each in alive)}")
    detail = f"none has been seen for {SECONDS} s, so no work of this kind is done"
    return Finding(f"{kind} workers", False, detail, f"{STARTS} worker {kind}", needed=False)


def _languages(session: Session) -> Iterator[Finding]:
    """The languages in which submissions wait and that no worker offers."""
    waiting = session.scalars(select(Submission.needs).where(Submission.state.in_(PENDING)).distinct())
    crew = crew_of(session)
    for language in sorted({each for needs in waiting for each in lacking(crew, needs)}):
        detail = f"submissions wait, and no worker has {titles([language])}"
        fix = "run quadrille doctor where grading workers run: it says what to install; then restart them"
        yield Finding("language", False, detail, fix, needed=False)


def _scheduler(sending: Sequence[Worker]) -> Finding:
    if not sending:
        detail = f"none has been seen for {SECONDS} s: jobs that failed or lost their message are not tried again"
        return Finding("scheduler", False, detail, f"{STARTS} scheduler", needed=False)
    first, *others = (each.name for each in sending)
    return Finding("scheduler", True, f"{first} works" + (f"; {', '.join(others)} stands by" if others else ""))


def _maintenance(session: Session) -> Finding:
    found = maintenance(session)
    if not found:
        return Finding("maintenance", True, "off")
    detail = f"on since {found.since:%d %B %Y %H:%M} UTC, so nothing is stored: {found.reason}"
    return Finding("maintenance", False, detail, "quadrille maintenance off, when it is over", needed=False)
