"""The log of an assignment's settings: who changed what, when, from what and to what."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.store.models import Change

SHOWN = 100


def note(session: Session, assignment_id: int, by: int, setting: str, former: str, value: str) -> None:
    """Log a change, unless the value stays the same."""
    if former != value:
        session.add(Change(assignment_id=assignment_id, changed_by=by, setting=setting, former=former, value=value))


def changes(session: Session, assignment_id: int) -> Sequence[Change]:
    """The latest changes, newest first, as many as a page shows."""
    wanted = select(Change).where(Change.assignment_id == assignment_id)
    return session.scalars(wanted.order_by(Change.id.desc()).limit(SHOWN)).all()
