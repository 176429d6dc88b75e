"""The collusion watch of a tournament: asked for by an instructor, worked out by a worker, kept until the next time."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from tournament.db import Base, now


class Watch(Base):
    """What was found, and when. `asked_at` after `done_at`: it is being worked out, or waits for a worker."""

    __tablename__ = "watch"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None] = mapped_column(default=None)
    took_s: Mapped[float] = mapped_column(default=0.0)
    trouble: Mapped[str] = mapped_column(default="")
    found: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
