"""The published versions of an assignment, for its instructors."""

from datetime import datetime

from pydantic import Field
from sqlalchemy import select

from grader.definition.model import Definition
from grader.models import AssignmentVersion
from grader.publishing.versions import Unpublished, definition_of
from web.api.models import Model
from web.api.operations import operation
from web.models import User
from web.site.rights import access
from web.site.serving.problems import ApiRefusal
from web.site.store import read


class VersionJson(Model):
    """A published version of an assignment."""

    number: int = Field(description="from 1")
    published_at: datetime
    published_by: str | None = Field(description="the login; null: at the command line")
    summary: str
    digest: str = Field(description="the SHA-256 of the definition")


class Versions(Model):
    versions: list[VersionJson] = Field(description="the latest first")


class PublishedDefinition(Model):
    """What an assignment asks in one of its versions."""

    number: int
    definition: Definition


@operation("GET", "/assignments/<int:assignment_id>/versions", {200: Versions}, problems=(403,))
def list_versions(user: User, assignment_id: int) -> Versions:
    """The published versions of an assignment that you teach."""
    access.taught(read(), user.id, assignment_id)
    wanted = select(AssignmentVersion, User.login).outerjoin(User, User.id == AssignmentVersion.published_by)
    wanted = wanted.where(AssignmentVersion.assignment_id == assignment_id)
    found = read().execute(wanted.order_by(AssignmentVersion.number.desc()))
    return Versions(versions=[_version(row, login) for row, login in found])


@operation("GET", "/assignments/<int:assignment_id>/versions/<int:number>", {200: PublishedDefinition}, problems=(403,))
def get_definition(user: User, assignment_id: int, number: int) -> PublishedDefinition:
    """What an assignment that you teach asks in one of its versions."""
    seen = access.taught(read(), user.id, assignment_id)
    if not number:
        raise ApiRefusal(404, "This assignment has no such version.")
    try:
        return PublishedDefinition(number=number, definition=definition_of(read(), seen.assignment, number))
    except Unpublished:
        raise ApiRefusal(404, "This assignment has no such version.") from None


def _version(row: AssignmentVersion, login: str | None) -> VersionJson:
    return VersionJson(
        number=row.number,
        published_at=row.published_at,
        published_by=login,
        summary=row.summary,
        digest=row.digest,
    )
