"""A new assignment: what it begins with, and the address that follows from its title."""

import re

import pytest
from sqlalchemy import select, update

from grader.authoring.course_folder.course import PAGES_OF_COURSES
from grader.store.models import Assignment, AssignmentDraft
from tests.web.school import School
from web.course.new_assignment import LONGEST_SLUG, free_address
from web.site.models import Membership, Role

NEW = "/courses/comp10001/new-assignment/"


@pytest.mark.parametrize(
    ("title", "taken", "address"),
    [
        ("Warm-up", set(), "warm-up"),
        ("Project 2: Comp10001-Bo!", set(), "project-2-comp10001-bo"),
        ("Übung 1", set(), "ubung-1"),
        ("Warm-up", {"warm-up", "warm-up-2"}, "warm-up-3"),
        ("宿題", set(), "assignment"),
        ("–", {"assignment"}, "assignment-2"),
    ],
)
def test_the_address_follows_from_the_title(title: str, taken: set[str], address: str) -> None:
    assert free_address(title, taken) == address


def test_a_derived_address_is_short_enough_with_its_number() -> None:
    long = free_address("x" * 200, ())
    assert len(free_address("x" * 200, {long})) <= LONGEST_SLUG


def test_the_page_asks_for_the_address_that_a_title_would_get(school: School) -> None:
    ines = school.browser("ines")
    for title, address in (("Warm-up!", "warm-up"), ("People", "people-2"), ("bo", "bo-2"), ("", "")):
        assert ines.client.get(f"{NEW}address", query_string={"title": title}).text == address


def test_the_pages_of_each_course_are_listed(school: School) -> None:
    found = {str(rule).split("/")[3] for rule in school.app.url_map.iter_rules() if str(rule).startswith("/courses/<")}
    own = {each for each in found if each and not each.startswith("<")}
    assert own | {"platforms"} == PAGES_OF_COURSES, "platforms are only on sites that connect one"


@pytest.mark.parametrize(
    ("form", "slug", "game", "questions"),
    [
        ({"source": "game", "game": "bo"}, "comp10001-bo", "bo", ["function"]),
        ({"source": "empty", "title": "Warm-up"}, "warm-up", "", []),
        ({"source": "program", "title": "Greeter", "language": "cpp17"}, "greeter", "", ["cpp17"]),
    ],
)
def test_each_card_begins_a_draft_at_an_address_of_its_own(
    school: School, form: dict[str, str], slug: str, game: str, questions: list[str]
) -> None:
    made = school.browser("ines").post(NEW, form)
    assignment = int(re.findall(r"/assignments/(\d+)/", made.location)[0])
    with school.write() as session:
        row = session.get_one(Assignment, assignment)
        draft = session.scalars(select(AssignmentDraft).where(AssignmentDraft.assignment_id == assignment)).one()
        assert (row.slug, row.game, row.version) == (slug, game, 0)
        assert {each.get("language", "function") for each in draft.content["questions"]} == set(questions)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"title": "x"}, "Choose what students have to do."),
        ({"title": "x", "source": "program", "language": "cobol"}, "Choose a language."),
        ({"title": "x", "source": "copy", "copy": ""}, "Choose an assignment or a zip file."),
        ({"source": "program", "language": "cpp17"}, "Give the assignment a title."),
    ],
)
def test_what_is_missing_is_said_at_its_field_and_what_was_typed_stays(
    school: School, form: dict[str, str], told: str
) -> None:
    answer = school.browser("ines").post(NEW, form)
    assert answer.status_code == 422
    assert told in answer.text
    assert 'value="x"' in answer.text or "title" not in form


def test_an_assignment_of_a_course_that_one_does_not_teach_is_not_copied(school: School) -> None:
    with school.write() as session:
        id_ = school.people["otto"]
        session.execute(update(Membership).where(Membership.user_id == id_).values(role=Role.INSTRUCTOR))
        session.add(Membership(user_id=id_, course_id=school.course, role=Role.STUDENT, pseudonym="pupil"))
    otto = school.browser("otto")
    form = {"title": "Stolen", "source": "copy", "copy": str(school.assignment)}
    assert otto.post("/courses/other/new-assignment/", form).status_code == 403
    assert "Stolen" not in otto.get("/courses/other/").text
