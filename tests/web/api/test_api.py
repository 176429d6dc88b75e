"""The API: what it does, and that every answer is as its document says."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any, TypeAlias

import pytest
from openapi_spec_validator import validate

from grader.store.models import Assignment, Submission
from sandbox.api import Verdict
from tests.web.contract import ApiClient
from tests.web.records import disqualified, whole
from tests.web.reports import PASSED, bad, good, report
from tests.web.school import School
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState, Tournament, TournamentState

Clients: TypeAlias = Callable[[str | None], ApiClient]
SOURCE = "def comp10001bo_play():\n    return None\n"


@pytest.fixture
def client(school: School) -> Clients:
    """A client with a token of that person, or with none."""
    return lambda login: ApiClient(school.app, school.token(login) if login else None)


@pytest.fixture
def path(school: School) -> str:
    """Where submissions go."""
    return f"/assignments/{school.assignment}/submissions"


def test_the_document_is_an_openapi_document(client: Clients) -> None:
    validate(client(None).document)


def test_every_route_is_described_and_every_description_a_route(school: School, client: Clients) -> None:
    rules = [rule for rule in school.app.url_map.iter_rules() if rule.endpoint.startswith("api.")]
    routes = {
        (str(rule).removeprefix("/api/v1").replace("<int:", "{").replace("<", "{").replace(">", "}"), method.lower())
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    paths = client(None).document["paths"]
    assert {(path, method) for path in paths for method in paths[path]} == routes - {("/openapi.json", "get")}


# Submitting


def test_text_is_submitted(school: School, client: Clients, path: str) -> None:
    answer = client("ada").post(path, json={"source": SOURCE, "filename": "my.py", "enter": True})
    assert answer.status_code == 201
    assert (answer.json["state"], answer.json["filename"], answer.json["position"]) == ("queued", "my.py", 1)
    assert answer.json["wants_entry"]
    assert answer.headers["Location"] == f"/api/v1/submissions/{answer.json['id']}"
    assert school.sent == ["grader.grade"]


def test_a_file_is_submitted(client: Clients, path: str) -> None:
    form = {"file": (BytesIO(SOURCE.encode()), "/tmp/player.py"), "enter": "true"}
    answer = client("ada").post(path, data=form, content_type="multipart/form-data")
    assert (answer.status_code, answer.json["filename"], answer.json["wants_entry"]) == (201, "player.py", True)


@pytest.mark.both_databases
def test_repeated_with_its_key_it_is_the_same_submission(client: Clients, path: str) -> None:
    ada, key = client("ada"), {"Idempotency-Key": "k1"}
    first = ada.post(path, json={"source": SOURCE}, headers=key)
    assert ada.post(path, json={"source": SOURCE}, headers=key).json["id"] == first.json["id"]
    assert ada.post(path, json={"source": SOURCE}).json["id"] != first.json["id"]
    assert client("ben").post(path, json={"source": SOURCE}, headers=key).json["id"] != first.json["id"]
    reused = ada.post(path, json={"source": "x = 2"}, headers=key)
    assert (reused.status_code, reused.json["error"]["code"]) == (409, "key_reused")


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"json": {}}, 422, "invalid"),
        ({"json": {"source": 5}}, 422, "invalid"),
        ({"json": {"source": SOURCE, "enter": "perhaps"}}, 422, "invalid"),
        ({"json": {"source": SOURCE, "more": 1}}, 422, "invalid"),
        ({"data": b"{", "content_type": "application/json"}, 422, "invalid"),
        ({"data": {"enter": "true"}, "content_type": "multipart/form-data"}, 422, "invalid"),
        ({"data": SOURCE, "content_type": "text/x-python"}, 415, "unsupported_media_type"),
        ({"json": {"source": ""}}, 422, "empty_file"),
        ({"json": {"source": "x\0y"}}, 422, "not_text"),
        ({"json": {"source": "# coding: utf-7\n"}}, 422, "not_utf8"),
        ({"json": {"source": "# x\rprint()\n"}}, 422, "old_line_ends"),
        ({"json": {"source": "#" * (300 << 10)}}, 413, "too_large"),
        ({"json": {"source": "#" * (3 << 20)}}, 413, "too_large"),
        ({"json": {"source": SOURCE}, "headers": {"Idempotency-Key": "k" * 201}}, 400, "bad_request"),
    ],
)
def test_what_cannot_be_accepted_is_refused_with_the_reason(
    client: Clients, path: str, request_: Any, status: int, code: str
) -> None:
    answer = client("ada").post(path, **request_)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)
    assert answer.json["error"]["message"]


def test_a_wrong_field_is_named(client: Clients, path: str) -> None:
    fields = client("ada").post(path, json={"source": 5}).json["error"]["fields"]
    assert [field["name"] for field in fields] == ["source"]


def test_during_the_exclusion_it_takes_an_upload_and_says_when_it_can_enter(
    school: School, client: Clients, path: str
) -> None:
    school.enter("ada", ago=timedelta(minutes=5))
    ada = client("ada")
    taken = ada.post(path, json={"source": SOURCE, "enter": True})
    assert taken.status_code == 201
    assert [240 < each["excluded_s"] <= 300 for each in taken.json["outcomes"]] == [True]
    assert "Retry-After" not in ada.get(f"/assignments/{school.assignment}").headers
    assert 240 < ada.get(f"/assignments/{school.assignment}").json["excluded_s"] <= 300
    assert ada.post(path, json={"source": SOURCE}).status_code == 201, "tests are always possible"


def test_a_closed_tournament_is_a_conflict(school: School, client: Clients, path: str) -> None:
    school.change(Tournament, school.tournament, state=TournamentState.CLOSED)
    answer = client("ada").post(path, json={"source": SOURCE, "enter": True})
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "no_tournament")


def test_too_many_requests_are_refused(client: Clients, path: str) -> None:
    ada = client("ada")
    key = {"Idempotency-Key": "k"}
    answers = [ada.post(path, json={"source": SOURCE}, headers=key) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    assert answers[-1].json["error"]["code"] == "too_many_requests"
    assert client("ben").post(path, json={"source": SOURCE}).status_code == 201


# Reading


def test_a_submission_on_its_way(school: School, client: Clients, path: str) -> None:
    id_, ada = school.upload("ada"), client("ada")
    address = f"/submissions/{id_}"
    assert ada.get(address).json["position"] == 1
    assert ada.get(address + "/report").json["error"]["code"] == "not_graded"
    school.change(
        Submission, id_, state=JobState.RUNNING, progress={"done": 1, "total": 9, "failed": 0, "questions": []}
    )
    assert ada.get(address).json["progress"] == {"done": 1, "total": 9, "failed": 0, "not_run": 0}
    school.change(Submission, id_, state=JobState.PARKED, attempts=3)
    assert "internal error" in ada.get(address).json["note"]
    assert ada.get(address + "/report").status_code == 409
    assert [each["id"] for each in ada.get(path).json["submissions"]] == [id_]


def test_a_report(school: School, client: Clients) -> None:
    report = client("ada").get(f"/submissions/{school.graded('ada', bad())}/report").json
    assert report["qualifies"] is False
    (question,) = report["questions"]
    assert (question["slug"], question["passed"], question["total"]) == ("q1", 1000, 1002)
    assert {"call", "expected", "got", "verdict", "message", "cpu_ms"} <= question["cases"][0].keys()


def test_the_calls_of_a_report_can_be_typed(school: School, client: Clients) -> None:
    id_ = school.graded("ada", report(replace(PASSED, call="kotc_turn(['6H'], '6C', [], [5])")))
    school.change(Assignment, school.assignment, game="kotc")
    (question,) = client("ada").get(f"/submissions/{id_}/report").json["questions"]
    assert question["cases"][0]["call"] == "kotc.turn(KOTCBot, ['6H'], '6C', [], [5])"


def test_a_graded_submission_is_entered(school: School, client: Clients) -> None:
    ada, id_ = client("ada"), school.graded("ada", good())
    entered = ada.post(f"/submissions/{id_}/entry")
    assert entered.status_code == 200
    assert ada.post(f"/submissions/{id_}/entry").json["entry_id"] == entered.json["entry_id"], "once is enough"
    school.change(Entry, entered.json["entry_id"], state=EntryState.REPLACED)
    assert ada.post(f"/submissions/{id_}/entry").status_code == 429
    failed = ada.post(f"/submissions/{school.graded('ada', bad())}/entry")
    assert (failed.status_code, failed.json["error"]["code"]) == (409, "not_qualified")


@pytest.mark.both_databases
def test_the_leaderboard(school: School, client: Clients) -> None:
    school.enter("ada", games=100, wins=40)
    school.enter("ben", games=0)
    path = f"/tournaments/{school.tournament}/leaderboard"
    board = client("ada").get(path).json
    assert (board["ranking"], board["trust"]) == ("win rate", None)
    rows = {row["name"]: row for row in board["rows"]}
    ada, ben = rows["ada-the-pseudonym"], rows["ben-the-pseudonym"]
    assert (ada["rank"], ada["win_rate"], ada["mine"], ada["student"]) == (1, 0.4, True, None)
    assert (ada["rank_interval"], ada["group"], ada["value"], ada["rating"]) == ([1, 1], 1, 0.4, None)
    assert (ben["rank"], ben["win_rate"], ben["mine"]) == (None, None, False)
    assert sum(row["house_bot"] for row in rows.values()) == 4
    named = {row["name"]: row["student"] for row in client("ines").get(path).json["rows"]}
    assert named["ben-the-pseudonym"] == {"login": "ben", "name": "Ben Realname"}


@pytest.mark.both_databases
def test_games_page_by_page(school: School, client: Clients) -> None:
    own, bots = school.enter("ada"), school.bots()[:3]
    games = [school.play(own, *bots, record=record) for record in (whole(), whole(), disqualified(0))]
    ada, path = client("ada"), f"/entries/{own}/games"
    first = ada.get(f"{path}?limit=2").json
    assert [game["id"] for game in first["games"]] == games[:0:-1]
    assert first["before"] == games[1]
    rest = ada.get(f"{path}?limit=2&before={first['before']}").json
    assert ([game["id"] for game in rest["games"]], rest["before"]) == ([games[0]], None)
    assert first["games"][0]["seats"][0]["verdict"] == "RTE"
    assert "secret" in first["games"][0]["seats"][0]["message"]
    assert "secret" not in client("ben").get(path).text


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "before=0", "before=-1", "more=1"])
def test_a_query_that_means_nothing_is_refused(school: School, client: Clients, query: str) -> None:
    assert client("ada").get(f"/entries/{school.enter('ada')}/games?{query}").status_code == 422


def test_a_record_replays_and_keeps_secrets(school: School, client: Clients) -> None:
    own, bots = school.enter("ada"), school.bots()[:3]
    record = client("ben").get(f"/games/{school.play(own, *bots, record=whole())}/record").json
    verify(find_game("bo"), Record.from_json(record))
    secret = f"/games/{school.play(own, *bots, record=disqualified(0, Verdict.RTE))}/record"
    assert "secret" in client("ada").get(secret).text
    assert "secret" not in client("ben").get(secret).text


# Who may


def test_who_may_see_what(school: School, client: Clients, path: str) -> None:
    submission, entry = school.graded("ada", good()), school.enter("ada")
    game = school.play(entry, *school.bots()[:3], record=whole())
    table = {  # nobody, author, fellow student, instructor, another course
        "/assignments": (401, 200, 200, 200, 200),
        f"/assignments/{school.assignment}": (401, 200, 200, 200, 404),
        path: (401, 200, 200, 200, 404),
        f"/submissions/{submission}": (401, 200, 403, 200, 404),
        f"/submissions/{submission}/report": (401, 200, 403, 200, 404),
        f"/tournaments/{school.tournament}/leaderboard": (401, 200, 200, 200, 404),
        f"/entries/{entry}/games": (401, 200, 200, 200, 404),
        f"/games/{game}/record": (401, 200, 200, 200, 404),
        f"/games/{game}/replay": (401, 200, 200, 200, 404),
        "/games/999999/record": (401, 404, 404, 404, 404),
    }
    clients = [client(login) for login in (None, "ada", "ben", "ines", "otto")]
    for address, statuses in table.items():
        assert tuple(each.get(address).status_code for each in clients) == statuses, address
    entering = tuple(each.post(f"/submissions/{submission}/entry").status_code for each in clients)
    assert entering == (401, 429, 403, 403, 404)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", "Basic YTpi", "bearer  "])
def test_a_token_is_needed(school: School, header: str) -> None:
    client = ApiClient(school.app, None)
    answer = client.get("/assignments", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_signed_in_browser_is_nobody_here(school: School) -> None:
    assert school.browser("ada").get("/api/v1/assignments").status_code == 401


def test_faults_of_ours_and_strangers_get_the_answers_described(school: School, client: Clients) -> None:
    ada, otto, nobody = client("ada"), client("otto"), client(None)
    operations = [(method.upper(), path) for path, each in ada.document["paths"].items() for method in each]
    calls = [(method, re.sub(r"{\w+}", "1", path)) for method, path in operations]
    for method, path in calls:
        assert nobody.call(method, path).status_code == 401
        assert otto.call(method, path, json={"source": SOURCE}).status_code == (404 if "1" in path else 200), path
    with school.write() as session:
        session.connection().exec_driver_sql("ALTER TABLE api_token RENAME TO secret_name")
    for method, path in calls:
        answer = ada.call(method, path)
        assert (answer.status_code, answer.json["error"]["code"]) == (500, "our_fault")
        assert "api_token" not in answer.text


def test_addresses_that_do_not_exist_answer_in_json(school: School) -> None:
    client = school.app.test_client()
    for method, path, status in (("GET", "/api/v1/nothing", 404), ("DELETE", "/api/v1/assignments", 405)):
        answer = client.open(path, method=method)
        assert (answer.status_code, answer.json["error"]["code"] != "error") == (status, True)
