"""The API of the people of a course; answers are held to the document."""

import pytest

from tests.web.contract import ApiClient
from tests.web.school import Browser, School


@pytest.fixture(params=["assignment", "course"])
def path(school: School, request: pytest.FixtureRequest) -> str:
    """The people of a course below one of its assignments, and below the course."""
    return f"/assignments/{school.assignment}/people" if request.param == "assignment" else "/courses/comp10001/people"


def test_the_class_is_listed_for_its_instructors(school: School, path: str) -> None:
    school.enter("ada", games=3, wins=1)
    assert ApiClient(school.app, school.token("ada")).get(path).status_code == 403
    listed = ApiClient(school.app, school.token("ines")).get(path).json["students"]
    assert [(each["login"], each["uploads"], each["entry_state"], each["rank"]) for each in listed] == [
        ("ada", 1, "active", 1) if path.startswith("/assignments") else ("ada", 1, None, None),
        ("ben", 0, None, None),
        ("cleo", 0, None, None),
    ]


def test_people_are_added_all_or_none(school: School, path: str) -> None:
    ines = ApiClient(school.app, school.token("ines"))
    eve, names = {"login": "eve", "name": "Eve"}, ("ada", "otto")
    others = [{"login": login, "name": login} for login in names]
    refused = ines.post(path, json={"people": [eve, {"login": "e e", "name": "E"}]})
    assert (refused.status_code, refused.json["error"]["code"]) == (422, "invalid")
    assert [field["name"] for field in refused.json["error"]["fields"]] == ["people.1.login"]
    refused = ines.post(path, json={"people": [eve, {"login": "eve", "name": "E"}]})
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "bad_people")
    assert ApiClient(school.app, school.token("ada")).post(path, json={"people": [eve]}).status_code == 403
    added = ines.post(path, json={"people": [eve, *others]})
    assert (added.status_code, added.headers["Cache-Control"]) == (201, "no-store")
    account = added.json.pop("accounts")[0]
    assert Browser(school.app).sign_in("eve", account["password"]).status_code == 303
    assert {**added.json, "accounts": []} == {
        "accounts": [],
        "invited": [],
        "joined": ["otto"],
        "updated": [],
        "present": ["ada"],
        "removed": [],
    }
    again = ines.post(path, json={"people": [eve, *others]}).json
    assert (again["accounts"], again["joined"], again["present"]) == ([], [], ["eve", *names])


def test_before_the_first_assignment_people_are_added_get_roles_and_choose_pseudonyms(school: School) -> None:
    ines = ApiClient(school.app, school.token("ines"))
    assert school.browser("ines").post(f"/assignments/{school.assignment}/delete", {"confirm": "on"}).status_code == 303
    people = "/courses/comp10001/people"
    assert ines.post(people, json={"people": [{"login": "eve", "name": "Eve"}]}).status_code == 201
    assert ines.call("PUT", f"{people}/{school.people['ben']}/role", json={"role": "tutor"}).status_code == 200
    assert [each["login"] for each in ines.get(people).json["students"]] == ["ada", "cleo", "eve"]
    ada, own = ApiClient(school.app, school.token("ada")), "/courses/comp10001/pseudonym"
    assert ada.call("PUT", own, json={"pseudonym": "Jade Newt"}).json == {"pseudonym": "Jade Newt"}
    assert ada.call("PUT", "/courses/other/pseudonym", json={"pseudonym": "Jade Newt"}).status_code == 404
