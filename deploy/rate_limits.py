"""Counts of requests that a site's processes share in an SQLite file when there is no Redis. The module is a storage
for the library `limits`, which finds it by its scheme once this module has been imported."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import time
from typing import Any, Final

from limits.storage import Storage

SCHEME: Final = "file"
BUSY_S: Final = 5.0

_TABLE = "CREATE TABLE IF NOT EXISTS counter (key TEXT PRIMARY KEY, count INTEGER NOT NULL, expires REAL NOT NULL)"
_FORGET = "DELETE FROM counter WHERE expires <= ?"
_ADD = """INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET count = count + excluded.count
    RETURNING count"""


def uri(file: Path) -> str:
    """Return the address of a storage in a file. The file may not exist yet, but its folder must."""
    return f"{SCHEME}://{file.absolute()}"


class FileStorage(Storage):
    """Counts in fixed windows of time. A crash of the machine may lose some counts."""

    STORAGE_SCHEME = [SCHEME]  # noqa: RUF012  # the library declares it so

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **_: Any) -> None:
        """`uri`: an address that the function `uri` returned."""
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self._file = (uri or "").removeprefix(f"{SCHEME}://")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, BUSY_S, isolation_level="IMMEDIATE")) as connection, connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_TABLE)
            yield connection

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        """The errors that using the file can raise."""
        return sqlite3.Error

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to the count under this key and return the sum. The count starts again at 0 `expiry` seconds after it
        began."""
        with self._opened() as connection:
            connection.execute(_FORGET, [time()])
            [(count,)] = connection.execute(_ADD, [key, amount, time() + expiry])
            return int(count)

    def get(self, key: str) -> int:
        """Return the count under this key, or 0 if nothing was counted."""
        return int(self._value("count", key) or 0)

    def get_expiry(self, key: str) -> float:
        """Return the time at which the count starts again at 0, in seconds since 1970, or the present time if nothing
        was counted."""
        return self._value("expires", key) or time()

    def _value(self, column: str, key: str) -> float | None:
        with self._opened() as connection:
            found = connection.execute(
                f"SELECT {column} FROM counter WHERE key = ? AND expires > ?",  # noqa: S608  # our own name
                [key, time()],
            ).fetchone()
            return found[0] if found else None

    def check(self) -> bool:
        """Whether the file can be used."""
        try:
            with self._opened():
                return True
        except sqlite3.Error:
            return False

    def reset(self) -> int:
        """Forget all counts; return how many there were."""
        with self._opened() as connection:
            return connection.execute("DELETE FROM counter").rowcount

    def clear(self, key: str) -> None:
        """Forget the count under this key."""
        with self._opened() as connection:
            connection.execute("DELETE FROM counter WHERE key = ?", [key])
