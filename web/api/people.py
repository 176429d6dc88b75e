"""The people of a course, for its instructors."""

from web.api import people_models as models
from web.api.operations import json_body, operation
from web.models import User
from web.people import adding
from web.people.class_list import Student, students
from web.people.people_file import BadPeople, PeopleFile, Person, Wrong, person
from web.site import access
from web.site.problems import Refused
from web.site.store import read

PEOPLE = "/assignments/<int:assignment_id>/people"


@operation("GET", PEOPLE, {200: models.People}, problems=(403,))
def list_people(user: User, assignment_id: int) -> models.People:
    """The students of the assignment's course, and how each stands in it."""
    seen = access.taught(read(), user.id, assignment_id)
    return models.People(students=[_listed(each) for each in students(read(), seen.assignment)])


def _listed(each: Student) -> models.ListedStudent:
    return models.ListedStudent(
        id=each.id,
        login=each.login,
        name=each.name,
        pseudonym=each.pseudonym,
        signed_in_at=each.signed_in_at,
        uploads=each.uploads,
        last_upload=each.last_upload,
        qualified=each.qualified,
        entry_state=each.stand.state if each.stand else None,
        rank=each.rank,
        tied=each.tied,
        mark=each.mark,
    )


@operation(
    "POST",
    PEOPLE,
    {201: models.Added},
    problems=(403, 409, 415, 422),
    bodies={"application/json": models.NewPeople},
)
def add_people(user: User, assignment_id: int) -> tuple[models.Added, int, dict[str, str]]:
    """Add people to the assignment's course: all of them, or none if one is wrong."""
    seen = access.taught(read(), user.id, assignment_id)
    try:
        plan, passwords = adding.add(seen, _sheet(json_body(models.NewPeople)), adding.nothing_wrong)
    except BadPeople as error:
        raise Refused(409, f"Nobody was added. {error}", "bad_people") from None  # they contradict each other
    except adding.Changed as error:
        raise Refused(409, str(error)) from None
    added = models.Added(
        accounts=[models.NewAccount(login=login, password=password) for login, password in passwords.items()],
        joined=[each.login for each in plan.joining],
        present=[each.login for each in plan.members],
        removed=[each.login for each in plan.removed],
    )
    return added, 201, {"Cache-Control": "no-store"}


def _sheet(given: models.NewPeople) -> PeopleFile:
    """The people as a file would say them; the first is line 1."""
    found = [
        person(each.login.strip(), each.name.strip(), each.role, each.pseudonym.strip(), line)
        for line, each in enumerate(given.people, 1)
    ]
    people = [each for each in found if isinstance(each, Person)]
    return PeopleFile(people, [each for each in found if isinstance(each, Wrong)])
