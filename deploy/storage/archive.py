"""The file format of a backup: a zip archive of tables and files, with a manifest that lists them."""

import hashlib
import importlib.metadata
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from pydantic import BaseModel, ConfigDict, ValidationError

FORMAT = 1
MANIFEST = "manifest.json"
QUICKEST = 1  # most of the data was compressed before


class BadBackup(Exception):
    """A file that cannot be restored; the message says why and what to do."""


class _Archived(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str


class TablePart(_Archived):
    """A table in the manifest."""

    columns: list[str]
    rows: int


class FilePart(_Archived):
    """A file of the data folder in the manifest."""


class Manifest(BaseModel):
    """What a backup holds. `revision`: of the database; `left_out`: settings that belong to the place."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    program: str = importlib.metadata.version("quadrille")
    revision: str
    store: str  # the kind of database it was made from
    made_at: datetime
    tables: dict[str, TablePart]
    files: dict[str, FilePart]
    left_out: list[str]

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(table.rows for table in self.tables.values())


def table_member(name: str) -> str:
    """The name of a table's member."""
    return f"tables/{name}.jsonl"


def file_member(name: str) -> str:
    """The name of a file's member."""
    return f"files/{name}"


class Writer:
    """An archive that is being written."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    def add(self, name: str, pieces: Iterable[bytes]) -> tuple[int, str]:
        """Add a member. Returns the number of pieces and the SHA-256."""
        digest, number = hashlib.sha256(), 0
        with self._archive.open(name, "w", force_zip64=True) as member:
            for piece in pieces:
                member.write(piece)
                digest.update(piece)
                number += 1
        return number, digest.hexdigest()

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest."""
        self.add(MANIFEST, [manifest.model_dump_json(indent=1).encode()])


@contextmanager
def writing_archive(path: Path) -> Iterator[Writer]:
    """A new archive that only its owner can read. It appears when it is complete. Raises FileExistsError."""
    if path.exists():
        raise FileExistsError(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
            with ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICKEST) as archive:
                yield Writer(archive)
            file.flush()
            os.fsync(file.fileno())
        os.link(unfinished, path)  # unlike renaming, this fails if the file exists by now
    finally:
        unfinished.unlink(missing_ok=True)


class Reader:
    """An archive that is being read."""

    def __init__(self, path: Path, archive: ZipFile) -> None:
        self._path, self._archive = path, archive
        self.manifest = self._manifest()

    def _manifest(self) -> Manifest:
        try:
            found = json.loads(self._archive.read(MANIFEST))
            if found["format"] > FORMAT:
                raise BadBackup(_LATER.format(path=self._path, program=found.get("program", "?")))
            return Manifest.model_validate(found)
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise BadBackup(
                f"{self._path} is not a backup of Quadrille, or is damaged: its manifest is wrong"
            ) from error

    def lines(self, name: str, sha256: str) -> Iterator[bytes]:
        """The lines of a member. Raises BadBackup, at the latest after the last one, if they were changed."""
        digest = hashlib.sha256()
        try:
            with self._archive.open(name) as member:
                for line in member:
                    digest.update(line)
                    yield line
        except KeyError as error:
            raise BadBackup(f"{self._path} is damaged: {name} is not in it") from error
        if digest.hexdigest() != sha256:
            raise BadBackup(f"{self._path} is damaged: {name} is not what was written")

    def file(self, name: str) -> bytes:
        """The content of a file."""
        return b"".join(self.lines(file_member(name), self.manifest.files[name].sha256))


_LATER = "{path} was made by a later Quadrille ({program}); install that one, then restore it"


@contextmanager
def reading_archive(path: Path) -> Iterator[Reader]:
    """An archive. Opening it and reading from it raises BadBackup."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        with ZipFile(path) as archive:
            yield Reader(path, archive)
    except (BadZipFile, EOFError, zlib.error) as error:
        raise BadBackup(f"{path} is not a backup of Quadrille, or is damaged: {error}") from error
