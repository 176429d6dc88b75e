"""Signing in and out, and what guards it."""

from base64 import urlsafe_b64decode
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, BoundedSemaphore

import pytest
from flask import Flask
from limits import parse
from sqlalchemy import select

from tests.web.school import COOKIES, PASSWORD, Browser, School
from tournament.store.database import now
from web.home.sign_in import TryLimit
from web.site.auth import LIFETIME, load, local_path
from web.site.models import EndedSession

ELSEWHERE = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "",
]


@pytest.fixture(autouse=True)
def everybody_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session of an earlier test is gone on with."""
    for session in [*COOKIES]:
        monkeypatch.delitem(COOKIES, session)


def test_the_right_password_leads_to_the_courses(school: School) -> None:
    browser = Browser(school.app)
    assert browser.sign_in("ada").location == "/"
    assert "Foundations" in browser.get("/").text


def test_a_wrong_password_is_told_beside_the_form_and_keeps_the_name(school: School) -> None:
    answer = Browser(school.app).sign_in("ada", "wrong")
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert 'value="ada"' in answer.text


def test_whoever_is_not_signed_in_is_led_to_the_form_and_back(school: School) -> None:
    browser = Browser(school.app)
    answer = browser.get("/account/?x=1")
    assert (answer.status_code, answer.location) == (303, "/sign-in?next=/account/?x%3D1")
    assert browser.sign_in("ada", next="/account/?x=1").location == "/account/?x=1"


@pytest.mark.parametrize(
    ("form", "target"),
    [
        ("http://localhost/courses/comp10001/bo/?x=1", "/courses/comp10001/bo/?x%3D1"),
        ("http://localhost/courses/comp10001/bo/submissions", None),  # cannot be opened
        ("http://elsewhere.example/courses/comp10001/bo/", None),
        ("", None),
    ],
)
def test_a_form_sent_after_the_session_is_told_to_be_lost_and_leads_back(
    school: School, form: str, target: str | None
) -> None:
    browser = Browser(school.app)
    answer = browser.client.post("/courses/comp10001/bo/submissions", headers={"Referer": form} if form else {})
    assert answer.location == (f"/sign-in?next={target}" if target else "/sign-in")
    assert "Your session has ended" in browser.get(answer.location).text


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_sign_in_never_leads_elsewhere(school: School, target: str) -> None:
    assert local_path(target) is None
    assert Browser(school.app).sign_in("ada", next=target).location == "/"


BURST, TRICKLE_S = 3, 20


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few tries with one user name, so that the tests are quick."""
    monkeypatch.setattr(
        "web.home.sign_in.OF_A_LOGIN",
        TryLimit(parse(f"{BURST} per 5 minutes"), parse(f"1 per {TRICKLE_S} seconds")),
    )
    monkeypatch.setattr("web.site.auth.matches", lambda _, password: password == PASSWORD)


@pytest.mark.usefixtures("slow")
def test_guessing_is_slowed_down_and_never_locked_for_longer_than_the_trickle(school: School) -> None:
    answers = [Browser(school.app).sign_in("ada", "wrong") for _ in range(BURST + 3)]
    assert [each.status_code for each in answers] == [401] * (BURST + 1) + [429] * 2
    assert 0 < int(answers[-1].headers["Retry-After"]) <= TRICKLE_S
    assert "Wait" in answers[-1].text
    assert 'value="ada"' in answers[-1].text, "the form is there to try again"
    assert Browser(school.app).sign_in("ADA ", "wrong").status_code == 429
    assert Browser(school.app).sign_in("ben").status_code == 303, "others can still sign in"


@pytest.mark.usefixtures("slow")
def test_whoever_guesses_elsewhere_locks_nobody_out(school: School) -> None:
    for _ in range(BURST + 3):
        Browser(school.app, "203.0.113.7").sign_in("ada", "wrong")
    assert Browser(school.app, "203.0.113.7").sign_in("ada").status_code == 429
    assert Browser(school.app, "203.0.113.8").sign_in("ada").status_code == 303


@pytest.mark.usefixtures("slow")
def test_a_subscriber_with_many_addresses_is_one(school: School) -> None:
    answers = [Browser(school.app, f"2001:db8::{n}").sign_in("ada", "wrong").status_code for n in range(BURST + 2)]
    assert answers == [401] * (BURST + 1) + [429]
    assert Browser(school.app, "2001:db8:0:1::1").sign_in("ada", "wrong").status_code == 401


@pytest.mark.usefixtures("slow")
def test_a_browser_that_has_signed_in_before_is_not_kept_out_by_its_neighbours(school: School) -> None:
    known, guesser = school.browser("ada"), school.browser("ben")
    known.post("/sign-out")
    guesser.post("/sign-out")
    cookie = known.client.get_cookie("quadrille_known", path="/sign-in")
    assert cookie
    assert b"ada" not in urlsafe_b64decode(cookie.value.partition(".")[0] + "=="), "nor can the next visitor read who"
    answers = [guesser.sign_in("ada", "wrong").status_code for _ in range(BURST + 2)]
    assert answers[-1] == 429, "that somebody else has signed in there is no help"
    assert Browser(school.app).sign_in("ada").status_code == 429
    assert known.sign_in("ada").status_code == 303
    known.post("/sign-out")
    answers = [known.sign_in("ada", "wrong").status_code for _ in range(BURST + 2)]
    assert answers == [401] * (BURST + 1) + [429], "but it cannot guess for ever"


