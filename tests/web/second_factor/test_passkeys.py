"""Passkeys as a second factor: what they prove, and every way in which an answer does not count."""

import html
import json
import re
from collections.abc import Callable
from time import time
from typing import Any

import cbor2
import pyotp
import pytest
from werkzeug.test import TestResponse

from tests.web.school import COOKIE, PASSWORD, TOKEN, Browser, School
from tests.web.second_factor.authenticator import Authenticator
from tests.web.second_factor.test_second_factor import PAGE, RECOVERY, SECOND, begun, set_up, signed_in
from tournament.store.database import reading
from tournament.work import maintenance
from web.second_factor.passkeys import EXTENSION, place_at
from web.second_factor.tables import Passkey, SecondFactor
from web.site.models import User

ADD, REMOVE = f"{PAGE}/passkeys", f"{PAGE}/remove"


def told(browser: Browser, path: str) -> tuple[str, dict[str, Any]]:
    """The token of a page's form, and what the page has passkeys asked: `asked` and `wanted`."""
    page = browser.get(path).text
    found = re.findall(r'data-(asked|wanted)="([^"]+)"', page)
    token = TOKEN.search(page)
    assert token
    return token[1], {name: json.loads(html.unescape(each)) for name, each in found}


def add(browser: Browser, device: Authenticator, present: Authenticator | None = None, **more: Any) -> TestResponse:
    """Add a passkey; `present`: proves it. `more`: of the form, and what is wrong with the answer."""
    token, options = told(browser, PAGE)
    form = {name: more.pop(name) for name in ("name", "password", "made") if name in more}
    form["present"] = more.pop("code", "")
    proof = {"passkey": present.proof(options["asked"])} if present else {}
    made = device.made(options["wanted"], **more)
    sent = {"csrf_token": token, "name": "Laptop", "password": PASSWORD, "made": made, **proof, **form}
    return browser.client.post(ADD, data=sent)


def with_passkey(school: School, login: str, **kind: bool) -> tuple[Authenticator, list[str]]:
    """Somebody's first passkey, and the recovery codes that came with it."""
    device = Authenticator(**kind)
    answer = add(school.browser(login), device)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    return device, RECOVERY.findall(answer.text)


def second_step(browser: Browser, device: Authenticator, **wrong: Any) -> TestResponse:
    token, options = told(browser, SECOND)
    return browser.client.post(SECOND, data={"csrf_token": token, "passkey": device.proof(options["asked"], **wrong)})


def rows(school: School, login: str) -> list[Passkey]:
    with reading(school.sessions) as session:
        return list(session.query(Passkey).filter_by(user_id=school.people[login]))


@pytest.mark.parametrize("kind", [{}, {"counts": False}, {"edwards": True}])
def test_after_the_password_a_passkey_signs_in(school: School, kind: dict[str, bool]) -> None:
    device, recovery = with_passkey(school, "ada", **kind)
    assert len(recovery) == 10
    for _ in range(2):
        browser = begun(school, "ada")
        assert not signed_in(browser)
        assert (second_step(browser, device).status_code, signed_in(browser)) == (303, True)
    [row] = rows(school, "ada")
    assert (row.name, row.sign_count) == ("Laptop", device.signed if device.counts else 0)
    assert row.used_at
    assert begun(school, "ada").post(SECOND, {"code": recovery[0]}, SECOND).status_code == 303


