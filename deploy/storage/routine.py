"""Routine backups: encrypted for a public key, restored on trial, and deleted, except for the latest ones. Encrypted
backups have the file format of `age`, so the program `age` can read them too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import time

from sqlalchemy import Engine, select
from sqlalchemy.orm import sessionmaker

from deploy import age
from deploy.database import install_added_games
from deploy.settings import Settings
from deploy.storage.archive import BadBackup, Manifest, writing_file
from deploy.storage.backup import Progress, backup, silent
from deploy.storage.restore import restore
from deploy.storage.schema import schema
from sandbox import patterns
from tournament.ladder.rerate import rerate
from tournament.store.database import Sessions, connected, writing
from tournament.store.tables import Tournament
from tournament.work.maintenance import maintenance
from tournament.work.upkeep import MADE, TRIED, note_backup

ASIDE = ".backup-"  # the prefix of temporary folders with plain backups
ENCRYPTED = ".age"  # the ending of encrypted backups
ROUTINE = patterns.compile(r"quadrille-\d{8}-\d{6}-\d{6}\.zip(\.age)?")
"""The pattern for names of backups that may be deleted when they are too old."""


@dataclass(frozen=True, slots=True)
class BackupMade:
    """The result of a backup. `wrong`: titles of tournaments whose standings do not follow from the games, None if the
    backup was not tried. `noted`: whether the time was stored for the alerts. `deleted`: how many older backups were
    deleted."""

    path: Path
    manifest: Manifest
    wrong: Sequence[str] | None
    noted: bool
    deleted: int


def back_up(
    settings: Settings, engine: Engine, path: Path, keep: int = 0, check: bool = False, progress: Progress = silent
) -> BackupMade:
    """Write a backup; with `check`, also restore it on trial. If all is well, store the time, and with `keep` delete
    all but that many of the latest backups in the folder. Raises the errors of `backup` and `restore`."""
    with encrypted_beside(settings, path) as (plain, path):
        manifest = backup(settings, engine, plain, progress)
        wrong = tried(settings, plain, progress) if check else None
    if wrong:
        return BackupMade(path, manifest, wrong, noted=False, deleted=0)
    noted = _note_backup(engine, [MADE, TRIED] if check else [MADE])
    return BackupMade(path, manifest, wrong, noted, _delete_old(path.parent, keep) if keep else 0)


@contextmanager
def encrypted_beside(settings: Settings, path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the path at which to write a file, and its path after the context: `path` or, if QUADRILLE_BACKUP_KEY makes
    it encrypted, `path` with one more ending. Raises FileExistsError at the end."""
    keys = age.keys_in(settings.backup_key)
    _clear_away(settings.data)
    with TemporaryDirectory(prefix=ASIDE, dir=settings.data) as aside:
        plain, path = (Path(aside, path.name), path.with_name(path.name + ENCRYPTED)) if keys else (path, path)
        yield plain, path
        if keys:
            with plain.open("rb") as source, writing_file(path) as target:
                age.encrypt(source, target, keys)


def _clear_away(folder: Path) -> None:
    """Delete files left behind by commands that were killed more than a day ago."""
    for left in folder.glob(f"{ASIDE}*"):
        if time() - left.stat().st_mtime > 86_400:
            rmtree(left, ignore_errors=True)


def tried(settings: Settings, path: Path, progress: Progress = silent) -> Sequence[str]:
    """Restore a backup into a scratch database in the data folder, and compare all standings with the games. Returns
    the ids and titles of the tournaments whose standings are wrong. The scratch database is deleted."""
    with TemporaryDirectory(prefix=ASIDE, dir=settings.data) as folder:
        scratch = settings.model_copy(update={"data": Path(folder), "database_url": ""})
        restore(scratch, path, progress=progress)
        with connected(scratch.database) as engine:
            sessions = sessionmaker(engine)
            install_added_games(scratch, sessions)
            return _wrong(sessions)


def _wrong(sessions: Sessions) -> Sequence[str]:
    with writing(sessions) as session:
        tournaments = session.scalars(select(Tournament).order_by(Tournament.id))
        return [f"{each.id}, {each.title}" for each in tournaments if not rerate(session, each).right]


def _note_backup(engine: Engine, states: Sequence[str]) -> bool:
    """Store the time of the backup, except during maintenance or if the database is of another version. Returns whether
    it was stored."""
    with engine.connect() as connection:
        if not schema(connection).is_current:
            return False
    with writing(sessionmaker(engine)) as session:
        if maintenance(session):
            return False
        for state in states:
            note_backup(session, state)
    return True


def _delete_old(folder: Path, keep: int) -> int:
    """Delete the routine backups in the folder except the latest `keep`, and return how many. Their names sort by
    time."""
    old = sorted(path for path in folder.iterdir() if ROUTINE.fullmatch(path.name))[:-keep]
    for path in old:
        path.unlink()
    return len(old)


@contextmanager
def decrypted(path: Path, identity: Path | None, aside: Path | None) -> Iterator[Path]:
    """Yield a path at which the backup can be read: the file itself or, if it is encrypted, a decrypted copy. The copy
    lies in the folder `aside` (None: the system's own) and exists until the context ends. `identity`: a file with
    private keys, one per line. Raises BadBackup."""
    if not _is_encrypted(path):
        yield path
        return
    if identity is None:
        raise BadBackup(f"{path} is encrypted; name the file with the private key: --identity FILE")
    with TemporaryDirectory(prefix=ASIDE, dir=aside) as folder:
        plain = Path(folder, "backup.zip")
        try:
            with plain.open("xb") as target:
                age.decrypt(path, target, identity)
        except age.CannotDecrypt as error:
            raise BadBackup(str(error)) from error
        yield plain


def _is_encrypted(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(age.BEGINNING)) == age.BEGINNING
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}") from error
