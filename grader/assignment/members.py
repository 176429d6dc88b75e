"""The students of a course with their sections, and its time zone. Their tables belong to `web.models`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from sqlalchemy import column, select, table
from sqlalchemy.orm import Session

from grader.definition.local_times import zone_or_utc

_COURSE = table("course", column("id"), column("time_zone"))
_MEMBER = table("membership", column("user_id"), column("course_id"), column("role"), column("section"))
ALL = "all"


def sections(written: str) -> frozenset[str]:
    """The sections that are written in a member's `section`, in small letters; empty for “all”, as for none."""
    named = {" ".join(name.casefold().split()) for name in written.split(";")}
    return frozenset() if ALL in named else frozenset(named - {""})


def section_names(written: Iterable[str]) -> list[str]:
    """The sections that are written in the `section` of any of these members, each as most of them spell it."""
    spelt = Counter(name for section in written for each in section.split(";") if (name := " ".join(each.split())))
    return sorted({name.casefold(): name for name in sorted(spelt, key=spelt.__getitem__)}.values(), key=str.casefold)


def students_of(session: Session, course_id: int) -> Sequence[int]:
    """The user ids of a course's students."""
    members = select(_MEMBER.c.user_id).where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    return session.scalars(members.order_by(_MEMBER.c.user_id)).all()


def sections_of(session: Session, course_id: int, user_id: int | None = None) -> dict[int, frozenset[str]]:
    """The sections of each student who is in any, or of one."""
    wanted = select(_MEMBER.c.user_id, _MEMBER.c.section).where(_MEMBER.c.section != "")
    wanted = wanted.where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    if user_id is not None:
        wanted = wanted.where(_MEMBER.c.user_id == user_id)
    return {id_: sections(written) for id_, written in session.execute(wanted)}


def zone_of(session: Session, course_id: int) -> ZoneInfo:
    """A course's time zone; UTC if the database of time zones has lost it."""
    return zone_or_utc(session.scalars(select(_COURSE.c.time_zone).where(_COURSE.c.id == course_id)).one())
