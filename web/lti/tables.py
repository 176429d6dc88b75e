"""Tables of LTI: platforms, launches in progress, the platforms' courses that are connected with courses on this site,
the people in these courses, and the marks that are sent to the platforms."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint, true
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.store.models import Assignment
from tournament.store.database import Base, now, words
from web.sign_on.provider import Provider
from web.site.models import Course, User


class LtiPlatform(Base):
    """A learning management system, identified by its issuer and by the client id that it has given this site.
    `audience`: the audience of requests for access tokens, if it differs from the address of these requests. `creates`:
    whether new accounts are created for the platform's people."""

    __tablename__ = "lti_platform"
    __table_args__ = (UniqueConstraint("issuer", "client_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    issuer: Mapped[str]
    client_id: Mapped[str]
    login_url: Mapped[str]
    token_url: Mapped[str]
    keys_url: Mapped[str]
    audience: Mapped[str] = mapped_column(default="", server_default="")
    deployments: Mapped[list[str]] = mapped_column(JSON, default=list)
    link_by: Mapped[str] = mapped_column(default="nothing", server_default="nothing")
    creates: Mapped[bool] = mapped_column(default=True, server_default=true())

    @property
    def provider(self) -> Provider:
        """The platform as `web.sign_on.linking` sees it. Its people are known only under this issuer, so that neither a
        sign-in provider nor another client of the same issuer can vouch for them."""
        known_by = f"lti {self.client_id} {self.issuer}"
        about: dict[str, Any] = {"title": self.title, "issuer": known_by, "link_by": self.link_by, "create": "nobody"}
        return Provider.model_construct(**about)


class LtiRegistration(Base):
    """A link, stored as its hash, with which a platform registers itself once. Without a hash, the row is an unchecked
    registration made with such a link; `found` has the platform's description of itself, by the fields of the platform
    form."""

    __tablename__ = "lti_registration"

    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str | None] = mapped_column(default=None, unique=True)
    found: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    made_at: Mapped[datetime] = mapped_column(default=now)


class LtiKey(Base):
    """A key of this site, which signs the site's messages to platforms. `private` is in PEM, and secret."""

    __tablename__ = "lti_key"

    kid: Mapped[str] = mapped_column(primary_key=True)
    private: Mapped[str]
    made_at: Mapped[datetime] = mapped_column(default=now)


class LtiLaunch(Base):
    """A launch that a browser has begun; `browser` is the hash of the browser's cookie. `ticket` is set when the
    platform answers, so that it can answer only once; `claims` is set once the answer has been validated."""

    __tablename__ = "lti_launch"

    state: Mapped[str] = mapped_column(primary_key=True)
    nonce: Mapped[str]
    browser: Mapped[str]
    platform_id: Mapped[int] = mapped_column(ForeignKey("lti_platform.id"))
    ticket: Mapped[str] = mapped_column(default="", server_default="", index=True)
    claims: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    made_at: Mapped[datetime] = mapped_column(default=now, index=True)

    platform: Mapped[LtiPlatform] = relationship(lazy="joined", innerjoin=True)


class Sends(StrEnum):
    """When marks are sent to a platform."""

    NEVER = "never"
    PUBLISHED = "published"
    LIVE = "live"


class LtiCourse(Base):
    """A platform's course (its `context`) that an instructor has connected with a course on this site, with the
    addresses of its services, each "" if the platform does not offer the service. `rlid`: a link in the platform's
    course that sends sections."""

    __tablename__ = "lti_course"
    __table_args__ = (UniqueConstraint("platform_id", "deployment", "context"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    platform_id: Mapped[int] = mapped_column(ForeignKey("lti_platform.id"))
    deployment: Mapped[str]
    context: Mapped[str]
    title: Mapped[str]
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), index=True)
    connected_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    members_url: Mapped[str] = mapped_column(default="", server_default="")
    items_url: Mapped[str] = mapped_column(default="", server_default="")
    rlid: Mapped[str] = mapped_column(default="", server_default="")
    sends: Mapped[Sends] = mapped_column(words(Sends), default=Sends.NEVER)
    follows: Mapped[bool] = mapped_column(default=False)  # whether its new students are added every hour
    read_at: Mapped[datetime | None] = mapped_column(default=None)  # when its people were last read
    trouble: Mapped[str] = mapped_column(default="", server_default="")  # why the last reading failed

    platform: Mapped[LtiPlatform] = relationship(lazy="joined", innerjoin=True)
    course: Mapped[Course] = relationship(lazy="joined", innerjoin=True)


class LtiMember(Base):
    """A person in a platform's course, where they are known as `subject`."""

    __tablename__ = "lti_member"

    lti_course_id: Mapped[int] = mapped_column(ForeignKey("lti_course.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    subject: Mapped[str]


class LtiItem(Base):
    """The column of an assignment in the gradebook of a platform's course."""

    __tablename__ = "lti_item"

    lti_course_id: Mapped[int] = mapped_column(ForeignKey("lti_course.id"), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    url: Mapped[str]


class LtiScore(Base):
    """A mark to be sent to a platform; if `given` is None, the mark is to be removed there. As with an e-mail, the
    sender first sets `next_at` to the end of its lease and counts the attempt; `next_at` is None once the mark is
    settled. `answer`: the outcome."""

    __tablename__ = "lti_score"
    __table_args__ = (Index("ix_lti_score_of_person", "lti_course_id", "assignment_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    lti_course_id: Mapped[int] = mapped_column(ForeignKey("lti_course.id"))
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    given: Mapped[float | None]
    most: Mapped[float]
    comment: Mapped[str] = mapped_column(default="", server_default="")
    made_at: Mapped[datetime] = mapped_column(default=now)
    next_at: Mapped[datetime | None] = mapped_column(default=now, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    sent_at: Mapped[datetime | None] = mapped_column(default=None)
    answer: Mapped[str] = mapped_column(default="", server_default="")

    user: Mapped[User] = relationship()
    assignment: Mapped[Assignment] = relationship()
