"""The API of entries, notices, a ladder's settings, exclusions and the watch; answers are held to the document."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

import pytest

from tests.web.contract import ApiClient
from tests.web.school import School
from tournament.store.notices import tell
from tournament.store.tables import Tournament, Watch
from tournament.watch.watches import FilesFound, Found, PairFound, watch_due

Clients: TypeAlias = Callable[[str], ApiClient]
SETTINGS = {
    "exclusion_minutes": 10.0,
    "out_exclusion_minutes": 2.0,
    "fault_limit": 10,
    "target_games": 400,
    "active_limit": 1,
    "ranking": "win rate",
}


@pytest.fixture
def client(school: School) -> Clients:
    return lambda login: ApiClient(school.app, school.token(login))


@pytest.fixture
def ladder(school: School) -> str:
    return f"/tournaments/{school.tournament}"


def test_an_entry_is_withdrawn_and_reinstated(school: School, client: Clients) -> None:
    own, ada, ben = school.enter("ada", games=4, faults=1), client("ada"), client("ben")
    entry = ada.get(f"/entries/{own}").json
    assert (entry["state"], entry["version"], entry["games"], entry["errors"]) == ("active", 1, 4, 1)
    assert (entry["can_withdraw"], entry["can_reinstate"]) == (True, False)
    assert ben.get(f"/entries/{own}").json["can_withdraw"] is False
    assert ben.post(f"/entries/{own}/withdrawal").status_code == 403
    withdrawn = ada.post(f"/entries/{own}/withdrawal").json
    assert (withdrawn["state"], withdrawn["can_reinstate"]) == ("withdrawn", True)
    again = ada.post(f"/entries/{own}/withdrawal")
    assert (again.status_code, again.json["error"]["code"]) == (409, "conflict")
    assert ada.post(f"/entries/{own}/reinstatement").json["state"] == "active"
    assert school.sent[-1] == "tournament.pair"
    assert ada.post(f"/entries/{own}/reinstatement").status_code == 409


def test_notices_are_listed_and_marked_as_read(school: School, client: Clients) -> None:
    with school.write() as session:
        for number in range(3):
            links = [("assignment", school.assignment, "Enter")]
            tell(session, school.people["ada"], school.assignment, f"No. {number}", "Text.", links)  # type: ignore[arg-type]
    ada = client("ada")
    first = ada.get("/notices").json
    assert [each["subject"] for each in first["notices"]] == ["No. 2", "No. 1", "No. 0"]
    assert first["notices"][0]["links"] == [{"label": "Enter", "url": "http://localhost/courses/comp10001/bo/"}]
    assert (first["unread"], first["before"]) == (3, None)
    assert [each["id"] for each in ada.get("/notices?before=2").json["notices"]] == [1]
    assert client("ben").post("/notices/2/read").status_code == 404
    assert ada.post("/notices/2/read").json["unread"] == 1
    assert ada.get("/notices?before=0").status_code == 422


def test_settings_are_read_and_changed(school: School, client: Clients, ladder: str) -> None:
    ines, path = client("ines"), f"{ladder}/settings"
    assert client("ada").get(path).status_code == 403
    assert ines.get(path).json == SETTINGS
    assert client("ada").call("PUT", path, json=SETTINGS).status_code == 403
    changed = ines.call("PUT", path, json={**SETTINGS, "exclusion_minutes": 0.5, "ranking": "points"})
    assert changed.json == {**SETTINGS, "exclusion_minutes": 0.5, "ranking": "points"}
    with school.write() as session:
        assert session.get_one(Tournament, school.tournament).exclusion_s == 30
    page = school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text
    assert "The ladder: Ranked by</th><td>win rate</td><td>points</td>" in page


@pytest.mark.parametrize(
    ("values", "status", "code"),
    [
        ({"fault_limit": 0}, 422, "invalid"),
        ({"exclusion_minutes": 1e9}, 422, "invalid"),
        ({"target_games": 2, "fault_limit": 3}, 409, "bad_settings"),
        ({"ranking": "beauty"}, 422, "invalid"),
        ({"more": 1}, 422, "invalid"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    client: Clients, ladder: str, values: dict[str, Any], status: int, code: str
) -> None:
    answer = client("ines").call("PUT", f"{ladder}/settings", json={**SETTINGS, **values})
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)
    assert client("ines").get(f"{ladder}/settings").json == SETTINGS


def test_what_takes_players_out_of_play_is_confirmed(school: School, client: Clients, ladder: str) -> None:
    school.enter("ada", games=50, faults=4)
    ines, wanted = client("ines"), {**SETTINGS, "fault_limit": 4}
    refused = ines.call("PUT", f"{ladder}/settings", json=wanted)
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "unconfirmed")
    assert "1 entry would be removed" in refused.json["error"]["message"]
    assert ines.call("PUT", f"{ladder}/settings", json={**wanted, "confirm": True}).json == wanted
    assert ines.call("PUT", f"{ladder}/settings", data="x").status_code == 415


def test_exclusions_of_single_students(school: School, client: Clients, ladder: str) -> None:
    school.enter("ada", ago=timedelta(minutes=1))
    ines, ada, path = client("ines"), client("ada"), f"{ladder}/exclusions"
    assert ines.get(path).json == {"overrides": []}
    given = ines.post(path, json={"login": "ada", "minutes": 30, "reason": "Too many."})
    assert given.status_code == 201
    (row,) = given.json["overrides"]
    assert (row["student"]["login"], row["minutes"], row["reason"]) == ("ada", 30, "Too many.")
    assert ada.get(f"/assignments/{school.assignment}").json["excluded_s"] > 20 * 60
    ines.post(path, json={"login": "ada", "reason": "Ours."})
    assert ada.get(f"/assignments/{school.assignment}").json["excluded_s"] == 0
    for body, status in (
        ({"login": "nobody", "reason": "x"}, 404),
        ({"login": "ben", "reason": "x"}, 409),
        ({"login": "ada", "minutes": -1, "reason": "x"}, 422),
        ({"login": "ada", "minutes": 1, "reason": " "}, 422),
    ):
        assert ines.post(path, json=body).status_code == status
    left = ines.call("DELETE", f"{path}/{row['id']}").json["overrides"]
    assert [each["minutes"] for each in left] == [None]
    assert ines.call("DELETE", f"{path}/999").status_code == 404
    assert ada.call("DELETE", f"{path}/{row['id']}").status_code == 403
    assert ada.get("/notices").json["unread"] == 3


def test_the_watch(school: School, client: Clients, ladder: str) -> None:
    school.enter("ada")
    ines, path = client("ines"), f"{ladder}/watch"
    before = ines.get(path).json
    assert (before["waiting"], before["found"]) == (False, None)
    asked = ines.post(path)
    assert (asked.status_code, asked.json["waiting"]) == (202, True)
    school.read_files()
    watch_due(school.sessions)
    done = ines.get(path).json
    assert (done["waiting"], done["found"]["compared"]) == (False, 1)
    ada, ben = school.people["ada"], school.people["ben"]
    pair = PairFound(
        kind="helps", one=ada, other=ben, blocks=9, games=36, wins=30, expected=9.5, chance=0.001, telling=[(7, 0.9)]
    )
    files = FilesFound(people=[ada, 999], exact=True, share=1.0)
    found = Found(games=9, pairs=1, tested=1, detectable=0.2, suspicions=[pair], files=[files], compared=3)
    school.change(Watch, school.tournament, found=found.model_dump(mode="json"))
    seen = ines.get(path).json
    assert seen["found"]["suspicions"][0]["telling"] == [[7, 0.9]]
    assert {person["login"] for person in seen["students"].values()} == {"ada", "ben"}
    assert client("ada").get(path).status_code == 403
    assert client("ada").post(path).status_code == 403
