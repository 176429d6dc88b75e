"""Connections to PostgreSQL that notice soon when the other end is gone, or silent."""

from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import OperationalError

from sandbox import signs

KEEPALIVES = {"idle": 10, "interval": 5, "count": 3}
"""After 10 s of silence, each end of a connection to a server probes the other end three times, every 5 s, and then
gives the connection up."""

LOST_MS = 25_000
"""A connection is also given up if sent data is not acknowledged for this long."""

CONNECT_S = 5


def tune(engine: Engine, silence_s: float | None) -> None:
    """Make an engine's connections notice when the other end is gone or silent. `silence_s`: see
    `tournament.store.database.connect`."""

    def open_(_dialect: object, _record: object, arguments: Any, options: dict[str, Any]) -> Connection:
        asked = {f"keepalives_{name}": value for name, value in KEEPALIVES.items()}
        within = int(min(CONNECT_S, silence_s or CONNECT_S))
        soon = {"connect_timeout": within, "tcp_user_timeout": LOST_MS, **asked}
        try:
            connection = Connection.connect(*arguments, **{**soon, **options})
        except psycopg.Error as error:
            # The frames of the traceback would keep a timed-out attempt open until they are collected.
            raise error.with_traceback(None)  # noqa: B904 - the same error
        connection.silence_s = silence_s
        return connection

    event.listen(engine, "do_connect", open_)
    event.listen(engine, "connect", _let_find_out_soon)
    event.listen(engine, "handle_error", _cannot_store)


class Connection(psycopg.Connection[Any]):
    """A connection that gives up on a server that acknowledges messages but never answers, for example because its disk
    hangs."""

    silence_s: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Return the answer that the generator waits for. Raises OperationalError if it does not come."""
        signs.give()
        try:
            return super().wait(gen, interval, timeout or self.silence_s)
        except psycopg.OperationalError as error:
            if self.silence_s is None or self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            self.pgconn.finish()  # the answer may still come, and the next query would mistake it for its own
            raise psycopg.OperationalError(f"it has not answered for {self.silence_s:g} s") from error


def _let_find_out_soon(connection: Any, _record: object) -> None:
    """Make the server notice, too, when this host is gone. Until then, the server keeps the locks of the host's last
    transaction."""
    tuned = [f"SET tcp_keepalives_{name} = {value}" for name, value in KEEPALIVES.items()]
    connection.execute("; ".join([*tuned, f"SET tcp_user_timeout = {LOST_MS}"]))
    connection.commit()


def _cannot_store(context: ExceptionContext) -> OperationalError | None:
    """Return the error to raise for a read-only server, such as a replica; None for other errors. The server is treated
    like a full disk, since it may accept writes again later."""
    if isinstance(context.original_exception, psycopg.errors.ReadOnlySqlTransaction):
        return OperationalError(context.statement, context.parameters, context.original_exception)
    return None
