"""Restores a backup, completely or not at all: into an empty place, or with `force` into any place."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from alembic import command
from dotenv import dotenv_values
from sqlalchemy import Connection, Engine, RowMapping, delete, exists, inspect, select, table, update
from sqlalchemy.orm import Session

from deploy.machine import LOCK, locked
from deploy.migrations import changing_tables, config
from deploy.settings import Settings
from deploy.storage.archive import BadBackup, Manifest, Reader, load_rows, reading_archive, table_member, tables_of
from deploy.storage.backup import PRIVATE, SETTINGS, TRANSIENT, Progress, backup, default_path, quoted, silent, told
from deploy.storage.schema import REPLACED, needs_former, revisions, schema
from tournament.store.database import connected
from tournament.store.jobs import MAX_ATTEMPTS, UNFINISHED, JobState, job_kinds
from tournament.store.tables import Block, Mail, Notice, PasswordRequest
from tournament.work.maintenance import at_rest
from web.lti.tables import LtiScore
from web.privacy.forgetting import repeat
from web.privacy.tables import Erasure


class Occupied(Exception):
    """This place already contains data; the message says which."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `kept`: the path of a backup of the former data; `own`: settings of the place that differ from
    the backup and were kept."""

    manifest: Manifest
    kept: Path | None
    own: list[str]


def verify(path: Path, progress: Progress = silent) -> Manifest:
    """Compare a whole backup with its manifest. Raises BadBackup."""
    with reading_archive(path) as archive:
        manifest = archive.manifest
        if manifest.revision in REPLACED:
            raise BadBackup(
                f"{path} holds tables at revision {manifest.revision}; {needs_former(manifest.revision)}"
                " restore this file with it, then run its `quadrille backup`; this one can restore the new backup"
            )
        if manifest.revision not in revisions():
            raise BadBackup(
                f"{path} was made by a later Quadrille ({manifest.program}), whose tables are at revision"
                f" {manifest.revision}; install that one, then restore it"
            )
        for lines in _all_lines(archive, "checking", progress):
            for _ in lines[1]:
                pass
        for name in manifest.files:
            archive.file(name)
    return manifest


def _all_lines(archive: Reader, what: str, progress: Progress) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield each table's name with its lines, which must be read in this order."""
    done, total = 0, archive.manifest.rows
    for name, part in archive.manifest.tables.items():
        lines = archive.lines(table_member(name), part.sha256)
        yield name, told(lines, f"{what} {name}", done, total, progress)
        done += part.rows


def restore(
    settings: Settings,
    path: Path,
    force: bool = False,
    progress: Progress = silent,
    resting: Callable[[int], None] = lambda held: None,
) -> Restored:
    """Restore a backup into the installation of these settings, and upgrade it. Existing data is replaced only with
    `force`, after a backup of that data. Raises BadBackup, Occupied, AlreadyRunning (`quadrille serve` runs there),
    OSError or SQLAlchemyError; in these cases nothing has changed."""
    verify(path, progress)
    with connected(settings.database) as engine, locked(settings.data / LOCK), reading_archive(path) as archive:
        there = contents(settings, engine, archive)
        if there and not force:
            raise Occupied(f"there is data already: {', '.join(there)}")
        with at_rest(engine, "A backup is being restored", resting):
            kept = _keep(settings, engine, progress) if there else None
            replace_tables(engine, archive, progress, _erasures(engine))
        return Restored(archive.manifest, kept, replace_files(settings, archive))


def contents(settings: Settings, engine: Engine, archive: Reader) -> list[str]:
    """Return the data that a restore would overwrite: rows in the database, and keys that differ from those of the
    backup."""
    with engine.connect() as connection:
        names = set(inspect(connection).get_table_names()) - set(TRANSIENT)
        full = [name for name in names if connection.scalar(select(exists(select(1).select_from(table(name)))))]
    found = [f"the database {engine.url!r} has rows in {len(full)} tables"] if full else []
    for name in PRIVATE:
        file = settings.data / name
        if name in archive.manifest.files and file.exists() and file.read_bytes() != archive.file(name):
            found.append(f"{file} differs")
    return found


