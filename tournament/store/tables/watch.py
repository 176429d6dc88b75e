"""The collusion watch: what it found, and the fingerprints of files that it compares."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now


class StoredFingerprint(Base):
    """What was found in a player's file: packed `runs`, or the `trouble` with which it could not be read."""

    __tablename__ = "fingerprint"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    version: Mapped[int]
    runs: Mapped[bytes] = mapped_column(LargeBinary)
    trouble: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime] = mapped_column(default=now)


class GivenFile(Base):
    """A file that everybody in an assignment was given to begin with, now or before."""

    __tablename__ = "given_file"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class Watch(Base):
    """What was found, and when. `done_at` is None while it is still to be worked out."""

    __tablename__ = "watch"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None] = mapped_column(default=None)
    took_s: Mapped[float] = mapped_column(default=0.0)
    trouble: Mapped[str] = mapped_column(default="")
    found: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)

    @property
    def waiting(self) -> bool:
        """Whether it is still to be worked out."""
        return self.done_at is None
