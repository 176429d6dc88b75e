"""What nobody can mean is refused, and is not an internal error: numbers and texts that no database keeps."""

import re
from dataclasses import replace

import pytest

from tests.web.contract import ApiClient
from tests.web.records import disqualified
from tests.web.reports import HIDDEN, report
from tests.web.school import School
from tournament.play.record import Output
from web.models import Membership

HUGE = 10**30
NUL = "a\0b"


@pytest.mark.both_databases
def test_no_address_with_a_huge_number_exists(school: School) -> None:
    browser, token = school.browser("ines"), {"Authorization": f"Bearer {school.token('ines')}"}
    numbered = [rule for rule in school.app.url_map.iter_rules() if "<int:" in str(rule)]
    assert len(numbered) > 50
    for rule in numbered:
        for huge in (2**63, HUGE):
            path = re.sub(r"<\w+>", "new", re.sub(r"<int:\w+>", str(huge), str(rule)))
            for method in {"GET", "POST", "PUT", "DELETE"} & (rule.methods or set()):
                answer = browser.client.open(path, method=method, headers=token, json={})
                assert answer.status_code in (400, 404), (method, path)  # 400: the form lacks its token


@pytest.mark.both_databases
@pytest.mark.parametrize("given", [str(HUGE), str(2**31), "-1", NUL, "x"])
def test_no_query_is_our_fault(school: School, given: str) -> None:
    browser, assignment, tournament = school.browser("ines"), school.assignment, school.tournament
    for path, name in (
        ("/notices/", "before"),
        (f"/entries/{school.bots()[0]}/", "before"),
        (f"/assignments/{assignment}/manage/", "before"),
        (f"/assignments/{assignment}/manage/", "who"),
        (f"/tournaments/{tournament}/custom-games/", "seat"),
    ):
        status = browser.get(path, query_string={name: given}).status_code
        assert status == (400 if given == NUL else 200), (path, name)


@pytest.mark.both_databases
@pytest.mark.parametrize("given", [str(HUGE), NUL])
def test_no_form_is_our_fault(school: School, given: str) -> None:
    browser, manage = school.browser("ines"), f"/assignments/{school.assignment}"
    for path, field in (
        ("/notices/read", "up_to"),
        (f"{manage}/manage/tournament", "tournament"),
        (f"{manage}/settings/exclusions", "tournament"),
        ("/account/tokens", "label"),
    ):
        answer = browser.post(path, {field: given, "do": "pause"})
        assert answer.status_code < 500, (path, answer.text)
    assert "NUL" in browser.post("/account/tokens", {"label": NUL}).text


def test_a_stranger_cannot_cause_faults_of_ours(school: School) -> None:
    assert school.browser(None).post("/sign-in", {"login": NUL, "password": "x"}, form="/sign-in").status_code == 400


@pytest.mark.parametrize("minutes", [1e308, 1e15, -1e308])
def test_huge_minutes_are_refused(school: School, minutes: float) -> None:
    body = {"login": "ada", "minutes": minutes, "reason": "ill"}
    answer = ApiClient(school.app, school.token("ines")).post(f"/tournaments/{school.tournament}/exclusions", json=body)
    assert answer.status_code == 422


@pytest.mark.both_databases
@pytest.mark.parametrize("field", ["login", "reason"])
def test_json_without_nul(school: School, field: str) -> None:
    body = {"login": "ada", "minutes": 5, "reason": "ill", field: NUL}
    answer = ApiClient(school.app, school.token("ines")).post(f"/tournaments/{school.tournament}/exclusions", json=body)
    assert answer.status_code == 422


PAYLOAD = "\"'><img src=x onerror=alert(1)>{{7*7}}"


def test_nothing_that_people_write_becomes_markup(school: School) -> None:
    for login in ("ada", "ben"):
        with school.write() as session:
            member = session.get_one(Membership, (school.people[login], school.course))
            member.pseudonym = member.user.name = PAYLOAD
    said = replace(HIDDEN, message=PAYLOAD, call=PAYLOAD, got=PAYLOAD, traceback=PAYLOAD, output=PAYLOAD)
    submission = school.graded("ada", report(replace(said, hidden=False), said, notes=(PAYLOAD,)), filename=PAYLOAD)
    entries = [school.enter(login, name=PAYLOAD) for login in ("ada", "ben")]
    record = replace(disqualified(0), seats=[PAYLOAD] * 4)
    record.faults[0] = replace(record.faults[0], message=PAYLOAD, call=PAYLOAD, got=PAYLOAD, traceback=PAYLOAD)
    game = school.play(*entries, *school.bots()[:2], record=replace(record, outputs=[Output(PAYLOAD)] * 4))
    assignment, tournament = f"/assignments/{school.assignment}", f"/tournaments/{school.tournament}"
    shown = 0
    for login in ("ada", "ines"):
        browser = school.browser(login)
        for path in (
            "/", "/courses/comp10001/bo/", f"/submissions/{submission}/", f"/entries/{entries[0]}/", f"{tournament}/",
            f"/games/{game}/plays/12", f"/games/{game}/plays/12?part=film", f"{tournament}/custom-games/",
            f"{tournament}/bracket/", f"{tournament}/standings.csv", f"{assignment}/manage/?who=%22%3E%3Cimg",
            f"{assignment}/people/", f"{assignment}/settings/", f"{assignment}/final/",
            "/sign-in?next=/%22%3E%3Cimg%20src=x",
        ):  # fmt: skip
            answer = browser.get(path)
            if answer.mimetype != "text/csv":
                markup = "".join(answer.json["parts"]) if answer.json else answer.text
                assert "<img src=x" not in markup, path
                shown += "&lt;img src=x" in markup
    assert shown > 10
