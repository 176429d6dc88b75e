"""Tables about people: users, courses, memberships, and tokens for the API."""

import unicodedata
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

from sqlalchemy import ForeignKey, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.definition.local_times import DEFAULT_ZONE, zone_or_utc
from tournament.store.database import Base, now, words


class User(Base):
    """A person who can sign in."""

    __tablename__ = "user"

    id: Mapped[int] = mapped_column(primary_key=True)
    login: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    password_hash: Mapped[str]
    one_time: Mapped[bool] = mapped_column(default=False, server_default=false())  # to be replaced at the next sign-in
    once_taught: Mapped[bool] = mapped_column(default=False, server_default=false())  # see `web.people.roster`
    generation: Mapped[int] = mapped_column(default=0, server_default="0")  # for sessions, see `web.site.auth`
    language: Mapped[str] = mapped_column(default="", server_default="")  # the chosen code; "" means the course's
    calendar: Mapped[int] = mapped_column(default=0, server_default="0")  # how often the calendar's address was renewed
    signed_in_at: Mapped[datetime | None] = mapped_column(default=None)  # the last sign-in, to the hour
    created_at: Mapped[datetime] = mapped_column(default=now)


@dataclass(frozen=True, slots=True)
class Account:
    """The columns of a user that pages and signing in need, as plain data."""

    id: int
    login: str
    name: str
    password_hash: str
    one_time: bool
    generation: int
    language: str

    @classmethod
    def of(cls, user: User) -> Self:
        """The account of a user."""
        return cls(*(getattr(user, each.name) for each in fields(cls)))


ACCOUNT: tuple[Any, ...] = tuple(getattr(User, each.name) for each in fields(Account))
"""The columns that fill the fields of an `Account`, in order."""


STROKES: Final = str.maketrans("đłøħæœ", "dlohao")  # letters that Unicode does not decompose


def alphabetical(text: str) -> str:
    """A sort key that orders names as readers expect: accents and case are ignored."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(STROKES)
    return "".join(each for each in plain if not unicodedata.combining(each))


class Course(Base):
    """A course. Its dates are entered and shown in its time zone, which is an IANA name."""

    __tablename__ = "course"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    term: Mapped[str] = mapped_column(default="", server_default="")  # shown beside the title
    time_zone: Mapped[str] = mapped_column(default=DEFAULT_ZONE, server_default=DEFAULT_ZONE)
    language: Mapped[str] = mapped_column(default="", server_default="")  # the language of its pages; "": the browser's
    created_at: Mapped[datetime] = mapped_column(default=now)

    @property
    def zone(self) -> ZoneInfo:
        """The course's time zone; UTC if the time zone database no longer has it."""
        return zone_or_utc(self.time_zone)


class Role(StrEnum):
    """The role of a member of a course, which determines what they may do."""

    STUDENT = "student"
    TUTOR = "tutor"
    INSTRUCTOR = "instructor"
    OBSERVER = "observer"


class Particulars:
    """Data about a member from the university's own systems: identifiers that match the university's files, and
    teaching groups. Each value can be empty. Only staff and the member see the values. A tutor's `section` names the
    sections that they teach, separated by semicolons; see `grader.store.models.sections`."""

    student_number: Mapped[str] = mapped_column(default="", server_default="", sort_order=1)
    email: Mapped[str] = mapped_column(default="", server_default="", sort_order=1)
    section: Mapped[str] = mapped_column(default="", server_default="", sort_order=1)
    group: Mapped[str] = mapped_column(default="", server_default="", sort_order=1)


PARTICULARS = ("student_number", "email", "section", "group")


class Membership(Particulars, Base):
    """A user in a course. Fellow students see only the pseudonym."""

    __tablename__ = "membership"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True)
    role: Mapped[Role] = mapped_column(words(Role))
    pseudonym: Mapped[str]

    user: Mapped[User] = relationship()
    course: Mapped[Course] = relationship(lazy="joined", innerjoin=True)


class JoinCode(Base):
    """A code with which people join a course as students of a section; a course has at most one such code. If the code
    `registers`, people without an account create one, with an e-mail address at one of the `domains` (separated by
    spaces; "" allows any)."""

    __tablename__ = "join_code"

    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True)
    code: Mapped[str] = mapped_column(unique=True)
    section: Mapped[str]
    expires_at: Mapped[datetime]
    made_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    registers: Mapped[bool] = mapped_column(default=False, server_default=false())
    domains: Mapped[str] = mapped_column(default="", server_default="")


class FormerMember(Particulars, Base):
    """A student whom an instructor removed from a course, with the data needed to bring them back."""

    __tablename__ = "former_member"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True)
    pseudonym: Mapped[str]
    removed_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    removed_at: Mapped[datetime] = mapped_column(default=now)

    user: Mapped[User] = relationship(foreign_keys=user_id)


class EndedSession(Base):
    """A browser session that was signed out before its cookie expired; see `web.site.auth`."""

    __tablename__ = "ended_session"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    ended_at: Mapped[datetime] = mapped_column(default=now, index=True)


class ApiToken(Base):
    """A bearer token, of which only the SHA-256 hash is stored."""

    __tablename__ = "api_token"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    label: Mapped[str]
    sha256: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    used_at: Mapped[datetime | None] = mapped_column(default=None)

    user: Mapped[User] = relationship()