def test_what_a_browser_is_told(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    _, account = told(_signed_in(school, device), PAGE)
    wanted, asked = account["wanted"], account["asked"]
    own = [each["id"] for each in asked["allowCredentials"]]
    assert (wanted["attestation"], wanted["rp"]["id"], asked["rpId"]) == ("none", "localhost", "localhost")
    assert own == [each["id"] for each in wanted["excludeCredentials"]] == [rows(school, "ada")[0].credential]
    assert (asked["userVerification"], "authenticatorSelection" in wanted) == ("preferred", False), "preferred as well"
    assert not {"ada", str(school.people["ada"])} & {wanted["user"]["id"]}


def _signed_in(school: School, device: Authenticator, login: str = "ada") -> Browser:
    browser = begun(school, login)
    assert second_step(browser, device).status_code == 303
    return browser


WRONG = {
    "another origin": {"origin": "https://localhost.example"},
    "the same host with another port": {"origin": "http://localhost:8080"},
    "without HTTPS where it is expected, or the other way round": {"origin": "https://localhost"},
    "another site": {"rp": "example.org"},
    "nobody was there": {"flags": 0},
    "a signature that is none": {"signature": b"\x30\x06\x02\x01\x01\x02\x01\x01"},
    "an answer to another question": {"kind": "webauthn.create"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_wrong_answer_signs_nobody_in(school: School, wrong: dict[str, Any]) -> None:
    device, _ = with_passkey(school, "ada")
    browser = begun(school, "ada")
    answer = second_step(browser, device, **wrong)
    assert (answer.status_code, "was not accepted" in answer.text) == (401, True)
    assert not signed_in(browser)
    assert second_step(browser, device).status_code == 303, "the page asks anew"


def test_the_signature_of_another_key_does_not_count(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    stranger = Authenticator()
    stranger.id = device.id
    assert second_step(begun(school, "ada"), stranger).status_code == 401


def test_another_persons_passkey_does_not_count(school: School) -> None:
    with_passkey(school, "ada")
    theirs, _ = with_passkey(school, "ben")
    assert second_step(begun(school, "ada"), theirs).status_code == 401


def test_a_counter_that_does_not_advance_is_of_a_copy(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    device.signed = 41
    _signed_in(school, device)
    for former in (9, 41):
        device.signed = former
        assert second_step(begun(school, "ada"), device).status_code == 401
    device.counts = False
    assert second_step(begun(school, "ada"), device).status_code == 401, "it has counted before"
    device.counts = True
    assert second_step(begun(school, "ada"), device).status_code == 303


def answer_in(school: School, device: Authenticator) -> tuple[Browser, dict[str, str], str]:
    """A browser at the second step, the form as it would send it, and its cookie."""
    browser = begun(school, "ada")
    token, options = told(browser, SECOND)
    cookie = browser.client.get_cookie(COOKIE)
    assert cookie
    return browser, {"csrf_token": token, "passkey": device.proof(options["asked"])}, cookie.value


def test_an_answer_counts_once_even_with_a_copied_cookie(school: School) -> None:
    device, _ = with_passkey(school, "ada", counts=False)
    browser, form, cookie = answer_in(school, device)
    assert browser.client.post(SECOND, data=form).status_code == 303
    copy = Browser(school.app)
    copy.client.set_cookie(COOKIE, cookie)
    assert copy.client.post(SECOND, data=form).status_code == 401


def test_the_challenge_of_another_session_does_not_count(school: School) -> None:
    device, _ = with_passkey(school, "ada", counts=False)
    _, theirs, _ = answer_in(school, device)
    browser, form, _ = answer_in(school, device)
    answer = browser.client.post(SECOND, data={**form, "passkey": theirs["passkey"]})
    assert answer.status_code == 401


def test_a_challenge_counts_for_ten_minutes(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    device, _ = with_passkey(school, "ada", counts=False)
    browser, form, _ = answer_in(school, device)
    with monkeypatch.context() as later:
        later.setattr("web.second_factor.passkeys.time", lambda: time() + 601)
        assert browser.client.post(SECOND, data=form).status_code == 401


def test_without_a_challenge_nothing_counts(school: School) -> None:
    device, _ = with_passkey(school, "ada", counts=False)
    browser, form, _ = answer_in(school, device)
    with browser.client.session_transaction() as session:
        del session["passkey get"]
    form["passkey"] = device.proof({"challenge": "", "rpId": "localhost"})
    assert browser.client.post(SECOND, data=form).status_code == 401


UNFIT: dict[str, dict[str, Any]] = {
    "another origin": {"origin": "http://localhost:8080"},
    "another site": {"rp": "example.org"},
    "nobody was there": {"flags": 0},
    "an answer to another question": {"kind": "webauthn.get"},
    "an algorithm that was not offered": {"algorithm": -36},
    "a key that is none": {"key": cbor2.dumps({1: 2, 3: -7})},
    "a point that is not on the curve": {"key": cbor2.dumps({1: 2, 3: -7, -1: 1, -2: b"1" * 32, -3: b"2" * 32})},
    "attestation of a kind that there is not": {"fmt": "unheard-of"},
    "no password": {"password": "wrong"},
    "no answer": {"made": ""},
}


@pytest.mark.parametrize("wrong", UNFIT.values(), ids=UNFIT)
def test_an_unfit_passkey_is_not_added(school: School, wrong: dict[str, Any]) -> None:
    ada = school.browser("ada")
    assert add(ada, Authenticator(), **wrong).status_code == 422
    assert Browser(school.app).sign_in("ada").location == "/", "there is none yet"
    assert rows(school, "ada") == []


MALFORMED: dict[str, Callable[[dict[str, Any]], str]] = {
    "no JSON": lambda answer: "x",
    "no object": lambda answer: "[]",
    "nested deeply": lambda answer: "[" * 9_000,
    "a long number": lambda answer: "1" * 9_000,
    "nothing in it": lambda answer: "{}",
    "a lone surrogate": lambda answer: json.dumps({**answer, "id": "\ud800"}),
    "a number for text": lambda answer: json.dumps({**answer, "rawId": 1}),
    "a list for the answer": lambda answer: json.dumps({**answer, "response": []}),
    "broken base64": lambda answer: json.dumps(
        {**answer, "response": dict.fromkeys(answer["response"], "A")},
    ),
    "empty parts": lambda answer: json.dumps({**answer, "response": dict.fromkeys(answer["response"], "")}),
    "words for parts": lambda answer: json.dumps({**answer, "response": dict.fromkeys(answer["response"], "W10")}),
}


@pytest.mark.parametrize("break_it", MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_refused(school: School, break_it: Callable[[dict[str, Any]], str]) -> None:
    device, _ = with_passkey(school, "ada")
    browser, form, _ = answer_in(school, device)
    broken = break_it(json.loads(form["passkey"]))
    assert browser.client.post(SECOND, data={**form, "passkey": broken}).status_code == 401
    ben = school.browser("ben")
    _, options = told(ben, PAGE)
    made = json.loads(Authenticator().made(options["wanted"]))
    assert add(ben, Authenticator(), made=break_it(made)).status_code == 422


@pytest.mark.parametrize("value", [cbor2.CBORTag(35, "(" * 3_000), cbor2.CBORTag(4, [10**9, 1]), [[[]]], "x" * 3_000])
def test_a_key_that_is_odd_cbor_is_refused(school: School, value: Any) -> None:
    for key in (cbor2.dumps(value), cbor2.dumps({1: 2, 3: -7, -1: 1, -2: value, -3: value})):
        assert add(school.browser("ada"), Authenticator(), key=key).status_code == 422


def test_what_is_too_long_is_not_even_read(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    browser, form, _ = answer_in(school, device)
    assert browser.client.post(SECOND, data={**form, "passkey": "x" * 10_001}).status_code == 413
    assert add(school.browser("ben"), Authenticator(), made="x" * 10_001).status_code == 413
    huge = Authenticator()
    huge.id = b"x" * 1024
    assert add(school.browser("ben"), huge).status_code == 422


def test_an_id_that_is_known_cannot_be_added_by_anybody(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    twin = Authenticator()
    twin.id = device.id
    for answer in (add(school.browser("ben"), twin), add(_signed_in(school, device), twin, device)):
        assert (answer.status_code, "already registered here" in answer.text) == (422, True)
    assert Browser(school.app).sign_in("ben").location == "/"
    assert second_step(begun(school, "ada"), device).status_code == 303


def test_another_passkey_needs_a_proof_and_ends_other_sessions(school: School) -> None:
    device, recovery = with_passkey(school, "ada")
    here, elsewhere, other = _signed_in(school, device), _signed_in(school, device), Authenticator()
    assert add(here, other).status_code == 422
    assert add(here, other, code="000000").status_code == 422
    assert add(here, other, other).status_code == 422, "it cannot prove itself"
    assert add(here, other, device).status_code == 303
    assert (signed_in(here), signed_in(elsewhere)) == (True, False)
    assert add(here, Authenticator(), code=recovery[0]).status_code == 303
    assert add(here, Authenticator(), code=recovery[0]).status_code == 422
    assert second_step(begun(school, "ada"), other).status_code == 303


def test_an_app_beside_a_passkey_needs_a_proof_and_renews_the_recovery_codes(school: School) -> None:
    device, recovery = with_passkey(school, "ada")
    browser = _signed_in(school, device)
    token, options = told(browser, PAGE)
    page = browser.get(PAGE).text
    secret = re.search(r"Secret: <code>(\w+)</code>", page)
    kept = re.search(r'name="kept" value="([^"]+)"', page)
    assert secret
    assert kept
    code = pyotp.TOTP(secret[1]).now()
    form = {"csrf_token": token, "kept": html.unescape(kept[1]), "code": code, "password": PASSWORD}
    assert browser.client.post(PAGE, data=form).status_code == 422
    token, options = told(browser, PAGE)
    assert browser.client.post(PAGE, data={**form, "passkey": device.proof(options["asked"])}).status_code == 200
    assert begun(school, "ada").post(SECOND, {"code": recovery[0]}, SECOND).status_code == 401
    assert second_step(begun(school, "ada"), device).status_code == 303


def test_a_person_has_at_most_ten(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    browser = _signed_in(school, device)
    credentials = [f"more-{number}" for number in range(9)]
    with school.write() as session:
        for each in credentials:
            row = Passkey(user_id=school.people["ada"], credential=each, public_key=b"", sign_count=0, name="")
            session.add(row)
    assert "You have ten passkeys" in add(browser, Authenticator(), device).text


def remove(browser: Browser, device: Authenticator, **more: str) -> TestResponse:
    token, options = told(browser, PAGE)
    form = {"csrf_token": token, "password": PASSWORD, "passkey": device.proof(options["asked"]), **more}
    return browser.client.post(REMOVE, data=form)


def test_removing_needs_the_password_and_a_proof_and_only_ones_own_goes(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    with_passkey(school, "ben")
    [own], [bens] = rows(school, "ada"), rows(school, "ben")
    browser = _signed_in(school, device)
    assert remove(browser, device, factor=own.credential, password="wrong").status_code == 422
    assert remove(browser, Authenticator(), factor=own.credential).status_code == 422
    assert remove(browser, device, factor=bens.credential).status_code == 303
    assert remove(browser, device, factor="app").status_code == 303
    assert (len(rows(school, "ada")), len(rows(school, "ben"))) == (1, 1)
    assert remove(browser, device, factor=own.credential).status_code == 303
    assert Browser(school.app).sign_in("ada").location == "/"
    with reading(school.sessions) as session:
        assert session.get(SecondFactor, school.people["ada"]) is None


def test_what_is_left_is_still_asked_for(school: School) -> None:
    phone, recovery = set_up(school.browser("ada"))
    browser, device = begun(school, "ada"), Authenticator()
    assert browser.post(SECOND, {"code": recovery[0]}, SECOND).status_code == 303
    assert add(browser, device, code=phone.code()).status_code == 303
    assert remove(browser, device).status_code == 303, "the app"
    step = begun(school, "ada")
    assert step.post(SECOND, {"code": phone.code(1)}, SECOND).status_code == 401
    assert second_step(step, device).status_code == 303


@pytest.mark.parametrize("code", ["", "000000"])
def test_without_an_app_no_code_of_an_app_is_right(school: School, code: str) -> None:
    with_passkey(school, "ada")
    assert begun(school, "ada").post(SECOND, {"code": code}, SECOND).status_code == 401


def test_a_passkey_is_enough_for_staff(school: School) -> None:
    browser = school.browser("ines")
    assert browser.get("/").location == PAGE
    assert add(browser, Authenticator()).status_code == 200
    assert signed_in(browser)


def test_trying_ends_soon_however_many_browsers_try(school: School) -> None:
    device, recovery = with_passkey(school, "ada")
    answers = [second_step(begun(school, "ada"), device, origin="http://x.example").status_code for _ in range(11)]
    assert answers == [401] * 10 + [429]
    assert second_step(begun(school, "ada"), device).status_code == 429
    assert begun(school, "ada").post(SECOND, {"code": recovery[0]}, SECOND).status_code == 429


def test_the_first_step_is_worth_nothing_after_another_password(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    browser, form, _ = answer_in(school, device)
    with school.write() as session:
        session.get_one(User, school.people["ada"]).generation += 1
    assert browser.client.post(SECOND, data=form).location == "/sign-in"


def test_the_cookie_of_the_first_step_is_not_the_one_that_is_signed_in(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    browser, form, cookie = answer_in(school, device)
    assert browser.client.post(SECOND, data=form).status_code == 303
    former = Browser(school.app)
    former.client.set_cookie(COOKIE, cookie)
    assert not signed_in(former)
    with browser.client.session_transaction() as session:
        assert not {"pending", "passkey get"} & {*session}


def test_in_maintenance_it_signs_in_once_and_nothing_is_stored(school: School) -> None:
    device, _ = with_passkey(school, "ada", counts=False)
    browser, form, cookie = answer_in(school, device)
    with school.write() as session:
        maintenance.begin(session, "A larger disk")
    assert browser.client.post(SECOND, data=form).status_code == 303
    assert signed_in(browser)
    assert rows(school, "ada")[0].used_at is None
    copy = Browser(school.app)
    copy.client.set_cookie(COOKIE, cookie)
    assert copy.client.post(SECOND, data=form).status_code == 401


def test_under_another_name_of_the_site_no_passkey_is_asked(school: School) -> None:
    device, recovery = with_passkey(school, "ada")
    _, form, cookie = answer_in(school, device)
    school.app.extensions[EXTENSION] = place_at("https://quadrille.example")
    browser = begun(school, "ada")
    page = browser.get(SECOND).text
    assert ("data-asked" in page, "cannot be used at this address" in page) == (False, True)
    copy = Browser(school.app)
    copy.client.set_cookie(COOKIE, cookie)
    assert copy.client.post(SECOND, data=form).status_code == 401
    assert browser.post(SECOND, {"code": recovery[0]}, SECOND).status_code == 303
    assert "data-wanted" not in browser.get(PAGE).text


def test_the_header_does_not_say_for_which_port_an_answer_counts(school: School) -> None:
    device, _ = with_passkey(school, "ada")
    browser = begun(school, "ada")
    token, options = told(browser, SECOND)
    form = {"csrf_token": token, "passkey": device.proof(options["asked"], origin="http://localhost:8080")}
    headers = {"Host": "localhost:8080", "X-Forwarded-Host": "localhost:8080"}
    assert browser.client.post(SECOND, data=form, headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://quadrille.example", "https://quadrille.example"),
        ("https://Quadrille.Example:443/", "https://quadrille.example"),
        ("https://quadrille.example:8443/path", "https://quadrille.example:8443"),
        ("https://übung.example", "https://xn--bung-zra.example"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://quadrille.example", None),
        ("http://127.0.0.1:8000", None),
        ("https://192.0.2.1", None),
        ("https://[2001:db8::1]", None),
        ("", None),
    ],
)
def test_whose_passkeys_they_are(address: str, origin: str | None) -> None:
    found = place_at(address)
    assert (found and found.origin) == origin
