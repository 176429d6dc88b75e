"""The log of an assignment's settings: who changed what, when, from what and to what."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ForeignKey, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from tournament.store.database import Base, now

SHOWN = 100


class Change(Base):
    """One setting that was changed. `former` and `value` are as the page shows them."""

    __tablename__ = "setting_change"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    changed_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    changed_at: Mapped[datetime] = mapped_column(default=now)
    setting: Mapped[str]
    former: Mapped[str]
    value: Mapped[str]


def note(session: Session, assignment_id: int, by: int, setting: str, former: str, value: str) -> None:
    """Log a change; one that changes nothing is none."""
    if former != value:
        session.add(Change(assignment_id=assignment_id, changed_by=by, setting=setting, former=former, value=value))


def changes(session: Session, assignment_id: int) -> Sequence[Change]:
    """The latest changes first, so many as a page shows."""
    wanted = select(Change).where(Change.assignment_id == assignment_id)
    return session.scalars(wanted.order_by(Change.id.desc()).limit(SHOWN)).all()
