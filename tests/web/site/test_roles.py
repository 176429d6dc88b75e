"""Tutors, observers and sections: who sees whose names, and who assigns roles."""

import re
from dataclasses import replace

import pytest

from grader.store.models import sections
from tests.web.contract import ApiClient
from tests.web.reports import good
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from web.api.operations import OPERATIONS
from web.site.models import Membership, Role

NAMES = {"ada": "Ada Realname", "ben": "Ben Realname", "cleo": "Cleo Realname"}


@pytest.fixture
def people(school: School) -> School:
    """Ada is in Tess's section, and nobody in Theo's; Olga observes."""
    staff_of_sections(school)
    for login in ("ada", "ben"):
        school.graded(login, good(), qualifies=True)
        school.enter(login, games=3, wins=1)
    return school


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", set()),
        ("Mon 9", {"mon 9"}),
        (" Mon  9 ;TUE;", {"mon 9", "tue"}),
        ("all", set()),
        ("Mon; All", set()),
        (";;", set()),
    ],
)
def test_sections_are_named_with_semicolons(written: str, meant: set[str]) -> None:
    assert sections(written) == meant


@pytest.mark.parametrize(
    ("login", "seen"),
    [("tess", {"ada"}), ("theo", set()), ("olga", {"ada", "ben", "cleo"}), ("ines", {"ada", "ben", "cleo"})],
)
def test_staff_see_the_names_of_those_whom_they_oversee(people: School, login: str, seen: set[str]) -> None:
    browser, assignment = people.browser(login), f"/assignments/{people.assignment}"
    board = f"/tournaments/{people.tournament}/"
    for path in (f"{assignment}/people/", f"{assignment}/people/people.csv", f"{assignment}/manage/", board):
        text = browser.get(path).text
        uploaded = {"ada", "ben"} if "people" not in path else {*NAMES}
        assert {each for each, name in NAMES.items() if name in text} == seen & uploaded, path
    listed = ApiClient(people.app, people.token(login)).get(f"/assignments/{people.assignment}/people").json
    assert {each["login"] for each in listed["students"]} == seen


def test_a_tutor_without_sections_sees_everybody(people: School) -> None:
    people.change(Membership, (people.people["theo"], people.course), section="")
    text = people.browser("theo").get(f"/assignments/{people.assignment}/people/").text
    assert all(name in text for name in NAMES.values())


def test_a_tutor_changes_no_settings_and_is_shown_none(people: School) -> None:
    text = people.browser("tess").get(f"/assignments/{people.assignment}/manage/").text
    assert "Submissions to" in text
    assert not {"Pause the ladder", "Regrade submissions", "/settings/", "/edit/"} & {*re.findall('[^<>"]+', text)}
    assert "Regrade submissions" in people.browser("ines").get(f"/assignments/{people.assignment}/manage/").text
    home = people.browser("tess").get("/").text
    assert "tutor" in home
    assert "All assignments, and new ones" not in home


def test_an_observer_changes_nothing_by_the_api(people: School) -> None:
    olga, numbers = ApiClient(people.app, people.token("olga")), {"assignment": people.assignment, "user": 1}
    numbers["tournament"] = people.tournament
    known = {"course", *(f"{each}_id" for each in numbers)}
    asked = [each for each in OPERATIONS if each.method != "GET" and {*each.parameters} <= known]
    assert len(asked) > 5
    for each in asked:
        path = re.sub(r"<int:(\w+)_id>", lambda found: str(numbers[found[1]]), each.path)
        path = path.replace("<course>", "comp10001")
        assert olga.call(each.method, path, json={}).status_code == 403, (each.method, path)


def test_instructors_assign_roles_and_sections(people: School) -> None:
    ines, path = people.browser("ines"), f"/assignments/{people.assignment}/people/{people.people['cleo']}/"
    assert ines.post(f"{path}role", {"role": "tutor"}).status_code == 422
    assert ines.post(f"{path}role", {"role": "tutor", "confirm": "yes"}).status_code == 303
    assert ines.post(f"{path}particulars", {"section": "Mon 9"}).status_code == 303
    text = people.browser("cleo").get(f"/assignments/{people.assignment}/people/").text
    assert NAMES["ada"] in text
    assert NAMES["ben"] not in text
    assert "Role of cleo" in ines.get(f"/assignments/{people.assignment}/settings/").text


def test_roles_are_assigned_by_the_api(people: School) -> None:
    path = f"/assignments/{people.assignment}/people/{people.people['ben']}/role"
    assert ApiClient(people.app, people.token("tess")).call("PUT", path, json={"role": "tutor"}).status_code == 403
    ines = ApiClient(people.app, people.token("ines"))
    answer = ines.call("PUT", path, json={"role": "tutor", "section": "Wed; Mon 9"})
    assert (answer.status_code, answer.json) == (200, {"role": "tutor", "section": "Wed; Mon 9"})
    own = f"/assignments/{people.assignment}/people/{people.people['ines']}/role"
    assert ines.call("PUT", own, json={"role": "student"}).status_code == 409
    with people.write() as session:
        assert session.get_one(Membership, (people.people["ben"], people.course)).role is Role.TUTOR


def test_a_file_of_people_has_roles_and_sections(people: School) -> None:
    path = f"/assignments/{people.assignment}/people/add/"
    answer = people.browser("ines").post(
        path, {"people": "login,name,role,section\ntom,Tom,tutor,Mon; Tue\nx,X,boss,\n"}
    )
    assert "write student, tutor, instructor or observer" in answer.text


def test_the_operator_may_keep_new_courses_to_themselves(people: School) -> None:
    kept = people.app.extensions["quadrille"]
    people.app.extensions["quadrille"] = replace(kept, new_courses=False)
    answer = people.browser("ines").get("/new-course/")
    assert (answer.status_code, "operator can create courses" in answer.text) == (403, True)


def main_part(page: str) -> str:
    """What a page says, without the parts that are new each time."""
    return page.partition("<main")[2].partition("</main>")[0]


@pytest.mark.parametrize("login", ["tess", "theo"])
def test_a_tutor_who_guesses_addresses_learns_nothing_of_other_sections(people: School, login: str) -> None:
    """Tess and Theo oversee nobody but Ada: whether a number is Ben's or nobody's makes no difference."""
    bens = people.graded("ben", good())
    browser = people.browser(login)
    for path in (
        "/submissions/{}/",
        "/submissions/{}/code/",
        "/submissions/{}/code/compared/",
        "/submissions/{}/source",
    ):
        answers = [browser.get(path.format(id_)) for id_ in (bens, 999_999)]
        assert [each.status_code for each in answers] == [404, 404], path
        assert len({main_part(each.text) for each in answers}) == 1, path
