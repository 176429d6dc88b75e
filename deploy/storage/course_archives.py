"""Archives finished courses: one zip for each, which is verified before the course is removed from the database."""

import zlib
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, sessionmaker

from deploy.settings import Settings
from deploy.storage.archive import BadBackup, add_member, lines_of, writing_archive
from deploy.storage.backup import snapshot
from deploy.storage.routine import encrypted_beside
from tournament.store.database import writing
from tournament.store.jobs import PENDING, JobState, job_kinds
from tournament.store.tables import Block
from tournament.store.tables import Final as FinalRow
from web.privacy import belonging
from web.privacy.course_archive import CourseArchive
from web.privacy.forgetting import (
    UNDER_WAY,
    CannotForget,
    await_forgetting,
    courses_of,
    last_event,
    require_ended,
    students_of_course,
)
from web.privacy.inventory import INVENTORY, table_named
from web.site.models import Course

FOLDER: Final = "archives"  # in the data folder
SUMS: Final = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class ArchivedCourse:
    """An archive that was written and verified. `counts` (of rows) and `last_event` describe the course at that
    time."""

    course_id: int
    path: Path
    files: int
    counts: Mapping[str, int]
    last_event: datetime


def default_path(settings: Settings, slug: str) -> Path:
    """Return the default path of an archive."""
    return settings.data / FOLDER / f"{slug}-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.zip"


def archive(
    settings: Settings, engine: Engine, course_id: int, path: Path, told: Callable[[str], None] = lambda _: None
) -> ArchivedCourse:
    """Write the archive of a course that has ended and verify it; with QUADRILLE_BACKUP_KEY it is encrypted like a
    backup. Raises CannotForget, FileExistsError, BadBackup, OSError."""
    if not (settings.data / "record-key").exists():  # such as in a container of the scheduler, which loses its files
        raise CannotForget(f"{settings.data} is not the data folder of the site: it has no key to sign records with.")
    with snapshot(engine) as connection, Session(connection) as session:
        course = session.get_one(Course, course_id)
        require_ended(session, course, datetime.now(UTC))
        _refuse_busy(session, course)
        found, sums = CourseArchive(session, course, settings.record_key), dict[str, str]()
        with encrypted_beside(settings, path) as (plain, path):
            with writing_archive(plain) as file:
                for name, pieces in found.members():
                    sums[name] = add_member(file, name, pieces)[1]
                    told(f"{len(sums):,} files, {name.rpartition('/')[0]}")
                lines = (f"{digest}  {name}\n".encode() for name, digest in sums.items())
                sums[SUMS] = add_member(file, SUMS, [*lines])[1]
            told("reading it again")
            try:
                _verify(plain, sums)
                counts = _counts(session, course)
                if counts != found.rows:
                    raise BadBackup(f"the tables in {plain} have other numbers of rows than the database")
            except BadBackup:
                plain.unlink()
                raise
        return ArchivedCourse(course_id, path, len(sums), counts, last_event(session, course_id))


def _verify(path: Path, sums: Mapping[str, str]) -> None:
    """Raise BadBackup unless the file has exactly these members with these checksums."""
    try:
        with ZipFile(path) as file:
            if file.namelist() != [*sums]:
                raise BadBackup(f"{path} does not have the files that were written")
            for name, digest in sums.items():
                deque(lines_of(path, file, name, digest), maxlen=0)
    except (BadZipFile, EOFError, zlib.error) as error:
        raise BadBackup(f"{path} is damaged: {error}") from error


def _counts(session: Session, course: Course) -> dict[str, int]:
    counts = belonging.count_rows(session, table_named("course"), course.id)
    return {name: number for name, number in counts.items() if INVENTORY[name].archived}


def _refuse_busy(session: Session, course: Course) -> None:
    """Raise CannotForget while work of the course is in progress, or a final waits for its publication."""
    rows = belonging.belonging(table_named("course"), course.id)
    for kind in job_kinds():
        doing = [JobState.RUNNING] if kind is Block else PENDING  # resting ladders have blocks that wait
        if session.scalar(select(kind.id).where(rows[kind.__tablename__], kind.state.in_(doing)).limit(1)):
            raise CannotForget(f"Something in {course.title} is being graded or played. Try again in some minutes.")
    if session.scalar(select(FinalRow.phase).where(rows["final"], FinalRow.phase.in_(UNDER_WAY)).limit(1)):
        raise CannotForget(f"A final of {course.title} is not published yet.")


def remove(engine: Engine, done: ArchivedCourse) -> list[int]:
    """Delete a course that was archived. Returns the students who are in no other course and teach nowhere: their
    accounts end by `forget_each`, or within an hour by the scheduler. Raises CannotForget if something has happened
    in the course since."""
    with writing(sessionmaker(engine)) as session:
        course = session.get_one(Course, done.course_id, with_for_update=True)
        _refuse_busy(session, course)
        if (_counts(session, course), last_event(session, course.id)) != (done.counts, done.last_event):
            raise CannotForget(
                f"Something has changed in {course.title} since the archive was begun. Archive it again."
            )
        students = students_of_course(session, course.id, datetime.now(UTC))[0]
        belonging.remove(session, table_named("course"), course.id)
        alone = [each for each in students if not courses_of(session, each)]
        for user_id in alone:
            await_forgetting(session, user_id)
    return alone


def archive_and_remove(settings: Settings, engine: Engine, course_id: int) -> ArchivedCourse:
    """Archive a course and remove it, for the scheduler, which ends the accounts later. If the removal fails, the
    archive is deleted too. Raises the errors of `archive` and `remove`."""
    with Session(engine) as session:
        path = default_path(settings, session.get_one(Course, course_id).slug)
    done = archive(settings, engine, course_id, path)
    try:
        remove(engine, done)
    except BaseException:
        with suppress(OSError):
            done.path.unlink()
        raise
    return done
