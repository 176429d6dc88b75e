"""The table of second factors."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now


class SecondFactor(Base):
    """What a person signs in with besides a password: an app that shows codes (TOTP), and recovery codes, of which the
    SHA-256 is kept until each is used. `last_step`: of the last code that was used, in halves of a minute."""

    __tablename__ = "second_factor"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    secret: Mapped[str]
    last_step: Mapped[int]
    recovery: Mapped[list[str]] = mapped_column(JSON)
    made_at: Mapped[datetime] = mapped_column(default=now)
