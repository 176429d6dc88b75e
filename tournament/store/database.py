"""The database, SQLite or PostgreSQL: the base of every package's tables, the engine, functions to read and write, and
a cache for values that a process has calculated from the database."""

import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from threading import Lock
from time import monotonic, sleep
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

from sqlalchemy import (
    Column,
    CursorResult,
    DateTime,
    Dialect,
    Engine,
    Enum,
    LargeBinary,
    MetaData,
    Table,
    TypeDecorator,
    Update,
    create_engine,
    event,
)
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.sql.selectable import TypedReturnsRows

from sandbox import signs

log = logging.getLogger(__name__)

Sessions: TypeAlias = sessionmaker[Session]
Answer = TypeVar("Answer")
Row = TypeVar("Row", bound="Base")
Columns = TypeVarTuple("Columns")

PATIENCE_S = 20.0
"""How long a worker keeps trying to store something while the database does not answer."""

RETRY_S = 0.5

SILENCE_S = 25.0
"""How long any process of an installation waits for the answer to one query."""

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A time with a zone, stored in UTC. SQLite does not store the zone, so it is added again when the time is read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"a time without a zone: {value}")
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def words(kind: type[StrEnum]) -> Enum:
    """Return a column type for an enumeration. It is plain text in the database, so that a new member needs no
    migration."""
    return Enum(kind, native_enum=False, length=16, values_callable=lambda members: [word.value for word in members])


class Base(DeclarativeBase):
    """The base of every table in the project."""

    type_annotation_map: ClassVar = {datetime: UtcDateTime}


Base.metadata.naming_convention = NAMING


def now() -> datetime:
    """Return the present time, in UTC and with its zone."""
    return datetime.now(UTC)


def in_a_line(error: BaseException) -> str:
    """Return the first line of an error's message. If SQLAlchemy wraps the error, this is the database's own
    message."""
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().partition("\n")[0] or type(error).__name__


KEPT_CONNECTIONS = 4
"""The number of unused connections that a process keeps open. Opening a connection costs more than most queries."""

USUAL_THREADS = 16
WORKER_THREADS = 4
WAIT_S = 10.0


def most_connections(threads: int) -> int:
    """Return the maximum number of connections of a process with this many threads. Every thread can read, and one of
    them can write at the same time, so threads never wait for each other's connections."""
    return threads + KEPT_CONNECTIONS


def connect(url: str, silence_s: float | None = None, threads: int = USUAL_THREADS) -> Engine:
    """Return an engine for `url`. SQLite gets write-ahead logging, foreign keys and a patient lock. A connection to a
    PostgreSQL that has not answered a query for `silence_s` is closed (OperationalError); None waits indefinitely, for
    commands that read the whole database. Connections beyond `KEPT_CONNECTIONS` are closed after use; see
    `most_connections`. A thread waits at most WAIT_S for a connection (sqlalchemy.exc.TimeoutError)."""
    engine = create_engine(
        url,
        pool_pre_ping=not url.startswith("sqlite"),
        pool_size=KEPT_CONNECTIONS,
        max_overflow=most_connections(threads) - KEPT_CONNECTIONS,
        pool_timeout=WAIT_S,
    )
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _tune_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    if engine.dialect.name == "postgresql":
        from tournament.store.postgresql import tune  # imported here because its driver is needed nowhere else

        tune(engine, silence_s)
    return engine


@contextmanager
def connected(url: str) -> Iterator[Engine]:
    """Yield the engine from `connect`, for a command, and dispose of it at the end."""
    engine = connect(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _tune_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late to take the write lock
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Any) -> None:
    mode = connection.get_execution_options().get("sqlite_begin")
    if mode:
        connection.exec_driver_sql(f"BEGIN {mode}")
    else:  # this cannot fail; with SQLAlchemy's error handling it would take ten times as long
        connection.connection.execute("BEGIN DEFERRED")


@contextmanager
def reading(sessions: Sessions) -> Iterator[Session]:
    """Yield a session on one consistent snapshot. It never takes a write lock, and is rolled back at the end."""
    signs.give()
    with sessions() as session:
        yield session


def columns(
    session: Session, statement: TypedReturnsRows[*Columns], values: Mapping[str, Any]
) -> CursorResult[*Columns]:
    """Execute a statement that selects only columns, no entities. `session.execute` would take twice as long."""
    session.flush()
    return session.connection().execute(statement, values)


