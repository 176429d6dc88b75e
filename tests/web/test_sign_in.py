"""Signing in and out, and what guards it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BoundedSemaphore

import pytest
from flask import Flask

from tests.web.school import PASSWORD, Browser, School
from web.auth import local_path

ELSEWHERE = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "",
]


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


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_sign_in_never_leads_elsewhere(school: School, target: str) -> None:
    assert local_path(target) is None
    assert Browser(school.app).sign_in("ada", next=target).location == "/"


def test_guessing_is_slowed_down(school: School) -> None:
    browser = Browser(school.app)
    answers = [browser.sign_in("ada", "wrong").status_code for _ in range(11)]
    assert answers == [401] * 10 + [429]
    refused = browser.sign_in("ADA ", "wrong")
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert Browser(school.app).sign_in("ben").status_code == 303, "others can still sign in"


def test_guesses_at_once_are_counted_before_any_is_answered(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    together = Barrier(10)

    def slow(*_: str) -> bool:
        together.wait(60)
        return False

    monkeypatch.setattr("web.auth.check_password_hash", slow)
    monkeypatch.setattr("web.auth._checking", BoundedSemaphore(12))
    browsers = [Browser(school.app) for _ in range(12)]
    with ThreadPoolExecutor(12) as pool:
        answers = [answer.status_code for answer in pool.map(lambda each: each.sign_in("ada", "wrong"), browsers)]
    assert sorted(answers) == [401] * 10 + [429] * 2


def test_whoever_knows_the_password_did_not_guess(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.auth.check_password_hash", lambda _, password: password == PASSWORD)
    attempts = ["wrong"] * 9 + [PASSWORD] + ["wrong"] * 11
    answers = [Browser(school.app).sign_in("ada", password).status_code for password in attempts]
    assert answers == [401] * 9 + [303] + [401] * 10 + [429]


def test_signing_out_ends_the_session(school: School) -> None:
    browser = school.browser("ada")
    assert browser.post("/sign-out").status_code == 303
    assert browser.get("/").status_code == 303


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
