"""Deletes data that is kept only for a limited time: students of courses that ended long ago, work that no longer
affects a mark, the records of old games, whole courses after they were archived, the log of who opened whose work, and
old e-mails."""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from deploy.processes.outbox import forget_old
from deploy.settings import Settings
from tournament.ladder.thinning import thin
from tournament.store.database import Sessions, now, reading, writing
from web.privacy.forgetting import (
    CannotForget,
    ended_assignments,
    erase_due,
    forget,
    has_ended,
    students_of_course,
)
from web.privacy.tables import Erasure, OpenedWork
from web.site.models import Course

EVERY_S: Final = 3600.0
log = logging.getLogger(__name__)


def keep_forgetting(settings: Settings, sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Delete all data whose time is up, once an hour; this never returns."""
    while True:
        rest(EVERY_S)
        try:
            forget_old(sessions, now())
            forget_due(settings, sessions, now())
            thin_due(settings, sessions, now())
            archive_due(settings, sessions, now())
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("what is too old could not be forgotten")


def forget_due(settings: Settings, sessions: Sessions, at: datetime) -> list[int]:
    """Forget the people whose time is up, each in a separate transaction; returns the ids of those who were
    forgotten."""
    keep = timedelta(days=settings.keep_work_days)
    with writing(sessions) as session:
        last = f"{at - timedelta(days=settings.access_log_days):%Y-%m-%d}"
        session.execute(delete(OpenedWork).where(OpenedWork.day < last))
    with reading(sessions) as session:
        due = [*_of_old_courses(session, timedelta(days=settings.forget_days), at), *erase_due(session, keep, at)]
    return forget_each(sessions, dict.fromkeys(due), keep, at)


def forget_each(sessions: Sessions, people: Iterable[int], keep: timedelta, at: datetime) -> list[int]:
    """Forget and erase these people, each in a separate transaction, since SQLite has only one writer at a time. Return
    the ids of those who were forgotten; the others follow later."""
    done = list[int]()
    for user_id in people:
        try:
            with writing(sessions) as session:
                forget(session, user_id, True, keep, at)
        except CannotForget as why:
            log.info("person %d is not forgotten yet: %s", user_id, why)
        else:
            done.append(user_id)
    return done


def thin_due(settings: Settings, sessions: Sessions, at: datetime) -> int:
    """Reduce old games to their results; returns how many were reduced."""
    if not settings.thin_days:
        return 0
    before = at - timedelta(days=settings.thin_days)
    with reading(sessions) as session:
        ended = ended_assignments(session, before)
    return thin(sessions, before, ended)


def archive_due(settings: Settings, sessions: Sessions, at: datetime) -> list[str]:
    """Archive the courses that ended long enough ago, and remove them from the database; returns the archives."""
    if not settings.archive_days:
        return []
    from deploy.storage import course_archives  # imported here, so that other schedulers do not load what it needs

    done, before = list[str](), at - timedelta(days=settings.archive_days)
    with reading(sessions) as session:
        due = [each for each in session.scalars(select(Course.id)) if has_ended(session, each, before)]
        engine = session.get_bind().engine
    for course_id in due:
        try:
            done.append(str(course_archives.archive_and_remove(settings, engine, course_id).path))
        except CannotForget as why:
            log.info("course %d is not archived yet: %s", course_id, why)
        else:
            log.info("course %d was archived as %s, and removed", course_id, done[-1])
    return done


def _of_old_courses(session: Session, after: timedelta, at: datetime) -> Iterator[int]:
    """Yield the students of courses that ended long ago. People who teach anywhere, are in a course that has not ended,
    or have been forgotten already are left out."""
    for course_id in session.scalars(select(Course.id)) if after else ():
        if has_ended(session, course_id, at - after):
            for user_id in students_of_course(session, course_id, at - after)[0]:
                if session.get(Erasure, user_id) is None:
                    yield user_id
