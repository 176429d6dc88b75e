"""What the API takes and answers about the people of a course."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from tournament.store.tables import EntryState
from web.api.models import Model
from web.models import Role
from web.people.people_file import LONGEST, MOST


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


LOGIN = r"^[\w!-+.\-;-~]+$"
NAME = r"^[^\u0000]*\w[^\u0000]*$"


def _login(text: str) -> str:
    if not re.search(LOGIN, text):
        raise ValueError("must be one word of letters, digits and signs, without , : and /")
    return text


def _name(text: str) -> str:
    """Without what cannot be seen."""
    if not re.search(NAME, text):
        raise ValueError("must have a letter or a digit")
    return "".join(letter for letter in text if letter.isprintable())


def _pseudonym(text: str) -> str:
    return text and _name(text)


class NewPerson(Model):
    """Somebody to be added."""

    login: Annotated[str, AfterValidator(_login)] = Field(max_length=LONGEST, json_schema_extra={"pattern": LOGIN})
    name: Annotated[str, AfterValidator(_name)] = Field(max_length=LONGEST, json_schema_extra={"pattern": NAME})
    role: Role = Role.STUDENT
    pseudonym: Annotated[str, AfterValidator(_pseudonym)] = Field(
        "",
        max_length=LONGEST,
        description="what fellow students see; one is made up if it is empty",
        json_schema_extra={"pattern": f"^$|{NAME}"},
    )


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
