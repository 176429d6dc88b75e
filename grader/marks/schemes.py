"""How marks come about, in the database. Each function works in the caller's transaction."""

from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.marks.late import in_words
from grader.marks.scheme import CourseScheme, MarkScheme
from grader.marks.tables import CourseMarking, Marking, MarksPublication
from tournament.store.database import columns
from tournament.store.validation import ChangedMeanwhile

DEFAULT, COURSE_DEFAULT = MarkScheme(), CourseScheme()


def scheme_of(session: Session, assignment_id: int) -> MarkScheme:
    """That of an assignment; the usual one until somebody changes it."""
    row = session.get(Marking, assignment_id)
    return MarkScheme.model_validate(row.scheme) if row else DEFAULT


def told_of(session: Session, assignment_id: int) -> tuple[str, bool]:
    """What pages of an assignment tell everybody: of late uploads, "" as long as none of them counts; and whether marks
    are published."""
    scheme, published = columns(session, _TOLD, {"assignment": assignment_id}).one()
    policy = MarkScheme.model_validate(scheme).late if scheme else DEFAULT.late
    return in_words(policy) if policy != DEFAULT.late else "", published


_PUBLISHED = select(MarksPublication.id).where(
    MarksPublication.assignment_id == bindparam("assignment"), MarksPublication.withdrawn_at.is_(None)
)
_TOLD = select(
    select(Marking.scheme).where(Marking.assignment_id == bindparam("assignment")).scalar_subquery(),
    _PUBLISHED.exists(),
)
"""Made once: making it takes longer than answering it."""


def course_scheme(session: Session, course_id: int) -> CourseScheme:
    """That of a course."""
    row = session.get(CourseMarking, course_id)
    return CourseScheme.model_validate(row.scheme) if row else COURSE_DEFAULT


def revision_of(session: Session, kind: type[Marking | CourseMarking], id_: int) -> int:
    """How often it was changed; a form sends it back, so that nobody undoes what they have not seen."""
    row: Any = session.get(kind, id_)
    return row.revision if row else 0


def store_scheme(session: Session, id_: int, scheme: MarkScheme | CourseScheme, was: int) -> None:
    """Replace the scheme of an assignment or of a course; `was` is the revision that was changed. Raises
    ChangedMeanwhile."""
    kind: type[Marking | CourseMarking] = Marking if isinstance(scheme, MarkScheme) else CourseMarking
    row: Any = session.get(kind, id_, with_for_update=True, populate_existing=True)
    if (row.revision if row else 0) != was:
        raise ChangedMeanwhile
    data = scheme.model_dump(mode="json")
    if row:
        row.scheme, row.revision = data, row.revision + 1
    elif isinstance(scheme, MarkScheme):
        session.add(Marking(assignment_id=id_, scheme=data))
    else:
        session.add(CourseMarking(course_id=id_, scheme=data))
    try:
        session.flush()
    except IntegrityError:  # somebody else has saved the first one at the same moment
        raise ChangedMeanwhile from None


def publication_of(session: Session, assignment_id: int) -> MarksPublication | None:
    """The publication that students see."""
    wanted = select(MarksPublication).where(MarksPublication.assignment_id == assignment_id)
    wanted = wanted.where(MarksPublication.withdrawn_at.is_(None)).order_by(MarksPublication.id.desc())
    return session.scalars(wanted.limit(1)).first()
