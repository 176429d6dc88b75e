"""What the API takes and answers about the people of a course."""

from datetime import datetime

from pydantic import Field

from tournament.models import EntryState
from web.api.models import Model
from web.models import Role
from web.people_file import MOST


class ListedStudent(Model):
    """A student of the course, and how they stand in the assignment."""

    id: int
    login: str
    name: str
    pseudonym: str
    signed_in_at: datetime | None = Field(description="the last time, to the hour; null: not since that is noted")
    uploads: int
    last_upload: datetime | None
    qualified: bool = Field(description="whether any upload qualifies")
    entry_state: EntryState | None = Field(description="of the latest entry on the first ladder; null: none is there")
    rank: int | None
    tied: bool = Field(description="whether the games so far cannot tell that rank from another")
    mark: float | None = Field(description="null until a final is published")


class People(Model):
    students: list[ListedStudent] = Field(description="by name")


class NewPerson(Model):
    """Somebody to be added."""

    login: str
    name: str
    role: Role = Role.STUDENT
    pseudonym: str = Field("", description="what fellow students see; one is made up if it is empty")


class NewPeople(Model):
    people: list[NewPerson] = Field(min_length=1, max_length=MOST)


class NewAccount(Model):
    login: str
    password: str = Field(description="for the first sign-in; it is said this once")


class Added(Model):
    """What was done with each login. Who is in the course already, or was removed from it, stays so."""

    accounts: list[NewAccount]
    joined: list[str]
    present: list[str]
    removed: list[str]