@contextmanager
def writing(sessions: Sessions) -> Iterator[Session]:
    """Yield a session that commits at the end, or rolls back if the block raises. SQLite's write lock is taken at the
    start, so that a transaction that reads before it writes cannot find its snapshot stale."""
    signs.give()
    with sessions() as session:
        session.connection(execution_options={"sqlite_begin": "IMMEDIATE"})
        yield session
        session.commit()


def storing(sessions: Sessions, act: Callable[[Session], Answer]) -> Answer:
    """Run `act` in a `writing` session and return its answer. If the database does not answer, for example while it
    restarts, try again for PATIENCE_S, then raise its error. So `act` itself must check whether its work has already
    been done."""
    deadline, said = monotonic() + PATIENCE_S, ""
    while True:
        try:
            with writing(sessions) as session:
                return act(session)
        except (OperationalError, InterfaceError) as error:
            if monotonic() > deadline:
                raise
            before, said = said, in_a_line(error)
            if said != before:
                log.warning("nothing can be stored, trying again: %s", said)
            sleep(RETRY_S)


TRIED = 256 << 10
"""The number of bytes that `write_trouble` writes: the maximum size of a player's file, since a smaller row may still
fit on a full disk."""


def write_trouble(sessions: Sessions) -> str:
    """Test whether data can be stored. Returns the reason if it cannot, such as a full disk, or "". The test is rolled
    back."""
    try:
        with sessions() as session:
            connection = session.connection(execution_options={"sqlite_begin": "IMMEDIATE"})
            sqlite = connection.dialect.name == "sqlite"
            if sqlite:  # otherwise the row stays in memory until the commit
                kept = connection.exec_driver_sql("PRAGMA cache_size").scalar()
                connection.exec_driver_sql("PRAGMA cache_size = 10")
            try:
                tried = Table("tried_write", MetaData(), Column("content", LargeBinary))
                tried.create(connection)
                connection.execute(tried.insert().values(content=os.urandom(TRIED)))
            finally:
                session.rollback()
                if sqlite:
                    session.connection().exec_driver_sql(f"PRAGMA cache_size = {kept}")
    except SQLAlchemyError as error:
        return in_a_line(error)
    return ""


BENEATH: Mapping[str, Any] = {"synchronize_session": False}
"""Options for a statement that changes rows in the database but not in the session, because the session has not loaded
them or reads them again."""


def changed(session: Session, statement: Update) -> int:
    """Execute a statement `BENEATH` the session, and return how many rows it has changed."""
    done: Any = session.execute(statement, execution_options=BENEATH)
    return int(done.rowcount)


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Run `action` once this session's transaction has committed; never if it rolls back."""
    actions: list[Callable[[], None]] | None = session.info.get("after_commit")
    if actions is None:
        actions = session.info["after_commit"] = []
        event.listen(session, "after_commit", _run_actions)
        event.listen(session, "after_rollback", _drop_actions)
    actions.append(action)


def _run_actions(session: Session) -> None:
    if session.in_nested_transaction():
        return  # a savepoint was released, nothing is committed yet
    actions: list[Callable[[], None]] = session.info["after_commit"]
    while actions:
        actions.pop(0)()


def _drop_actions(session: Session) -> None:
    if session.in_nested_transaction():
        return
    session.info["after_commit"].clear()


def insert_or_find(session: Session, row: Row, find: Callable[[], Row | None]) -> Row:
    """Insert the row, or return the one that somebody else inserted at the same moment."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        if found := find():
            return found
        raise
    return row


Value = TypeVar("Value")


class Recent(Generic[Value]):
    """A cache, for each database, of the `most` values that were used last. The key of a value must contain everything
    on which the value depends."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._of: MutableMapping[object, OrderedDict[Hashable, Value]] = WeakKeyDictionary()

    def get(self, session: Session, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value for this key, creating it if it is not in the cache. Two threads that request it at the same
        time may both create it."""
        with self._lock:
            values = self._of.setdefault(session.get_bind(), OrderedDict())
            if key in values:
                values.move_to_end(key)
                return values[key]
        value = make()
        self.put(session, key, value)
        return value

    def put(self, session: Session, key: Hashable, value: Value) -> None:
        """Keep a value for this key."""
        with self._lock:
            values = self._of.setdefault(session.get_bind(), OrderedDict())
            values[key] = value
            while len(values) > self._most:
                values.popitem(last=False)
