"""Games that were added to this installation."""

from datetime import datetime

from sqlalchemy import LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now


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
