"""Webhooks: addresses of chats and other programs to which a course sends messages about its events. Each message is a
row of `Mail`, which `deploy.processes.webhooks` sends. No message names a student, since a chat may have members who
are not in the course."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import JSON, ForeignKey, UniqueConstraint, column, select, table
from sqlalchemy.orm import Mapped, Session, mapped_column

from tournament.store.database import Base, now, words
from tournament.store.mail import Mail


class CourseEvent(StrEnum):
    """An event about which a webhook can receive messages."""

    ASSIGNMENT = "assignment"
    DEADLINE = "deadline"
    MARKS = "marks"
    REQUEST = "request"
    ALERT = "alert"


EVENTS: Final[Mapping[CourseEvent, str]] = {
    CourseEvent.ASSIGNMENT: "Students can see a new assignment",
    CourseEvent.DEADLINE: "A deadline has moved",
    CourseEvent.MARKS: "Marks are published or have changed",
    CourseEvent.REQUEST: "A student asks for a question to be marked again",
    CourseEvent.ALERT: "Grading has stalled, or an assignment needs its instructors’ attention",
}


class Service(StrEnum):
    """The kind of receiver; each service expects messages in its own format."""

    JSON = "signed JSON"
    SLACK = "Slack"
    DISCORD = "Discord"
    TEAMS = "Teams"
    MATTERMOST = "Mattermost"


class Webhook(Base):
    """An address to which messages are sent. `secret` signs messages that are sent as JSON. The address of a chat is a
    secret itself."""

    __tablename__ = "webhook"
    __table_args__ = (UniqueConstraint("course_id", "address"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"))
    address: Mapped[str]
    service: Mapped[Service] = mapped_column(words(Service))
    events: Mapped[list[str]] = mapped_column(JSON)
    secret: Mapped[str]
    made_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    made_at: Mapped[datetime] = mapped_column(default=now)


_ASSIGNMENT = table("assignment", column("id"), column("course_id"), column("slug"))
_COURSE = table("course", column("id"), column("slug"))


def announce(session: Session, assignment_id: int, event: CourseEvent, subject: str, text: str = "") -> None:
    """Leave a message for each webhook of the assignment's course that gets this event, in the caller's transaction."""
    of_course = Webhook.course_id == _ASSIGNMENT.c.course_id, _COURSE.c.id == _ASSIGNMENT.c.course_id
    found = select(Webhook, _COURSE.c.slug, _ASSIGNMENT.c.slug).where(_ASSIGNMENT.c.id == assignment_id, *of_course)
    kept = found.with_for_update(read=True, key_share=True, of=Webhook)  # so that no webhook is removed in the meantime
    for hook, course, slug in session.execute(kept).all():
        if event in hook.events:
            session.add(call_of(hook, event, subject, text, f"/courses/{course}/{slug}/"))


def call_of(hook: Webhook, event: str, subject: str, text: str, path: str) -> Mail:
    """Return the message for one webhook."""
    part = {"kind": event, "subject": subject, "text": text, "at": "", "links": [[path, "Show"]]}
    return Mail(webhook_id=hook.id, subject=subject, parts=[part])