@pytest.mark.usefixtures("slow")
def test_a_forged_cookie_is_no_help(school: School) -> None:
    browser = Browser(school.app)
    browser.client.set_cookie("quadrille_known", "WyJkIiwgWyJhZGEiXV0.forged", path="/sign-in")
    answers = [browser.sign_in("ada", "wrong").status_code for _ in range(BURST + 2)]
    assert answers == [401] * (BURST + 1) + [429]


@pytest.mark.usefixtures("slow")
def test_many_wrong_passwords_slow_their_address_down(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "web.home.sign_in.OF_AN_ADDRESS", TryLimit(parse("4 per 5 minutes"), parse(f"1 per {TRICKLE_S} seconds"))
    )
    known = school.browser("ada")
    known.post("/sign-out")
    answers = [Browser(school.app).sign_in(f"nobody{n}", "wrong").status_code for n in range(6)]
    assert answers == [401] * 5 + [429]
    assert Browser(school.app).sign_in("ben").status_code == 429
    assert known.sign_in("ada").status_code == 303


def test_right_passwords_are_not_counted_against_their_address(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.home.sign_in.OF_AN_ADDRESS", TryLimit(parse("1 per 5 minutes"), parse("1 per 5 minutes")))
    for login in ("ada", "ben", "cleo", "ines"):
        assert Browser(school.app).sign_in(login).status_code == 303


@pytest.mark.both_databases
def test_guesses_at_once_are_counted_before_any_is_answered(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = BURST + 1
    together = Barrier(allowed)

    def slow(*_: str) -> bool:
        together.wait(60)
        return False

    monkeypatch.setattr(
        "web.home.sign_in.OF_A_LOGIN", TryLimit(parse(f"{BURST} per 5 minutes"), parse("1 per 5 minutes"))
    )
    monkeypatch.setattr("web.site.auth.matches", slow)
    monkeypatch.setattr("web.site.auth._checking", BoundedSemaphore(allowed + 2))
    browsers = [Browser(school.app) for _ in range(allowed + 2)]
    with ThreadPoolExecutor(allowed + 2) as pool:
        answers = [answer.status_code for answer in pool.map(lambda each: each.sign_in("ada", "wrong"), browsers)]
    assert sorted(answers) == [401] * allowed + [429] * 2


@pytest.mark.usefixtures("slow")
def test_whoever_knows_the_password_did_not_guess(school: School) -> None:
    attempts = ["wrong"] * BURST + [PASSWORD] + ["wrong"] * (BURST + 2)
    answers = [Browser(school.app).sign_in("ada", password).status_code for password in attempts]
    assert answers == [401] * BURST + [303] + [401] * (BURST + 1) + [429]


def test_signing_out_ends_the_session(school: School) -> None:
    browser = school.browser("ada")
    assert browser.post("/sign-out").status_code == 303
    assert browser.get("/").status_code == 303


def test_a_copy_of_the_cookie_is_worth_nothing_after_signing_out(school: School) -> None:
    browser, thief, other = school.browser("ada"), Browser(school.app), school.browser("ada")
    cookie = browser.client.get_cookie("quadrille")
    assert cookie
    thief.client.set_cookie("quadrille", cookie.value)
    assert thief.get("/").status_code == 200
    browser.post("/sign-out")
    assert thief.get("/").status_code == 303
    assert other.get("/").status_code == 200, "another browser of the same person stays signed in"


@pytest.mark.both_databases
def test_what_must_be_remembered_of_signing_out_is_forgotten_in_time(school: School) -> None:
    with school.write() as session:
        session.add(EndedSession(sha256="of long ago", ended_at=now() - LIFETIME - timedelta(days=2)))
    school.browser("ada").post("/sign-out")
    with school.write() as session:
        assert len(session.scalars(select(EndedSession)).all()) == 1


@pytest.mark.parametrize("cookie", ["", "1", "1.0", "1.0.", "x.0.key", "1.x.key", "99.0.key", "1.1.key", "1.0.k.e.y"])
def test_only_a_session_that_counts_is_loaded(school: School, cookie: str) -> None:
    with school.app.test_request_context():
        found = load(cookie)
    assert (found is not None) == (cookie == "1.0.k.e.y"), "which nobody can sign"


def test_forms_without_the_token_are_refused(school: School) -> None:
    browser = school.browser("ada")
    answer = browser.client.post("/sign-out")
    assert answer.status_code == 400
    assert "another session" in answer.text
    assert browser.get("/").status_code == 200


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(app: Flask, school: School) -> None:
    app.config["SESSION_COOKIE_SECURE"] = True
    browser = Browser(school.app)
    cookie = browser.client.get("/sign-in", base_url="https://localhost").headers["Set-Cookie"]
    assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
