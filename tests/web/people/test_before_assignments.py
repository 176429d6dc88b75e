"""The people of a course that has no assignment yet: everything about them has an address below the course itself."""

import re
from csv import DictReader
from io import StringIO

import pytest
from sqlalchemy import select

from grader.store.models import Assignment, Submission
from tests.web.people.test_enrol import confirm
from tests.web.school import HASHED, School
from tournament.store.database import now
from web.site.models import Course, FormerMember, JoinCode, Membership, Role, User

PEOPLE = "/courses/comp10001/people/"
FILE = "login,name,section,role\neve,Eve,1,student\nmax,Max,2,student\ntim,Tim,1,tutor\n"


@pytest.fixture
def bare(school: School) -> School:
    """The class without its assignment, and three people of the other course: a student, a tutor, an instructor."""
    ines = school.browser("ines")
    assert ines.post(f"/assignments/{school.assignment}/delete", {"confirm": "on"}).status_code == 303
    with school.write() as session:
        assert session.scalars(select(Assignment)).all() == []
        other = session.scalars(select(Course.id).where(Course.slug == "other")).one()
        for login, role in (("tobi", Role.TUTOR), ("iris", Role.INSTRUCTOR)):
            user = User(login=login, name=login.title(), password_hash=HASHED)
            session.add(user)
            session.flush()
            session.add(Membership(user_id=user.id, course_id=other, role=role, pseudonym=f"{login}-x"))
            school.people[login] = user.id
    return school


def member(school: School, login: str) -> tuple[str, str, Role] | None:
    """The section, pseudonym and role of a member of the course."""
    with school.write() as session:
        wanted = select(Membership.section, Membership.pseudonym, Membership.role).join(User)
        own = Membership.course_id == school.course, User.login == login
        found = session.execute(wanted.where(*own)).one_or_none()
        return None if found is None else (found.section, found.pseudonym, found.role)


def test_the_course_and_its_settings_link_to_its_people(bare: School) -> None:
    for page in ("", "settings/"):
        assert f'href="{PEOPLE}"' in bare.browser("ines").get(f"/courses/comp10001/{page}").text


def test_people_are_added_by_a_file(bare: School) -> None:
    ines = bare.browser("ines")
    assert f'href="{PEOPLE}add/"' in ines.get(PEOPLE).text
    shown = ines.post(f"{PEOPLE}add/", {"people": FILE})
    assert f'action="{PEOPLE}add/confirm"' in shown.text
    assert "3 accounts created" in confirm(ines, f"{PEOPLE}add/", shown).text
    page = ines.get(PEOPLE).text
    assert all(each in page for each in ("Eve", "Max", "Tim", "never signed in"))
    listed = [*DictReader(StringIO(ines.get(f"{PEOPLE}people.csv").text.lstrip("\ufeff")))]
    assert [each["section"] for each in listed if each["login"] in ("eve", "max")] == ["1", "2"]
    assert "points" not in listed[0], "there is nothing to have points in"


def test_people_join_with_a_code(bare: School) -> None:
    ines = bare.browser("ines")
    answer = ines.post(f"{PEOPLE}code", {"days": "7", "section": "Mon"})
    assert (answer.status_code, answer.location) == (303, PEOPLE)
    with bare.write() as session:
        code = session.scalars(select(JoinCode.code)).one()
    assert bare.browser("otto").post("/join/", {"code": code}).status_code == 303
    joined = member(bare, "otto")
    assert joined is not None
    assert (joined[0], joined[2]) == ("Mon", Role.STUDENT)
    ines.post(f"{PEOPLE}code", {"do": "end"})
    with bare.write() as session:
        assert session.scalars(select(JoinCode)).all() == []


def test_each_persons_page_changes_what_belongs_to_the_course(bare: School) -> None:
    ines, ada = bare.browser("ines"), f"{PEOPLE}{bare.people['ada']}/"
    page = ines.get(ada).text
    forms = set(re.findall(r'action="([^"]*)"', page))
    assert {f"{ada}{each}" for each in ("particulars", "name", "pseudonym", "role", "password", "remove")} <= forms
    assert "/assignments/" not in page
    for form, given in (
        ("particulars", {"section": "Tue"}),
        ("name", {"name": "Ada Lovelace"}),
        ("pseudonym", {"pseudonym": "Countess", "reason": "she asked"}),
        ("role", {"role": "tutor", "confirm": "on"}),
    ):
        answer = ines.post(f"{ada}{form}", given)
        assert (answer.status_code, answer.location) == (303, ada), form
    assert member(bare, "ada") == ("Tue", "Countess", Role.TUTOR)


def test_a_person_is_removed_and_brought_back(bare: School) -> None:
    ines, id_ = bare.browser("ines"), bare.people["ada"]
    assert ines.post(f"{PEOPLE}{id_}/remove").status_code == 422, "it asks first"
    assert ines.post(f"{PEOPLE}{id_}/remove", {"confirm": "on"}).location == PEOPLE
    assert member(bare, "ada") is None
    assert f'action="{PEOPLE}{id_}/bring-back"' in ines.get(PEOPLE).text
    assert ines.post(f"{PEOPLE}{id_}/bring-back").location == PEOPLE
    assert member(bare, "ada") is not None


