"""The people of a course and their extensions, for its staff."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, Field

from grader.store.models import Assignment
from sandbox import patterns
from tournament.store.tables import EntryState
from web.api.operations import Model, json_body, operation
from web.marks.extensions import Wish, give
from web.overview.dates import extensions_of
from web.people import members
from web.people.enrolment import refuse_wrong
from web.people.people import IN_ASSIGNMENT, IN_COURSE, students
from web.people.roster import RosterError
from web.site import access
from web.site.access import Seen, real_names
from web.site.errors import ApiRefusal
from web.site.models import PARTICULARS, Course, Role, User
from web.site.people_file import LONGEST, MOST, BadPeople, PeopleFile, Person, WrongLine, person
from web.site.store import fresh, read, write

ROLE = "/<int:user_id>/role"
EXTENSIONS = "/assignments/<int:assignment_id>/extensions"


class ListedStudent(Model):
    """A student of the course and their standing in the assignment. Below a course, the standing is for all its
    assignments, and fields that concern a single assignment are null."""

    id: int
    login: str
    name: str
    pseudonym: str
    signed_in_at: datetime | None = Field(description="the last time, to the hour; null: not since this is recorded")
    uploads: int
    last_upload: datetime | None
    qualified: bool = Field(description="whether any upload qualifies")
    entry_state: EntryState | None = Field(description="of the latest entry on the first ladder; null: there is none")
    rank: int | None
    tied: bool = Field(description="whether the games so far cannot tell that rank from another")
    points: float | None = Field(description="of the upload that counts; null: none in time has been graded")
    mark: float | None = Field(description="null until a final is published")
    student_number: str
    email: str
    section: str
    group: str


class People(Model):
    students: list[ListedStudent] = Field(description="by name")


LOGIN = r"^[\w!-+.\-;-~]+$"
NAME = r"^[^\u0000]*\w[^\u0000]*$"


def _login(text: str) -> str:
    if not text or not all(each.isalnum() or ("!" <= each <= "~" and each not in ",/:") for each in text):
        raise ValueError("must be one word of letters, digits and signs, without , : and /")
    return text


def _visible_name(text: str) -> str:
    """Return the name without invisible characters."""
    if "\0" in text or not any(each.isalnum() or each == "_" for each in text):
        raise ValueError("must have a letter or a digit")
    return "".join(letter for letter in text if letter.isprintable())


def _pseudonym(text: str) -> str:
    return text and _visible_name(text)


EMAIL = r"^[!-?A-~]+@[!-?A-~]+$"
Particular = Annotated[
    str, AfterValidator(_pseudonym), Field(max_length=LONGEST, json_schema_extra={"pattern": f"^$|{NAME}"})
]


def _email(text: str) -> str:
    if text and not patterns.compile(EMAIL).search(text):
        raise ValueError("must be like ada@example.org")
    return _pseudonym(text)


class NewPerson(Model):
    """A person to add."""

    login: Annotated[str, AfterValidator(_login)] = Field(max_length=LONGEST, json_schema_extra={"pattern": LOGIN})
    name: Annotated[str, AfterValidator(_visible_name)] = Field(max_length=LONGEST, json_schema_extra={"pattern": NAME})
    role: Role = Role.STUDENT
    pseudonym: Annotated[str, AfterValidator(_pseudonym)] = Field(
        "",
        max_length=LONGEST,
        description="the name that fellow students see; one is made up if it is empty",
        json_schema_extra={"pattern": f"^$|{NAME}"},
    )
    student_number: Particular = ""
    email: Annotated[str, AfterValidator(_email)] = Field(
        "", max_length=LONGEST, json_schema_extra={"pattern": f"^$|{EMAIL}"}
    )
    section: Particular = ""
    group: Particular = ""


class Pseudonym(Model):
    pseudonym: Annotated[str, AfterValidator(_visible_name)] = Field(
        max_length=LONGEST, json_schema_extra={"pattern": NAME}
    )


class NewRole(Model):
    """A new role for a member; without a `section`, the section stays as it is."""

    role: Role
    section: Particular | None = Field(
        None, description="of a tutor: the sections, separated by semicolons; empty means all"
    )


class NewPeople(Model):
    people: list[NewPerson] = Field(min_length=1, max_length=MOST)


class NewAccount(Model):
    login: str
    password: str = Field(description="for the first sign-in; it is shown only this once")


class Added(Model):
    """The result for each login. People who are already in the course stay in it; people who were removed from it stay
    removed."""

    accounts: list[NewAccount]
    invited: list[str] = Field(description="new accounts whose owners get a link by e-mail to choose a password")
    joined: list[str]
    updated: list[str] = Field(description="members whose student number, e-mail, section or group has changed")
    present: list[str]
    removed: list[str]


@operation("GET", IN_ASSIGNMENT, {200: People}, of_course=IN_COURSE, problems=(403,))
def list_people(user: User, **parent: Any) -> People:
    """The students of the course whom you oversee, and each student's standing in the assignment."""
    seen = access.staffed(read(), user.id, parent)
    found = students(read(), seen.viewer.course.id, seen.assignment)
    seen_ones = [each for each in found if seen.viewer.oversees(each.id)]
    return People(
        students=[ListedStudent.of(each, entry_state=each.stand.state if each.stand else None) for each in seen_ones]
    )


