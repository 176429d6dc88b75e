"""All tables of the tournaments. Import them from here, so that every table to which another one refers is known to
SQLAlchemy. This module has the tables of an installation and of the collusion watch; the others are in
`tournament_tables`, `practice_tables` and `notices`."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, Session, mapped_column

from tournament.store.database import Base, insert_or_find, now
from tournament.store.mail import FailingAddress, Mail, MailChoice, PasswordRequest
from tournament.store.notices import Link, Notice, NoticeKind
from tournament.store.practice_tables import (
    PATIENCE,
    ComparedPair,
    CustomBatch,
    CustomGame,
    CustomSeat,
    HandGame,
    Trial,
    VersionComparison,
)
from tournament.store.tournament_tables import (
    Block,
    BracketDraw,
    CooldownOverride,
    Entry,
    EntryState,
    Final,
    FinalPhase,
    Matchups,
    PlayedGame,
    Player,
    Ranking,
    RankSample,
    Seat,
    SharedGame,
    Tournament,
    TournamentKind,
    TournamentState,
    VoidAttempt,
    player_of,
)
from tournament.store.webhooks import Webhook

SILENT = timedelta(seconds=60)
"""A process that has given no sign of life for this long counts as absent."""


class Worker(Base):
    """A worker process, or a scheduler. `trouble`: why it is out of service, or "". `process`: see
    `tournament.work.workers`. `offers`: the languages in which it grades programs, separated by spaces."""

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
        """Return why the worker does not work, as the predicate of a sentence; "" if it works."""
        if self.silent(at):
            return f"last responded {(at - self.seen_at).total_seconds():.0f} s ago"
        return f"is out of service: {self.trouble}" if self.trouble else ""


class MetricSum(Base):
    """A sample of a metric, summed over all processes. `labels`: a JSON object with sorted keys."""

    __tablename__ = "tally"

    metric: Mapped[str] = mapped_column(primary_key=True)
    sample: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]


class InstallationSecret(Base):
    """The secret for seeds that no outsider must be able to calculate; one row at most. It is in the database, so that
    all hosts use the same secret, and a restored backup gives the same seeds. `value`: 64 hexadecimal digits."""

    __tablename__ = "installation_secret"

    id: Mapped[int] = mapped_column(primary_key=True, default=1)
    value: Mapped[str]


def installation_secret(session: Session) -> str:
    """Return the secret, 64 hexadecimal digits. It is generated on first use, so the session must be from `writing`.
    Migrations do not create it: a new database has no rows, so that a backup can be restored into it."""

    def find() -> InstallationSecret | None:
        return session.get(InstallationSecret, 1)

    drawn = InstallationSecret(id=1, value=secrets.token_hex(32))
    return (find() or insert_or_find(session, drawn, find)).value


def known_secret(session: Session) -> str | None:
    """Return the secret; None if nothing has needed it yet."""
    found = session.get(InstallationSecret, 1)
    return found.value if found else None


class Maintenance(Base):
    """Has a row while maintenance mode is on. `reason`: shown to everybody on every page."""

    __tablename__ = "maintenance"

    id: Mapped[int] = mapped_column(primary_key=True, default=1)
    reason: Mapped[str]
    since: Mapped[datetime] = mapped_column(default=now)


class GamePackage(Base):
    """A version of a department's own game. `archive` is created by `tournament.games.loading`; `signature` signs its
    SHA-256. `retired_at`: since then, no new assignment can use the version; existing assignments keep it."""

    __tablename__ = "game_package"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    slug: Mapped[str] = mapped_column(index=True)
    title: Mapped[str]
    version: Mapped[str]
    archive: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    signature: Mapped[str]
    added_at: Mapped[datetime] = mapped_column(default=now)
    retired_at: Mapped[datetime | None] = mapped_column(default=None)


class StoredFingerprint(Base):
    """The fingerprint of a player's file: packed `runs` or, in `trouble`, the reason why the file could not be read."""

    __tablename__ = "fingerprint"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    version: Mapped[int]
    runs: Mapped[bytes] = mapped_column(LargeBinary)
    trouble: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime] = mapped_column(default=now)


class GivenFile(Base):
    """A file that everybody in an assignment gets as a starting point, or got in the past."""

    __tablename__ = "given_file"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class Watch(Base):
    """The findings of a tournament's collusion watch, and their time. `done_at` is None until the watch is done."""

    __tablename__ = "watch"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None] = mapped_column(default=None)
    took_s: Mapped[float] = mapped_column(default=0.0)
    trouble: Mapped[str] = mapped_column(default="")
    found: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)

    @property
    def waiting(self) -> bool:
        """Whether the watch is not done yet."""
        return self.done_at is None