def test_a_tutor_sees_the_students_of_their_sections_and_changes_nothing(bare: School) -> None:
    with bare.write() as session:
        session.get_one(Membership, (bare.people["ada"], bare.course)).section = "1"
        tess = session.get_one(Membership, (bare.people["ben"], bare.course))
        tess.role, tess.section = Role.TUTOR, "1"
    ben = bare.browser("ben")
    assert re.findall(r"(Ada|Cleo) Realname", ben.get(PEOPLE).text) == ["Ada"]
    assert re.findall(r"(Ada|Cleo) Realname", ben.get(f"{PEOPLE}people.csv").text) == ["Ada"]
    assert f"{PEOPLE}{bare.people['ada']}/" not in ben.get(PEOPLE).text, "nor has she a page for tutors"
    assert ben.get(f"{PEOPLE}{bare.people['ada']}/").status_code == 403


def test_the_settings_of_the_course_list_its_changes(bare: School) -> None:
    ines, ada = bare.browser("ines"), f"{PEOPLE}{bare.people['ada']}/"
    confirm(ines, f"{PEOPLE}add/", ines.post(f"{PEOPLE}add/", {"people": FILE}))
    ines.post(f"{ada}role", {"role": "tutor", "confirm": "on"})
    page = ines.get("/courses/comp10001/settings/").text
    assert "Role of ada</th><td>student</td><td>tutor</td>" in page
    assert "People added</th><td>–</td><td>eve, max, tim</td>" in page
    new = {"slug": "first", "title": "First", "source": "empty"}
    assert ines.post("/courses/comp10001/new-assignment/", new).status_code == 303
    assert "Role of ada" in ines.get(f"/assignments/{first(bare)}/edit/versions/").text, "an assignment lists them too"
    assert "created" not in ines.get("/courses/comp10001/settings/").text, "this is about the assignment"


def first(school: School) -> int:
    with school.write() as session:
        return session.scalars(select(Assignment.id)).one()


def test_a_pseudonym_that_an_instructor_has_replaced_is_not_chosen_again(bare: School) -> None:
    ines, ada = bare.browser("ines"), f"{PEOPLE}{bare.people['ada']}/"
    assert ines.post(f"{ada}pseudonym", {"do": "reset", "reason": "It insults Ben."}).status_code == 303
    refused = bare.browser("ada").post("/courses/comp10001/pseudonym/", {"pseudonym": "Ada the Pseudonym"})
    assert (refused.status_code, "was replaced by an instructor" in refused.text) == (409, True)


PAGES = ("", "people.csv", "add/", "{ada}/")
FORMS = {
    "add/": {"people": FILE},
    "add/confirm": {"people": FILE, "was": ""},
    "code": {"days": "7"},
    "{ada}/bring-back": {},
    "{ada}/remove": {"confirm": "on"},
    "{ada}/role": {"role": "instructor", "confirm": "on"},
    "{ada}/particulars": {"section": "9"},
    "{ada}/name": {"name": "Nobody"},
    "{ada}/pseudonym": {"pseudonym": "Nobody", "reason": "x"},
    "{ada}/password": {"confirm": "on"},
}


@pytest.mark.parametrize(("login", "status"), [("ada", 403), ("otto", 404), ("tobi", 404), ("iris", 404)])
def test_students_and_the_staff_of_other_courses_are_refused(bare: School, login: str, status: int) -> None:
    browser, ada = bare.browser(login), bare.people["ada"]
    for path in PAGES:
        assert browser.get(f"{PEOPLE}{path.format(ada=ada)}").status_code == status, path
    for path, form in FORMS.items():
        assert browser.post(f"{PEOPLE}{path.format(ada=ada)}", form).status_code == status, path
    with bare.write() as session:
        logins = select(User.login).join(Membership).where(Membership.course_id == bare.course)
        assert sorted(session.scalars(logins)) == ["ada", "ben", "cleo", "ines"]
        assert session.scalars(select(JoinCode)).all() == []
        assert session.scalars(select(FormerMember)).all() == []
        same = session.get_one(Membership, (ada, bare.course))
        assert (same.role, same.section, same.pseudonym) == (Role.STUDENT, "", "ada-the-pseudonym")
        assert same.user.name == "Ada Realname"


def test_a_person_of_another_course_has_no_page_in_ones_own(bare: School) -> None:
    iris, ada = bare.browser("iris"), bare.people["ada"]
    assert iris.get("/courses/other/people/").status_code == 200
    assert iris.get(f"/courses/other/people/{ada}/").status_code == 404
    for path in ("remove", "role", "particulars", "name", "pseudonym", "password"):
        form = FORMS[f"{{ada}}/{path}"]
        assert iris.post(f"/courses/other/people/{ada}/{path}", form).status_code == 404, path
    assert member(bare, "ada") is not None


def test_below_the_course_its_assignments_are_linked_and_what_belongs_to_one_is_left_out(school: School) -> None:
    school.change(Submission, school.upload("ben"), queued_at=now())
    ines, ben = school.browser("ines"), school.people["ben"]
    page = ines.get(PEOPLE).text
    assert f'href="/assignments/{school.assignment}/people/"' in page
    assert not any(words in page for words in ("Last upload", "Rank", "nothing uploaded"))
    page = ines.get(f"{PEOPLE}{ben}/").text
    assert f'href="/assignments/{school.assignment}/people/{ben}/"' in page
    assert not any(words in page for words in ("Extended until", "View as this student"))
    assert f'href="{PEOPLE}"' in ines.get(f"/assignments/{school.assignment}/people/").text


def test_no_new_assignment_takes_the_address_of_a_page_of_the_course(bare: School) -> None:
    new, form = "/courses/comp10001/new-assignment/", {"title": "People", "source": "empty"}
    ines = bare.browser("ines")
    answer = ines.post(new, {**form, "slug": "people"})
    assert (answer.status_code, "already has a page at the address people" in answer.text) == (422, True)
    assert ines.post(new, form).status_code == 303
    with bare.write() as session:
        assert session.scalars(select(Assignment.slug)).one() == "people-2"
