"""An assignment that students do not see: not published yet, shown later, or archived. It exists only for
instructors, everywhere."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from grader.store.models import Assignment, Submission
from tests.web.reports import good
from tests.web.school import School
from tournament.store.notices import tell

HIDDEN: Mapping[str, dict[str, Any]] = {
    "unpublished": {"version": 0},
    "shown later": {"visible_from": datetime(2099, 1, 1, tzinfo=UTC)},
    "archived": {"archived": True},
}
API = "/api/v1"


@pytest.fixture(params=list(HIDDEN))
def hidden(request: pytest.FixtureRequest, school: School) -> School:
    school.submission = school.graded("ada", good(), version=1)  # type: ignore[attr-defined]
    school.own = school.enter("ada")  # type: ignore[attr-defined]
    school.change(Assignment, school.assignment, **HIDDEN[request.param])
    return school


def addresses(school: School) -> list[str]:
    submission, own = school.submission, school.own  # type: ignore[attr-defined]
    assignment, ladder = f"/assignments/{school.assignment}", f"/tournaments/{school.tournament}"
    return [
        "/courses/comp10001/bo/",
        "/courses/comp10001/bo/rules",
        "/courses/comp10001/bo/starter.py",
        f"/submissions/{submission}/",
        f"/submissions/{submission}/source",
        f"/entries/{own}/",
        f"{assignment}/final/",
        f"{ladder}/",
        f"{ladder}/custom-games/",
    ]


def test_its_pages_do_not_exist_for_students(hidden: School) -> None:
    ada = hidden.browser("ada")
    assert {each: ada.get(each).status_code for each in addresses(hidden)} == dict.fromkeys(addresses(hidden), 404)
    assert "Comp10001-Bo" not in ada.get("/").text
    assert ada.upload(b"x = 1\n").status_code == 404


def test_nor_does_it_in_the_api(hidden: School) -> None:
    client, token = hidden.browser("ada").client, {"Authorization": f"Bearer {hidden.token('ada')}"}
    submission, own = hidden.submission, hidden.own  # type: ignore[attr-defined]
    assert client.get(f"{API}/assignments", headers=token).json == {"assignments": []}
    one = f"{API}/assignments/{hidden.assignment}"
    for each in (one, f"{one}/submissions", f"{API}/submissions/{submission}", f"{API}/submissions/{submission}/report",
                 f"{API}/entries/{own}/games", f"{API}/tournaments/{hidden.tournament}/leaderboard"):  # fmt: skip
        assert client.get(each, headers=token).status_code == 404, each
    assert client.post(f"{one}/submissions", json={"source": "x = 1\n"}, headers=token).status_code == 404
    assert client.post(f"{API}/submissions/{submission}/entry", headers=token).status_code == 404


def test_notices_about_it_stay_but_lead_nowhere_that_fails_badly(hidden: School) -> None:
    with hidden.write() as session:
        tell(
            session, hidden.people["ada"], hidden.assignment, "Something", "", [("assignment", hidden.assignment, "Bo")]
        )
    assert hidden.browser("ada").get("/notices/").status_code == 200


def test_instructors_see_and_reach_it(hidden: School) -> None:
    ines, token = hidden.browser("ines"), {"Authorization": f"Bearer {hidden.token('ines')}"}
    for each in ("/", *(f"/assignments/{hidden.assignment}/{page}/" for page in ("manage", "people", "edit"))):
        assert ines.get(each).status_code == 200, each
    assert ines.client.get(f"{API}/assignments", headers=token).status_code == 200
    with hidden.write() as session:
        assert session.get_one(Submission, hidden.submission).points is not None  # type: ignore[attr-defined]
