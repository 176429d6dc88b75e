"""What nobody can mean is refused, and is not an internal error: numbers and texts that no database keeps."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from io import BytesIO

import pytest

from tests.web.contract import ApiClient
from tests.web.records import disqualified
from tests.web.reports import HIDDEN, report
from tests.web.school import School
from tournament.play.record import Output
from web.api.operations import OPERATIONS
from web.people.enrolment import tidy, why_not_pseudonym
from web.site.inputs import LONGEST, WHOLE
from web.site.models import Membership

pytestmark = pytest.mark.full

HUGE = 10**30
NUL = "a\0b"


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


LONG = "x" * (LONGEST + 1)
TOO_LONG = "is too long: it has"


def unreached(school: School, patch: pytest.MonkeyPatch, method: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The endpoint and the address of everything that takes the method; and which of their views ran, from now on."""
    found, ran = [], list[str]()
    for rule in school.app.url_map.iter_rules():
        if method in (rule.methods or set()) and rule.endpoint != "static":
            found.append((rule.endpoint, re.sub(r"<(\w+:)?\w+>", "1", str(rule))))

            @wraps(school.app.view_functions[rule.endpoint])
            def noted(*_: object, endpoint: str = rule.endpoint, **more: object) -> str:
                ran.append(endpoint)
                return ""

            patch.setitem(school.app.view_functions, rule.endpoint, noted)
    return found, ran


def test_no_view_reads_a_field_of_a_form_that_is_too_long(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, forms = school.browser("ines"), unreached(school, monkeypatch, "POST")
    sent = {"csrf_token": browser.token()}
    for endpoint, path in forms[0]:
        declared = getattr(school.app.view_functions[endpoint], "longer", {})
        limits = {"name": LONGEST, **{name: most for name, most in declared.items() if most < WHOLE}}
        for name, most in limits.items():
            answer = browser.client.post(path, data={**sent, name: "x" * (most + 1)})
            assert (answer.status_code, TOO_LONG in answer.text) == (413, True), (path, name)
        for data in ({"name": LONG}, {LONG: "x"}, {"file": (BytesIO(b"x"), LONG)}):
            answer = browser.client.post(path, data={**sent, **data})
            assert (answer.status_code, TOO_LONG in answer.text) == (413, True), path
        assert answer.is_json == path.startswith("/api/")
    assert len(forms[0]) > 100
    assert not forms[1]


@pytest.mark.parametrize("login", [None, "ines"])
def test_no_view_reads_a_query_header_or_cookie_that_is_too_long(
    school: School, monkeypatch: pytest.MonkeyPatch, login: str | None
) -> None:
    client, pages = school.browser(login).client, unreached(school, monkeypatch, "GET")
    for _, path in pages[0]:
        for more in ({"query_string": {"who": LONG}}, {"query_string": {LONG: ""}}, {"headers": {"Referer": LONG}}):
            assert client.get(path, **more).status_code in ((413,) if login else (413, 303)), (path, list(more))
    with pytest.warns(UserWarning, match="too large"):
        client.set_cookie("another", LONG)
    for _, path in pages[0]:
        assert client.get(path).status_code in ((413,) if login else (413, 303)), path
    assert not pages[1]


def test_a_field_that_may_be_long_is_taken(school: School) -> None:
    source = "x = '" + "y" * 200_000 + "'"
    data = {"text": source, "mode": "test"}
    assert school.browser("ada").post("/courses/comp10001/bo/submissions", data).status_code == 303


def test_every_text_in_json_has_a_limit() -> None:
    bodies = {body for each in OPERATIONS for body in each.bodies.values()}
    assert len(bodies) > 10
    found = [f"{body.__name__}{at}" for body in bodies for at in without_limit(body.model_json_schema())]
    assert found == ["SourceUpload/properties/source"]  # measured by the grader, with a message for its author


def without_limit(schema: object, at: str = "") -> Iterator[str]:
    if isinstance(schema, dict):
        limits = {"maxLength", "enum", "const", "format", "contentMediaType"}
        if schema.get("type") == "string" and limits.isdisjoint(schema):
            yield at
        for name, each in schema.items():
            yield from without_limit(each, f"{at}/{name}")
    elif isinstance(schema, list):
        for each in schema:
            yield from without_limit(each, at)


def test_a_long_pseudonym_is_not_composed() -> None:
    wrong_order = "a" + "\u0315\u0300\u05ae\u0301" * 1000
    assert tidy(wrong_order) == wrong_order
    assert why_not_pseudonym(wrong_order)
    assert tidy("e\u0301  b") == "\u00e9 b"


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
