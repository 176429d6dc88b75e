"""Tables of data protection: who agreed to the privacy text, which staff opened whose work, and who was forgotten."""

from datetime import datetime
from hashlib import sha256

from sqlalchemy import ForeignKey, Index, false
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now
from web.site.models import User


class Consent(Base):
    """Somebody's consent to the privacy text with this hash."""

    __tablename__ = "consent"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(primary_key=True)
    agreed_at: Mapped[datetime] = mapped_column(default=now)


class OpenedWork(Base):
    """A record that a member of staff opened somebody's work on a day: one row for each kind in
    `web.privacy.access_log.KINDS`. `person_id`: None for a list of many people. `day`: written like 2027-03-31, in
    UTC."""

    __tablename__ = "opened_work"
    __table_args__ = (Index("ix_opened_work_person", "person_id", "day"), Index("ix_opened_work_course", "course_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"))
    staff_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    kind: Mapped[str]
    day: Mapped[str] = mapped_column(index=True)


class Erasure(Base):
    """A person who was pseudonymised and, if `erases` is set, is erased once no mark depends on their work; `erased_at`
    is the time of the erasure. `account` identifies the person in a restored backup, see `account_hash`; it is "" until
    the person is pseudonymised."""

    __tablename__ = "erasure"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    account: Mapped[str]
    erases: Mapped[bool] = mapped_column(default=False, server_default=false())
    asked_at: Mapped[datetime] = mapped_column(default=now)
    erased_at: Mapped[datetime | None] = mapped_column(default=None)


def account_hash(user: User) -> str:
    """Return a hash that is unique among the accounts of all installations, since it includes the microsecond at which
    the account was created."""
    return sha256(f"{user.id} {user.created_at.isoformat()}".encode()).hexdigest()