@operation("PUT", f"{IN_ASSIGNMENT}{ROLE}", {200: NewRole}, NewRole, f"{IN_COURSE}{ROLE}", problems=(403, 409))
def assign_role(user: User, user_id: int, **parent: Any) -> NewRole:
    """Change the role of a member of the course and, for a tutor, set the sections."""
    seen, wanted = access.instructed(read(), user.id, parent), json_body(NewRole)
    try:
        with write() as session:
            course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
            section = members.assign(session, course, user.id, user_id, wanted.role, wanted.section)
    except RosterError as error:
        raise ApiRefusal(409, str(error), "bad_role") from None
    return NewRole(role=wanted.role, section=section)


@operation(
    "PUT",
    "/assignments/<int:assignment_id>/pseudonym",
    {200: Pseudonym},
    Pseudonym,
    "/courses/<course>/pseudonym",
    problems=(409,),
)
def choose_pseudonym(user: User, **parent: Any) -> Pseudonym:
    """Choose the name by which fellow students in the course see you. This is possible until you first enter a
    tournament in that course."""
    seen = access.attended(read(), user.id, parent)
    wanted = json_body(Pseudonym).pseudonym
    try:
        with write() as session:
            course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
            return Pseudonym(pseudonym=members.choose_pseudonym(session, course, user.id, wanted))
    except RosterError as error:
        raise ApiRefusal(409, str(error), "bad_pseudonym") from None


@operation("POST", IN_ASSIGNMENT, {201: Added}, NewPeople, IN_COURSE, problems=(403, 409))
def add_people(user: User, **parent: Any) -> tuple[Added, int, dict[str, str]]:
    """Add people to the course: all of them, or none if one is wrong."""
    seen = access.instructed(read(), user.id, parent)
    try:
        plan, passwords = members.add(seen, _as_file(json_body(NewPeople)), lambda plan: refuse_wrong(plan.wrong))
    except BadPeople as error:
        raise ApiRefusal(409, f"Nobody was added. {error}", "bad_people") from None  # the entries contradict each other
    added = Added(
        accounts=[NewAccount(login=login, password=password) for login, password in passwords.items()],
        invited=[each.login for each in plan.new if each.login not in passwords],
        joined=[each.login for each in plan.joining],
        updated=[each.login for each in plan.updating],
        present=[each.login for each in plan.members],
        removed=[each.login for each in plan.removed],
    )
    return added, 201, {"Cache-Control": "no-store"}


def _as_file(given: NewPeople) -> PeopleFile:
    """Return the people as if a file had listed them, with the first one on line 1."""
    found = []
    for line, each in enumerate(given.people, 1):
        more = {name: getattr(each, name).strip() for name in PARTICULARS}
        found.append(person(each.login.strip(), each.name.strip(), each.role, each.pseudonym.strip(), line, **more))
    people = [each for each in found if isinstance(each, Person)]
    return PeopleFile(people, [each for each in found if isinstance(each, WrongLine)])


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
        found = extensions_of(session, assignment, real_names(session, assignment.course_id))
        return Extensions(
            extensions=[ExtensionJson.of(row, login=who.login, until=row.until.astimezone(zone)) for who, row in found]
        )
