"""Rows of any table as lines of JSON, and back, on either kind of database.

The tables are reflected from the database instead of the models, so those of any revision can be read and written.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeAlias

from sqlalchemy import JSON, Column, Connection, DateTime, LargeBinary, MetaData, Table, Text, cast, func, null, select

AT_A_TIME = 500
Convert: TypeAlias = Callable[[Any], Any]


def tables_of(connection: Connection) -> MetaData:
    """The tables that the database has."""
    found = MetaData()
    found.reflect(connection)
    return found


def count(connection: Connection, table: Table) -> int:
    """The number of rows of a table."""
    return connection.scalar(select(func.count()).select_from(table)) or 0


def dump(connection: Connection, table: Table) -> Iterator[bytes]:
    """A line for each row, in the order of the primary key: its values in the order of the columns. Times are in UTC,
    bytes in base 64, JSON is its text."""
    wanted = select(*(cast(each, Text) if isinstance(each.type, JSON) else each for each in table.columns))
    ordered = wanted.order_by(*table.primary_key.columns).execution_options(yield_per=AT_A_TIME)
    for row in connection.execute(ordered):
        yield json.dumps([_plain(value) for value in row], separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return value


def load(connection: Connection, table: Table, columns: Sequence[str], lines: Iterable[bytes]) -> None:
    """Insert the rows of `dump`."""
    converts = [_converter(connection, table.columns[name]) for name in columns]
    rows = (
        {name: convert(value) for name, convert, value in zip(columns, converts, json.loads(line), strict=True)}
        for line in lines
    )
    while some := list(islice(rows, AT_A_TIME)):
        connection.execute(table.insert(), some)
    _count_on(connection, table)


def _converter(connection: Connection, column: Column[Any]) -> Convert:
    """Converts a JSON value to one for this column."""
    kind = column.type
    if isinstance(kind, LargeBinary):
        return lambda value: None if value is None else b64decode(value)
    if isinstance(kind, JSON):
        return _json
    if isinstance(kind, DateTime):
        return _naive_time if connection.dialect.name == "sqlite" else _time
    return _text_for_postgresql if connection.dialect.name == "postgresql" else lambda value: value


def _json(value: str | None) -> Any:
    """SQL's NULL and JSON's null differ."""
    return null() if value is None else JSON.NULL if value == "null" else json.loads(value)


def _time(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


def _naive_time(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=None)


def _text_for_postgresql(value: Any) -> Any:
    """PostgreSQL's text cannot hold NUL, SQLite's can."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _count_on(connection: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows after the last of these."""
    keys = list(table.primary_key.columns)
    if connection.dialect.name != "postgresql" or len(keys) != 1:
        return
    name = connection.dialect.identifier_preparer.format_table(table)
    sequence = connection.scalar(select(func.pg_get_serial_sequence(name, keys[0].name)))
    if sequence:
        last = select(func.max(keys[0])).scalar_subquery()
        connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))
