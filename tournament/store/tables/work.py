"""The processes of an installation, what they count, its secret, and maintenance."""

from datetime import datetime, timedelta

from sqlalchemy import LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now

SILENT = timedelta(seconds=60)
"""A process that has given no sign for this long is not there."""


class Worker(Base):
    """A worker process, or a scheduler. `trouble`: why it is out of service, "" if it is not. `process`: see
    `tournament.work.processes`. `offers`: the languages of the programs that it grades, with a space between."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(primary_key=True)
    queue: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)
    trouble: Mapped[str] = mapped_column(default="")
    process: Mapped[str] = mapped_column(default="", server_default="")
    offers: Mapped[str] = mapped_column(default="", server_default="")

    def silent(self, at: datetime) -> bool:
        """Whether the worker has given no sign of life for too long."""
        return at - self.seen_at > SILENT

    def problem(self, at: datetime) -> str:
        """Why the worker does not work, as the predicate of a sentence; "" if it works."""
        if self.silent(at):
            return f"gave its last sign {(at - self.seen_at).total_seconds():.0f} s ago"
        return f"is out of service: {self.trouble}" if self.trouble else ""


class MetricSum(Base):
    """A sample of a metric, summed over all processes. `labels`: a JSON object, its keys in order."""

    __tablename__ = "tally"

    metric: Mapped[str] = mapped_column(primary_key=True)
    sample: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]


class InstallationSecret(Base):
    """One row at most, see `tournament.store.secret`. `value`: 64 hexadecimal digits."""

    __tablename__ = "installation_secret"

    id: Mapped[int] = mapped_column(primary_key=True, default=1)
    value: Mapped[str]


class Maintenance(Base):
    """There is a row while the read-only mode is on. `reason`: shown to everybody on every page."""

    __tablename__ = "maintenance"

    id: Mapped[int] = mapped_column(primary_key=True, default=1)
    reason: Mapped[str]
    since: Mapped[datetime] = mapped_column(default=now)


class GamePackage(Base):
    """A version of a game of a department's own. `archive` is made by `tournament.games.packing`; `signature` is that
    of its SHA-256. `retired_at`: since then no new assignment may use it; what exists goes on."""

    __tablename__ = "game_package"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    slug: Mapped[str] = mapped_column(index=True)
    title: Mapped[str]
    version: Mapped[str]
    archive: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    signature: Mapped[str]
    added_at: Mapped[datetime] = mapped_column(default=now)
    retired_at: Mapped[datetime | None] = mapped_column(default=None)
