"""The file format of a backup: a zip archive of tables and files, with a manifest that lists them. A row is a line of
JSON, the same for both kinds of database. The tables' columns are read from the database itself, so tables of any
revision can be read and written."""

import hashlib
import importlib.metadata
import json
import os
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import JSON, Column, Connection, DateTime, LargeBinary, MetaData, Table, Text, cast, func, null, select

FORMAT = 1
MANIFEST = "manifest.json"
QUICKEST = 1  # most of the data was compressed before
AT_A_TIME = 500  # rows


class BadBackup(Exception):
    """A file that cannot be restored; the message says why and what to do."""


class FilePart(BaseModel):
    """The entry of a file of the data folder in the manifest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str


class TablePart(FilePart):
    """The entry of a table in the manifest."""

    columns: list[str]
    rows: int


class Manifest(BaseModel):
    """The contents of a backup. `revision`: the database's revision; `left_out`: settings that belong to the place."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    program: str = importlib.metadata.version("quadrille")
    revision: str
    store: str  # the kind of database that was backed up
    made_at: datetime
    tables: dict[str, TablePart]
    files: dict[str, FilePart]
    left_out: list[str]

    @property
    def rows(self) -> int:
        """The number of rows in all tables together."""
        return sum(table.rows for table in self.tables.values())


def table_member(name: str) -> str:
    """Return the name of a table's member of the archive."""
    return f"tables/{name}.jsonl"


def file_member(name: str) -> str:
    """Return the name of a file's member of the archive."""
    return f"files/{name}"


def add_member(archive: ZipFile, name: str, pieces: Iterable[bytes]) -> tuple[int, str]:
    """Add a member to an archive. Returns the number of pieces and the SHA-256 of the content."""
    digest, number = hashlib.sha256(), 0
    with archive.open(name, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece)
            digest.update(piece)
            number += 1
    return number, digest.hexdigest()


@contextmanager
def writing_archive(path: Path) -> Iterator[ZipFile]:
    """Yield a new archive that only its owner can read. It appears under its name once it is complete. Raises
    FileExistsError."""
    with writing_file(path) as file, ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICKEST) as archive:
        yield archive


@contextmanager
def writing_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new file that only its owner can read. It appears under its name once it is complete. Raises
    FileExistsError."""
    if path.exists():
        raise FileExistsError(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.link(unfinished, path)  # unlike renaming, linking fails if the file now exists
    finally:
        unfinished.unlink(missing_ok=True)


def lines_of(path: Path, archive: ZipFile, name: str, sha256: str) -> Iterator[bytes]:
    """Yield the lines of a member of the archive at `path`. Raises BadBackup, at the latest after the last line, if
    their SHA-256 is not the given one."""
    digest = hashlib.sha256()
    try:
        with archive.open(name) as member:
            for line in member:
                digest.update(line)
                yield line
    except KeyError as error:
        raise BadBackup(f"{path} is damaged: {name} is not in it") from error
    if digest.hexdigest() != sha256:
        raise BadBackup(f"{path} is damaged: {name} is not what was written")


class Reader:
    """An archive that is being read."""

    def __init__(self, path: Path, archive: ZipFile) -> None:
        self._path, self._archive = path, archive
        self.manifest = self._manifest()

    def _manifest(self) -> Manifest:
        try:
            found = json.loads(self._archive.read(MANIFEST))
            if found["format"] > FORMAT:
                program = found.get("program", "?")
                raise BadBackup(
                    f"{self._path} was made by a later Quadrille ({program}); install that one, then restore it"
                )
            return Manifest.model_validate(found)
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise BadBackup(
                f"{self._path} is not a backup of Quadrille, or is damaged: its manifest is wrong"
            ) from error

    def lines(self, name: str, sha256: str) -> Iterator[bytes]:
        """Return the lines of a member. Raises BadBackup, at the latest after the last line, if they were changed."""
        return lines_of(self._path, self._archive, name, sha256)

    def file(self, name: str) -> bytes:
        """Return the content of a file in the archive."""
        return b"".join(self.lines(file_member(name), self.manifest.files[name].sha256))


@contextmanager
def reading_archive(path: Path) -> Iterator[Reader]:
    """Open an archive. Opening it or reading from it may raise BadBackup."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        with ZipFile(path) as archive:
            yield Reader(path, archive)
    except (BadZipFile, EOFError, zlib.error) as error:
        raise BadBackup(f"{path} is not a backup of Quadrille, or is damaged: {error}") from error


def tables_of(connection: Connection) -> MetaData:
    """Return all tables in the database."""
    found = MetaData()
    found.reflect(connection)
    return found


def count_rows(connection: Connection, table: Table) -> int:
    """Return the number of rows of a table."""
    return connection.scalar(select(func.count()).select_from(table)) or 0


def dump_rows(connection: Connection, table: Table) -> Iterator[bytes]:
    """Yield a line for each row, in the order of the primary key. It contains the row's values in the order of the
    columns: times in UTC, bytes in base 64, JSON as its text."""
    wanted = select(*(cast(each, Text) if isinstance(each.type, JSON) else each for each in table.columns))
    ordered = wanted.order_by(*table.primary_key.columns).execution_options(yield_per=AT_A_TIME)
    for row in connection.execute(ordered):
        yield json.dumps([_json_value(value) for value in row], separators=(",", ":")).encode() + b"\n"


def _json_value(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return value


def load_rows(connection: Connection, table: Table, columns: Sequence[str], lines: Iterable[bytes]) -> None:
    """Insert the rows that `dump_rows` wrote."""
    converts = [_converter(connection, table.columns[name]) for name in columns]
    rows = (
        {name: convert(value) for name, convert, value in zip(columns, converts, json.loads(line), strict=True)}
        for line in lines
    )
    while some := list(islice(rows, AT_A_TIME)):
        connection.execute(table.insert(), some)
    _count_on(connection, table)


def _converter(connection: Connection, column: Column[Any]) -> Callable[[Any], Any]:
    """Return a function that converts a value from JSON to one for this column."""
    kind, dialect = column.type, connection.dialect.name
    if isinstance(kind, LargeBinary):
        return lambda value: None if value is None else b64decode(value)
    if isinstance(kind, JSON):  # SQL's NULL and JSON's null differ
        return lambda value: null() if value is None else JSON.NULL if value == "null" else json.loads(value)
    if isinstance(kind, DateTime) and dialect == "sqlite":
        return lambda value: None if value is None else datetime.fromisoformat(value).replace(tzinfo=None)
    if isinstance(kind, DateTime):
        return lambda value: None if value is None else datetime.fromisoformat(value)
    if dialect == "postgresql":  # its text cannot contain NUL, as SQLite's can
        return lambda value: value.replace("\0", "\ufffd") if isinstance(value, str) else value
    return lambda value: value


def _count_on(connection: Connection, table: Table) -> None:
    """Make PostgreSQL continue the numbers of new rows after the last inserted row."""
    keys = list(table.primary_key.columns)
    if connection.dialect.name != "postgresql" or len(keys) != 1:
        return
    name = connection.dialect.identifier_preparer.format_table(table)
    sequence = connection.scalar(select(func.pg_get_serial_sequence(name, keys[0].name)))
    if sequence:
        last = select(func.max(keys[0])).scalar_subquery()
        connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))
