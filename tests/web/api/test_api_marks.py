"""The API of marks, extensions and requests: what the pages do, and nothing more."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from tests.web.contract import ApiClient
from tests.web.marks.test_gradebook import change_rules, term
from tests.web.reports import good
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tournament.store.database import now

__all__ = ["term"]


def client(school: School, login: str) -> ApiClient:
    return ApiClient(school.app, school.token(login))


def address(school: School, more: str = "") -> str:
    return f"/assignments/{school.assignment}/marks{more}"


@pytest.mark.both_databases
def test_a_mark_from_the_rubric_to_the_student(term: School) -> None:
    change_rules(term, points_worth="50", percent="10", per="hour", rubric="Style = 5\nbonus Extra = 2")
    ines, ben, one = client(term, "ines"), client(term, "ben"), address(term, f"/{term.people['ben']}")
    found = ines.get(one).json
    assert (found["published"], found["account"]["total"], found["decision"]["revision"]) == (None, 20, 0)
    assert [item["key"] for item in found["rubric"]] == ["r1", "r2"]
    decided = ines.call("PATCH", one, json={"revision": 0, "rubric": {"r1": 4, "r2": 1.5}, "remark": "Short."}).json
    assert (decided["account"]["total"], decided["decision"]["revision"]) == (25.5, 1)
    assert ben.get(one).json == {
        "published_at": None,
        "published": None,
        "account": None,
        "decision": None,
        "rubric": [],
    }
    refused = ines.post(address(term, "/publication"), json={})
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "not_publishable")
    states = ines.get(address(term, "/publication")).json["incomplete"]
    assert {each["login"]: each["why"] for each in states}["cleo"] == ["nothing was uploaded", "“Style” is not marked"]
    assert ines.post(address(term, "/publication"), json={"confirm": True}).json["published_at"]
    own = ben.get(one).json
    assert (own["published"]["total"], own["published"]["remark"], own["account"]) == (25.5, "Short.", None)
    assert sum(step["marks"] or 0 for step in own["published"]["steps"]) == 25.5
    assert client(term, "ada").get(one).status_code == 403
    changed = ines.call("PATCH", one, json={"revision": 1, "rubric": {"r2": None}}).json
    assert (changed["account"]["total"], changed["published"]["total"]) == (24, 25.5)
    assert ines.get(address(term, "/publication")).json["changed"] == 1
    assert ines.call("DELETE", address(term, "/publication")).json["published_at"] is None
    assert ines.call("DELETE", address(term, "/publication")).status_code == 409
    assert ben.get(one).json["published"] is None


def test_overrides_and_excuses_have_reasons_and_are_not_undone_unseen(term: School) -> None:
    ines, one = client(term, "ines"), address(term, f"/{term.people['ada']}")

    def decide(**given: Any) -> tuple[int, Any]:
        answer = ines.call("PATCH", one, json=given)
        return answer.status_code, answer.json

    assert decide(revision=0, override=3)[1]["error"]["code"] == "bad_decision"
    assert decide(revision=0, rubric={"r9": 3})[1]["error"]["message"] == "The rubric has no item “r9”."
    assert decide(revision=0, override=3, reason="ill")[1]["account"]["total"] == 3
    assert decide(revision=0, override=7, reason="x")[1]["error"]["code"] == "changed_meanwhile"
    assert decide(revision=1, excused=True)[1]["account"]["excused"] is True
    assert decide(revision=2, excused=False, override=None)[1]["account"]["total"] == 1
    assert [decide(revision=3, override=value)[0] for value in (-1, "many", 1e9, True)] == [422] * 4


def test_the_gradebooks(term: School) -> None:
    ines = client(term, "ines")
    book = ines.get(address(term)).json
    assert [each["key"] for each in book["columns"]] == ["q1", "points", "total"]
    assert {each["login"]: each["values"]["total"] for each in book["students"]} == {
        "ada": 1,
        "ben": None,
        "cleo": None,
    }
    assert book["students"][2]["notes"] == ["nothing was uploaded"]
    assert (book["found"], book["pages"], book["published_at"]) == (3, 1, None)
    few = ines.get(address(term, "?section=T01&sort=-total&show=missing&who=C")).json
    assert [each["login"] for each in few["students"]] == ["cleo"]
    whole = ines.get(f"/assignments/{term.assignment}/course-marks").json
    assert whole["students"][0]["values"] == {"1": None, str(term.assignment): 1, "total": 1}
    assert [ines.get(address(term, query)).status_code for query in ("?page=0", "?show=x", "?more=1")] == [422] * 3


def test_extensions_are_given_all_or_none(term: School) -> None:
    ines, path = client(term, "ines"), f"/assignments/{term.assignment}/extensions"
    until = (now() + timedelta(days=2)).replace(microsecond=0)
    ben = {"student": "ben@example.org", "until": until.isoformat(), "reason": "ill"}
    refused = ines.post(path, json={"extensions": [ben, {"student": "nobody", "until": until.isoformat()}]})
    assert refused.json["error"]["message"] == "Line 2: no student in this course is “nobody”."
    given = ines.post(path, json={"extensions": [ben]}).json["extensions"]
    assert [(each["login"], each["reason"]) for each in given] == [("ben", "ill")]
    assert until.astimezone(UTC).isoformat()[:19] in given[0]["until"]
    assert ines.post(path, json={"extensions": [{"student": "ben"}]}).json == {"extensions": []}


@pytest.mark.both_databases
def test_a_request_is_made_and_answered(school: School) -> None:
    staff_of_sections(school)
    submission = school.graded("ada", good())
    ada, tess, theo, ines = (client(school, login) for login in ("ada", "tess", "theo", "ines"))
    path, queue = f"/submissions/{submission}/requests", f"/assignments/{school.assignment}/requests"
    asked = {"question": "q1", "kind": "re-mark", "text": "Case 3 is wrong."}
    assert ada.post(path, json={**asked, "question": "q9"}).json["error"]["code"] == "no_question"
    made = ada.post(path, json=asked)
    assert (made.status_code, made.json["state"]) == (201, "open")
    assert ada.post(path, json=asked).json["error"]["code"] == "request_refused"
    assert [each["student"]["login"] for each in tess.get(queue).json["requests"]] == ["ada"]
    assert theo.get(queue).json["requests"] == []
    answer = f"/requests/{made.json['id']}/answer"
    assert theo.post(answer, json={"do": "answer", "answer": "Fixed."}).status_code == 404
    assert tess.post(answer, json={"do": "answer", "answer": "Fixed."}).json["state"] == "answered"
    assert [each["answer"] for each in ada.get(path).json["requests"]] == ["Fixed."]
    assert ada.post(f"/requests/{made.json['id']}/withdrawal").status_code == 409
    second = ada.post(path, json=asked).json["id"]
    assert ada.post(f"/requests/{second}/withdrawal").json["state"] == "withdrawn"
    assert [each["id"] for each in ines.get(f"{queue}?state=withdrawn").json["requests"]] == [second]
    assert ines.get(f"{queue}?page=2").json["requests"] == []


def test_a_tutor_marks_the_rubric_of_their_own_students_only(term: School) -> None:
    change_rules(term, rubric="Style = 5")
    staff_of_sections(term)
    tess, olga = client(term, "tess"), client(term, "olga")
    ada, ben = (address(term, f"/{term.people[login]}") for login in ("ada", "ben"))
    assert [each["login"] for each in tess.get(address(term)).json["students"]] == ["ada"]
    assert [each["login"] for each in tess.get(f"/assignments/{term.assignment}/course-marks").json["students"]] == [
        "ada"
    ]
    assert len(olga.get(address(term)).json["students"]) == 3
    assert tess.call("PATCH", ada, json={"revision": 0, "rubric": {"r1": 4}}).json["account"]["total"] == 5
    assert tess.call("PATCH", ada, json={"revision": 1, "override": 4, "reason": "x"}).status_code == 403
    assert tess.call("PATCH", ben, json={"revision": 0, "rubric": {"r1": 4}}).status_code == 404
    assert tess.get(ben).status_code == 404
    assert olga.call("PATCH", ada, json={"revision": 1, "rubric": {"r1": 1}}).status_code == 403