def _keep(settings: Settings, engine: Engine, progress: Progress) -> Path | None:
    """Back up the former data and return the path of the backup, or None if the database has no tables."""
    with engine.connect() as connection:
        if schema(connection).revision is None:
            return None
    path = default_path(settings, "before-restore")
    backup(settings, engine, path, progress)
    return path


def _erasures(engine: Engine) -> Sequence[RowMapping]:
    """Return the people who were forgotten in this installation. An older backup must not bring them back."""
    with engine.connect() as connection:
        if not inspect(connection).has_table(Erasure.__tablename__):
            return []
        return connection.execute(select(Erasure.__table__)).mappings().all()


def replace_tables(engine: Engine, archive: Reader, progress: Progress, erasures: Sequence[RowMapping]) -> None:
    """Create the backup's tables, fill them and upgrade them in one transaction; until it ends, readers see the former
    tables. People in the backup whom `erasures` names are forgotten again."""
    with changing_tables(engine) as connection:
        tables_of(connection).drop_all(connection)
        command.upgrade(config(connection), archive.manifest.revision)
        tables = tables_of(connection).tables
        for name, lines in _all_lines(archive, "restoring", progress):
            load_rows(connection, tables[name], archive.manifest.tables[name].columns, lines)
        command.upgrade(config(connection), "head")
        _release_claims(connection)
        _give_up_mail(connection)
        repeat(Session(connection), erasures)


def _give_up_mail(connection: Connection) -> None:
    """Give up e-mails, and marks for platforms, that were waiting when the backup was made: they may have been sent
    since, or this may be a trial copy."""
    waiting = update(Mail).where(Mail.next_at.is_not(None))
    connection.execute(waiting.values(next_at=None, trouble="restored from a backup; it may have been sent before"))
    scores = update(LtiScore).where(LtiScore.next_at.is_not(None))
    connection.execute(scores.values(next_at=None, answer="restored from a backup"))
    connection.execute(delete(PasswordRequest))
    connection.execute(update(Notice).where(Notice.mail_at.is_not(None)).values(mail_at=None))


def _release_claims(connection: Connection) -> None:
    """Queue the jobs that workers held when the backup was made; the interrupted attempt does not count. Unfinished
    blocks get other deals, since their own may have been dealt since."""
    for kind in job_kinds():
        held = update(kind.__table__).where(kind.state == JobState.RUNNING)
        queued = {"state": JobState.QUEUED, "owner": None, "lease_until": None, "attempts": kind.attempts - 1}
        connection.execute(held.values(queued))
    left = update(Block).where(Block.state.in_(UNFINISHED))
    connection.execute(left.values(attempts=0, deals=Block.deals + MAX_ATTEMPTS))


def replace_files(settings: Settings, archive: Reader) -> list[str]:
    """Write the files of the backup into the data folder, and add the backup's settings that the place does not set
    itself. Returns the names of settings that differ from the backup and were kept."""
    for name in PRIVATE:
        if name in archive.manifest.files:
            write_private(settings.data / name, archive.file(name))
    file = settings.data / SETTINGS
    here = {**dotenv_values(file), **{k: v for k, v in os.environ.items() if k.startswith("QUADRILLE_")}}
    theirs = dotenv_values(stream=StringIO(archive.file(SETTINGS).decode()))
    new = [f"{name}={quoted(value)}\n" for name, value in theirs.items() if name not in here]
    if new:
        former = file.read_text() if file.exists() else ""
        title = f"# from a backup of {archive.manifest.made_at:%Y-%m-%d %H:%M} UTC\n"
        write_private(file, "".join([former, title, *new]).encode())
    return [name for name, value in theirs.items() if name in here and here[name] != value]


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:  # with mode 0600
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
