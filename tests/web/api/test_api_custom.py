"""Comparisons and custom games by the API; every answer is as its document says."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from grader.store.models import Assignment, Submission
from tests.web.contract import ApiClient
from tests.web.practice.test_compare import add_pair, new_version
from tests.web.practice.test_custom_games import played
from tests.web.records import disqualified, whole
from tests.web.school import School
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.store.jobs import JobState
from tournament.store.tables import VersionComparison

Clients: TypeAlias = Callable[[str | None], ApiClient]


@pytest.fixture
def client(school: School) -> Clients:
    """A client with a token of that person."""
    return lambda login: ApiClient(school.app, school.token(login) if login else None)


def test_a_submission_is_compared_followed_and_cancelled(school: School, client: Clients) -> None:
    entry, submission = school.enter("ada"), new_version(school)
    ada = client("ada")
    begun = ada.post(f"/submissions/{submission}/comparison")
    assert begun.status_code == 200
    assert (begun.json["state"], begun.json["answer"], begun.json["estimate"]) == ("queued", "open", None)
    assert (begun.json["entry_id"], begun.json["submission_id"]) == (entry, submission)
    assert begun.json["sentence"].startswith("Too early to say")
    comparison = begun.json["id"]
    better, worse = whole(), whole()
    better.places[0], worse.places[0] = 1, 2
    for number in range(25):
        add_pair(school, comparison, number, better, worse)
    found = ada.get(f"/comparisons/{comparison}").json
    assert (found["answer"], found["pairs"], found["new_wins"], found["old_wins"]) == ("better", 25, 25, 0)
    assert 0 < found["estimate"]["low"] < found["estimate"]["mean"] == 1
    assert ada.post(f"/comparisons/{comparison}/cancel").json["state"] == "cancelled"
    assert ada.post(f"/submissions/{submission}/comparison").json["state"] == "queued"
    school.change(VersionComparison, comparison, state=JobState.PARKED, trouble="SandboxError: broken")
    assert "because of an internal error" in ada.get(f"/comparisons/{comparison}").json["note"]
    for login, status in (("ben", 403), ("otto", 404), ("ines", 200)):
        assert client(login).get(f"/comparisons/{comparison}").status_code == status
    assert client("ines").post(f"/comparisons/{comparison}/cancel").status_code == 403


def test_what_cannot_be_compared_is_a_conflict_with_a_word_for_it(school: School, client: Clients) -> None:
    submission, ada = new_version(school), client("ada")
    path = f"/submissions/{submission}/comparison"
    assert ada.post(path).json["error"]["code"] == "no_entry"
    school.enter("ada")
    assert ada.post(f"{path}?tournament=999999").json["error"]["code"] == "no_tournament"
    assert ada.post(f"{path}?tournament=first").status_code == 422
    school.change(Submission, submission, qualifies=False)
    refused = ada.post(path)
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "not_qualified")
    assert client("ben").post(path).status_code == 403


def test_a_custom_game_is_asked_for_played_and_shared(school: School, client: Clients) -> None:
    entry, ada = school.enter("ada"), client("ada")
    path = f"/tournaments/{school.tournament}/custom-games"
    seats = [{"entry": entry}, *({"entry": bot} for bot in school.bots()[:3])]
    asked = ada.post(path, json={"seats": seats, "seed": 42})
    assert asked.status_code == 201
    assert (asked.json["state"], asked.json["seed"], asked.json["shared_url"]) == ("queued", 42, None)
    assert [seat["mine"] for seat in asked.json["seats"]] == [True, False, False, False]
    game = asked.json["id"]
    assert asked.headers["Location"] == f"/api/v1/custom-games/{game}"
    assert ada.get(f"/custom-games/{game}/record").json["error"]["code"] == "not_played"
    assert ada.get(f"/custom-games/{game}/replay").json["error"]["code"] == "not_played"
    assert ada.post(f"/custom-games/{game}/share").json["error"]["code"] == "not_played"
    played(school, game, whole())
    assert ada.get(f"/custom-games/{game}").json["state"] == "done"
    verify(find_game("bo"), Record.from_json(ada.get(f"/custom-games/{game}/record").json))
    assert f"<h1>Custom game {game}</h1>" in ada.get(f"/custom-games/{game}/replay").text
    shared = ada.post(f"/custom-games/{game}/share").json["shared_url"]
    assert school.browser(None).get(shared, follow_redirects=True).status_code == 200
    assert client("ines").post(f"/custom-games/{game}/unshare").status_code == 403
    assert ada.post(f"/custom-games/{game}/unshare").json["shared_url"] is None
    assert school.browser(None).get(f"{shared}plays/0").status_code == 404
    found = ada.get(path).json
    assert ([each["id"] for each in found["games"]], found["quota"], found["left"]) == ([game], 20, 19)
    assert client("ben").get(path).json["games"] == []
    assert client("ben").get(f"/custom-games/{game}").status_code == 403


def test_others_insides_are_not_in_the_record(school: School, client: Clients) -> None:
    ada = client("ada")
    seats = [
        {"entry": school.enter("ada")},
        {"entry": school.enter("ben")},
        *({"entry": bot} for bot in school.bots()[:2]),
    ]
    game = ada.post(f"/tournaments/{school.tournament}/custom-games", json={"seats": seats}).json["id"]
    played(school, game, disqualified(1))
    outputs = [output["text"] for output in ada.get(f"/custom-games/{game}/record").json["outputs"]]
    assert outputs[0]
    assert outputs[1:] == [""] * 3


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"seats": []}, 422, "invalid"),
        ({"seats": [{"entry": 1}] * 4, "seed": "many"}, 422, "invalid"),
        ({"seats": [{"entry": 0}] * 4}, 422, "invalid"),
        ({"seats": [{"entry": 2**40}] * 4}, 422, "invalid"),
        ({"seats": [{"entry": 1}] * 4, "seed": -1}, 422, "invalid"),
        ({"seats": [{"entry": 1}] * 4, "seed": 2**53}, 422, "invalid"),
        ({"seats": [{}] * 4}, 422, "invalid"),
        ({"seats": [{"entry": 1, "submission": 1}] * 4}, 422, "invalid"),
        ({"seats": [{"entry": 1}] * 3}, 409, "bad_table"),
        ({"seats": [{"submission": 999999}] * 4}, 409, "bad_table"),
    ],
)
def test_what_makes_no_sense_is_refused(school: School, client: Clients, body: Any, status: int, code: str) -> None:
    answer = client("ada").post(f"/tournaments/{school.tournament}/custom-games", json=body)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)


def test_the_quota_is_answered_with_when_to_come_again(school: School, client: Clients) -> None:
    ada, path = client("ada"), f"/tournaments/{school.tournament}/custom-games"
    body = {"seats": [{"entry": bot} for bot in school.bots()]}
    school.change(Assignment, school.assignment, custom_games_hour=1)
    assert ada.post(path, json=body).status_code == 201
    refused = ada.post(path, json=body)
    assert (refused.status_code, refused.json["error"]["code"]) == (429, "quota_used")
    assert 3540 < int(refused.headers["Retry-After"]) == refused.json["error"]["retry_after_s"] <= 3600
    school.change(Assignment, school.assignment, custom_games_hour=0)
    assert ada.post(path, json=body).json["error"]["code"] == "switched_off"


def test_a_batch_is_asked_for_followed_and_cancelled(school: School, client: Clients) -> None:
    entry, ada = school.enter("ada"), client("ada")
    path = f"/tournaments/{school.tournament}/custom-batches"
    table = [{"entry": each} for each in (entry, *school.bots()[:3])]
    asked = ada.post(path, json={"seats": table, "deals": 3, "seed": 5})
    assert (asked.status_code, asked.json["pending"], asked.json["seconds_left"]) == (201, True, None)
    batch, games = asked.json["id"], asked.json["games"]
    assert asked.headers["Location"] == f"/api/v1/custom-batches/{batch}"
    assert [next(each["seat"] for each in game["seats"] if each["mine"]) for game in games] == [0, 3, 2]
    played(school, games[0]["id"], disqualified(0))
    assert ada.post(f"/custom-batches/{batch}/cancel").json["not_played"] == 2
    found = ada.get(f"/custom-batches/{batch}").json
    assert ada.get(path).json == {"batches": [found]}
    assert (found["pending"], found["played"], found["seconds_left"]) == (False, 1, 0.0)
    assert [each["faults"] for each in found["players"]] == [1, 0, 0, 0]
    assert [each["games"] for each in found["players"]] == [1, 0, 0, 0], "what others did there says nothing"
    assert ada.post(path, json={"seats": table, "deals": 20}).json["error"]["code"] == "quota_used"
    assert ada.post(path, json={"seats": table, "deals": 21}).status_code == 422
    for login, status in (("ben", 403), ("otto", 404), ("ines", 200)):
        assert client(login).get(f"/custom-batches/{batch}").status_code == status
    assert client("ines").post(f"/custom-batches/{batch}/cancel").status_code == 403
