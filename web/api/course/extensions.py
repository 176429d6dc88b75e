"""The extensions of an assignment, for its instructors."""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from grader.models import Assignment
from web.api.models import Model
from web.api.operations import json_body, operation
from web.assignment.overview import real_names
from web.assignment.settings.deadlines import extended
from web.gradebook.extending import Wish, give
from web.models import User
from web.people.people_file import LONGEST, MOST
from web.site.rights import access
from web.site.rights.access import Seen
from web.site.store import fresh, read

EXTENSIONS = "/assignments/<int:assignment_id>/extensions"


class ExtensionJson(Model):
    """More time for a student."""

    user_id: int
    login: str
    until: datetime = Field(description="with the offset of the course’s time zone")
    reason: str = Field(description="for the record; students do not see it")


class Extensions(Model):
    extensions: list[ExtensionJson] = Field(description="by the student’s name")


class NewExtension(Model):
    student: str = Field(max_length=LONGEST, description="the login, e-mail or student number")
    until: AwareDatetime | None = Field(None, description="null takes the extension away")
    reason: Annotated[str, Field(max_length=500)] = ""


class NewExtensions(Model):
    extensions: list[NewExtension] = Field(min_length=1, max_length=MOST)


@operation("GET", EXTENSIONS, {200: Extensions}, problems=(403,))
def list_extensions(user: User, assignment_id: int) -> Extensions:
    """The extensions of an assignment."""
    return _extensions(access.taught(read(), user.id, assignment_id))


@operation("POST", EXTENSIONS, {200: Extensions}, body=NewExtensions, problems=(403, 409))
def give_extensions(user: User, assignment_id: int) -> Extensions:
    """Give, change or end extensions: all of them, or none if one is wrong. The students get a notice."""
    seen = access.taught(read(), user.id, assignment_id)
    wishes = [
        Wish(line, each.student.strip(), each.until.isoformat(timespec="seconds") if each.until else "", each.reason)
        for line, each in enumerate(json_body(NewExtensions).extensions, 1)
    ]
    give(seen, wishes)
    return _extensions(seen)


def _extensions(seen: Seen) -> Extensions:
    zone = seen.viewer.course.zone
    with fresh() as session:
        assignment = session.get_one(Assignment, seen.assignment.id)
        found = extended(session, assignment, real_names(session, assignment.course_id))
        return Extensions(
            extensions=[
                ExtensionJson(user_id=who.id, login=who.login, until=row.until.astimezone(zone), reason=row.reason)
                for who, row in found
            ]
        )
