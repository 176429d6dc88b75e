"""E-mails to send, people's choices of which e-mails they get, and addresses that the mail server refuses.

`deploy.processes.outbox` turns notices into e-mails and sends them. Without a mail server, no e-mails are sent.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import JSON, ForeignKey, Index, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from sandbox import patterns
from tournament.store.database import Base, now, words
from tournament.store.notices import NoticeKind

KEPT: Final = timedelta(days=2)
"""An e-mail is given up if the mail server has not accepted it within this time."""

FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)

REMEMBERED: Final = timedelta(days=30)
"""How long the site stores what happened to an e-mail."""

SPARED: Final = timedelta(days=7)
"""How long nothing is sent to an address that the mail server refused. Then the address is tried once more."""


ADDRESS: Final = patterns.compile(r"[^\s,;:<>()\[\]@\"\\]+@[^\s,;:<>()\[\]@\"\\]+")
"""Matches exactly one address: neither a second one nor a header."""


def wait_after(attempts: int) -> timedelta:
    """Return how long to wait after this many failed attempts: 1, 2, 4 … 60 minutes."""
    wait: timedelta = FIRST_WAIT * 2 ** min(attempts - 1, 10)
    return min(wait, LONGEST_WAIT)


class When(StrEnum):
    """When a person wants to receive notices of a kind by e-mail."""

    AT_ONCE = "at once"
    DAILY = "daily"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class KindOfMail:
    """The subject of a kind of notices, and when they are sent to people who have not made a choice. A `compulsory`
    kind cannot be turned off; a kind for `staff` is offered to nobody else."""

    title: str
    usual: When
    compulsory: bool = False
    staff: bool = False

    @property
    def choices(self) -> Sequence[When]:
        """The choices that a person has for this kind."""
        return [each for each in When if each is not When.NEVER or not self.compulsory]


KINDS: Final[Mapping[NoticeKind, KindOfMail]] = {
    NoticeKind.ENTRY: KindOfMail("Your player was removed from a tournament, or staff changed its entry", When.AT_ONCE),
    NoticeKind.TROUBLE: KindOfMail("One of your uploads was not graded or not entered", When.AT_ONCE),
    NoticeKind.REPORT: KindOfMail("A report that took longer than a minute is ready", When.NEVER),
    NoticeKind.COMMENT: KindOfMail("Staff commented on your code", When.DAILY),
    NoticeKind.ANSWER: KindOfMail("Staff answered your request", When.AT_ONCE),
    NoticeKind.MARKS: KindOfMail("Your marks are published or have changed", When.AT_ONCE, compulsory=True),
    NoticeKind.DEADLINE: KindOfMail("A deadline has moved", When.AT_ONCE, compulsory=True),
    NoticeKind.EXTENSION: KindOfMail("Your extension was granted or removed", When.AT_ONCE),
    NoticeKind.REGRADE: KindOfMail("A submission was regraded", When.DAILY),
    NoticeKind.ACCOUNT: KindOfMail("Your account: courses, role, names, password", When.AT_ONCE),
    NoticeKind.ALERT: KindOfMail("Grading has stalled, or a course needs your attention", When.AT_ONCE, staff=True),
    NoticeKind.OTHER: KindOfMail("Games that you requested, and everything else", When.NEVER),
}


class Mail(Base):
    """An e-mail to a person; without a person, to `address`; if that is empty too, to the operator. With a webhook, it
    is a message to the webhook's address instead.

    Before sending an e-mail, the sender postpones `next_at` by a lease and counts the attempt. `next_at` is None once
    the e-mail was sent, or given up with the reason in `trouble`. If the e-mail comes back, `sent_at` is None again,
    and `trouble` says why. `parts`: see `web.mail.message.MailPart`.
    """

    __tablename__ = "mail"
    __table_args__ = (Index("ix_mail_of_person", "user_id", "made_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    address: Mapped[str] = mapped_column(default="")
    webhook_id: Mapped[int | None] = mapped_column(ForeignKey("webhook.id"), default=None, index=True)
    subject: Mapped[str]
    parts: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    made_at: Mapped[datetime] = mapped_column(default=now, index=True)
    next_at: Mapped[datetime | None] = mapped_column(default=now, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    sent_at: Mapped[datetime | None] = mapped_column(default=None)
    trouble: Mapped[str] = mapped_column(default="")


class MailChoice(Base):
    """A person's choice of when to receive notices of a kind by e-mail."""

    __tablename__ = "mail_choice"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    kind: Mapped[NoticeKind] = mapped_column(words(NoticeKind), primary_key=True)
    choice: Mapped[When] = mapped_column(words(When))


class FailingAddress(Base):
    """An address, in lower case, that a mail server has refused permanently, immediately or later, with the server's
    reason."""

    __tablename__ = "failing_address"

    address: Mapped[str] = mapped_column(primary_key=True)
    reason: Mapped[str]
    since: Mapped[datetime] = mapped_column(default=now)


class PasswordRequest(Base):
    """A request for a link to choose a password, see `web.mail.reset_link`. It comes from somebody who forgot their
    password, and typed a user name or an address. With the `code` of a course, it comes from somebody without an
    account, who typed an address. With `user_id`, it is for this user, whom an instructor invites by e-mail to the
    address."""

    __tablename__ = "password_request"

    id: Mapped[int] = mapped_column(primary_key=True)
    typed: Mapped[str]
    code: Mapped[str] = mapped_column(default="", server_default="")
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    asked_at: Mapped[datetime] = mapped_column(default=now)


def choices_of(session: Session, user_ids: Collection[int]) -> dict[tuple[int, NoticeKind], When]:
    """Return the choices of these people, by person and kind."""
    rows = session.scalars(select(MailChoice).where(MailChoice.user_id.in_(user_ids)))
    return {(row.user_id, row.kind): row.choice for row in rows}


def wanted(chosen: Mapping[tuple[int, NoticeKind], When], user_id: int, kind: NoticeKind) -> When:
    """Return when a person gets notices of a kind by e-mail."""
    when = chosen.get((user_id, kind), KINDS[kind].usual)
    return when if when in KINDS[kind].choices else When.DAILY


def choose(session: Session, user_id: int, kind: NoticeKind, when: When) -> None:
    """Store a person's choice. `NEVER` is ignored for a compulsory kind."""
    if when in KINDS[kind].choices:
        session.merge(MailChoice(user_id=user_id, kind=kind, choice=when))


def failing(session: Session, addresses: Collection[str]) -> dict[str, FailingAddress]:
    """Return those of the `addresses` that a mail server refuses, by the address as it is written there."""
    plain = {each.lower() for each in addresses if each}
    found = session.scalars(select(FailingAddress).where(FailingAddress.address.in_(plain))) if plain else ()
    rows = {row.address: row for row in found}
    return {each: rows[each.lower()] for each in addresses if each.lower() in rows}


def note_failing(session: Session, address: str, reason: str, at: datetime) -> None:
    """Record that an address is refused permanently, so that nothing is sent there for a while."""
    session.merge(FailingAddress(address=address.lower(), reason=reason, since=at))


def undelivered(session: Session, user_id: int | None = None, at: datetime | None = None) -> Sequence[Mail]:
    """Return the e-mails that recently were given up or came back, the latest first: to a person, or to everybody."""
    given_up = select(Mail).where(Mail.next_at.is_(None), Mail.sent_at.is_(None), Mail.webhook_id.is_(None))
    lately = given_up.where(Mail.made_at > (at or now()) - REMEMBERED).order_by(Mail.id.desc()).limit(50)
    return session.scalars(lately if user_id is None else lately.where(Mail.user_id == user_id)).all()
