"""Notices of what happened to a person's work while they were away. Each function works in the caller's transaction.

Notices are shown on the site and by its API. If a mail server is configured, `deploy.processes.outbox` turns them into
e-mails, according to each person's choice for each kind. So e-mails report only what was committed.
"""

from collections.abc import Container, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, ScalarSelect, bindparam, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from tournament.store.database import Base, changed, now, words

Link: TypeAlias = tuple[str, int, str]
"""The target of a link in a notice: a kind of page (`entry`, `game`, `submission`, `comment`, `final`, `assignment`,
`comparison`, `custom_game`, `custom_batch`, `regrades`, `report`, `leaderboard`, `queue`), its id, and its name."""


WAITED = timedelta(seconds=10)
"""A person who sees the subject of a notice within this time was waiting for it, and did not need the notice."""


class NoticeKind(StrEnum):
    """The subject of a notice; `tournament.store.mail` describes it in words."""

    ENTRY = "entry"
    TROUBLE = "trouble"
    REPORT = "report"
    COMMENT = "comment"
    ANSWER = "answer"
    MARKS = "marks"
    DEADLINE = "deadline"
    EXTENSION = "extension"
    REGRADE = "regrade"
    ACCOUNT = "account"
    ALERT = "alert"
    OTHER = "other"


def _first_mail() -> datetime:
    return now() + WAITED


class Notice(Base):
    """A message to one person. `mail_at`: when to decide whether to send it by e-mail; None once this is decided."""

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
    kind: Mapped[NoticeKind] = mapped_column(
        words(NoticeKind), default=NoticeKind.OTHER, server_default=NoticeKind.OTHER.value
    )
    mail_at: Mapped[datetime | None] = mapped_column(default=_first_mail, index=True)


PAGE = 50


def tell(
    session: Session,
    user_id: int,
    assignment_id: int | None,
    subject: str,
    text: str,
    links: Sequence[Link] = (),
    kind: NoticeKind = NoticeKind.OTHER,
) -> None:
    """Leave a notice for a person."""
    about = {"user_id": user_id, "assignment_id": assignment_id, "kind": kind}
    session.add(Notice(subject=subject, text=text, links=list(links), **about))


def unread(session: Session, user_id: int) -> int:
    """Return the number of notices that a person has not read."""
    return session.scalar(_UNREAD, {"user": user_id}) or 0


_UNREAD = select(func.count()).where(Notice.user_id == bindparam("user"), Notice.read_at.is_(None))


def unread_of(user_id: ColumnElement[int]) -> ScalarSelect[int]:
    """Return the number of unread notices of the person in a row, as a subquery of the statement that reads the row."""
    return select(func.count()).where(Notice.user_id == user_id, Notice.read_at.is_(None)).scalar_subquery()


def notices(
    session: Session, user_id: int, limit: int = PAGE, before: int | None = None, new: bool = False
) -> Sequence[Notice]:
    """Return a person's notices, the latest first; `before` is the id of the last notice on the previous page. With
    `new`, only unread notices."""
    wanted = select(Notice).where(Notice.user_id == user_id)
    if new:
        wanted = wanted.where(Notice.read_at.is_(None))
    if before is not None:
        wanted = wanted.where(Notice.id < before)
    return session.scalars(wanted.order_by(Notice.id.desc()).limit(limit)).all()


def mark_read(session: Session, user_id: int, up_to: int, at: datetime | None = None) -> int:
    """Mark a person's notices up to this id as read, since the person has not seen later ones. Returns how many were
    unread."""
    new = update(Notice).where(Notice.user_id == user_id, Notice.id <= up_to, Notice.read_at.is_(None))
    return changed(session, new.values(read_at=at or now()))


def unread_about(session: Session, user_id: int, kind: str, ids: Container[int]) -> list[Notice]:
    """Return a person's unread notices whose first link leads to a page of this kind with one of these ids."""
    new = session.scalars(select(Notice).where(Notice.user_id == user_id, Notice.read_at.is_(None)))
    return [each for each in new if each.links and each.links[0][0] == kind and each.links[0][1] in ids]


def see(session: Session, ids: Sequence[int], at: datetime | None = None) -> None:
    """Record that a person has seen the subjects of these notices. The notices are marked as read, or deleted if they
    were not needed."""
    at = at or now()
    for notice in session.scalars(select(Notice).where(Notice.id.in_(ids))):
        if at - notice.told_at < WAITED:
            session.delete(notice)
        else:
            notice.read_at = at
