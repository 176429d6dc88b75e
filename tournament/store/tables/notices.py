"""What people are told."""

from datetime import datetime
from typing import TypeAlias

from sqlalchemy import JSON, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now

Link: TypeAlias = tuple[str, int, str]
"""What to look at: a kind of page (`entry`, `game`, `submission`, `final`, `assignment`, `comparison`, `custom_game`,
`regrades`), its id, and its name."""


class Notice(Base):
    """Something that one person is told."""

    __tablename__ = "notice"
    __table_args__ = (Index("ix_notice_unread", "user_id", "read_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"), default=None)
    subject: Mapped[str]
    text: Mapped[str]
    links: Mapped[list[Link]] = mapped_column(JSON, default=list)
    told_at: Mapped[datetime] = mapped_column(default=now)
    read_at: Mapped[datetime | None] = mapped_column(default=None)


class UnsentMail(Base):
    """An e-mail to the operator, and to the addresses `also`, that the mail server has not taken yet."""

    __tablename__ = "unsent_mail"

    id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[str]
    text: Mapped[str]
    also: Mapped[list[str]] = mapped_column(JSON, default=list)
    made_at: Mapped[datetime] = mapped_column(default=now)
