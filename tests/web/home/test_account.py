"""Passwords and tokens."""

import re

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from tests.web.school import HASHED, PASSWORD, Browser, School
from web.site.models import User
from web.site.passwords import SHORTEST, refusal

NEW = "another long one"
SHOWN = re.compile(r'class="token" tabindex="0">([^<]+)<')
CHOOSE = "/account/choose-password"


def change(browser: Browser, **ticked: str) -> TestResponse:
    return browser.post("/account/password", {"current": PASSWORD, "new": NEW, **ticked})


def status(school: School, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return school.app.test_client().get("/api/v1/assignments", headers=headers).status_code


def test_a_changed_password_ends_other_sessions_if_asked_to(school: School) -> None:
    here, elsewhere = school.browser("ada"), school.browser("ada")
    assert 'name="end_sessions" checked' in here.get("/account/").text
    assert change(here, end_sessions="on").status_code == 303
    assert "Your password has been changed. Your other browsers have been signed out." in here.get("/account/").text
    assert elsewhere.get("/account/").status_code == 303
    assert Browser(school.app).sign_in("ada").status_code == 401
    assert Browser(school.app).sign_in("ada", NEW).status_code == 303


def test_a_changed_password_leaves_other_sessions_if_asked_to(school: School) -> None:
    here, elsewhere = school.browser("ada"), school.browser("ada")
    change(here)
    assert elsewhere.get("/account/").status_code == 200


@pytest.mark.parametrize(("ticked", "then"), [({}, 401), ({"keep_tokens": "on"}, 200)])
def test_a_changed_password_ends_api_tokens_unless_they_are_kept(
    school: School, ticked: dict[str, str], then: int
) -> None:
    here, token, of_ben = school.browser("ada"), school.token("ada"), school.token("ben")
    assert "Keep my API tokens" in here.get("/account/").text
    change(here, **ticked)
    assert (status(school, token), status(school, of_ben)) == (then, 200)


@pytest.mark.parametrize(
    ("current", "new", "where", "why"),
    [
        ("wrong", NEW, "current-error", "This is not your current password."),
        (PASSWORD, "short", "new-error", "at least 10 characters; this one has 5"),
        (PASSWORD, "x9" * 501, "new-error", "at most 1,000 characters; this one has 1,002"),
        (PASSWORD, PASSWORD, "new-error", "This is your current password"),
        (PASSWORD, "1234567890", "new-error", "easy to guess"),
        (PASSWORD, "qwertyuiop", "new-error", "easy to guess"),
        (PASSWORD, "basketball", "new-error", "easy to guess"),
        (PASSWORD, "adarealname", "new-error", "easy to guess"),
        (PASSWORD, "aaaaaaaaaaaaaaa", "new-error", "easy to guess"),
    ],
)
def test_a_password_that_is_refused_is_told_where(school: School, current: str, new: str, where: str, why: str) -> None:
    browser = school.browser("ada")
    answer = browser.post("/account/password", {"current": current, "new": new})
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert why in answer.text
    assert Browser(school.app).sign_in("ada").status_code == 303


def test_no_password_of_the_most_common_is_accepted() -> None:
    common = [word for word in FREQUENCY_LISTS["passwords"][:10_000] if len(word) >= SHORTEST]
    assert common
    owner = User(login="ada", name="Ada", password_hash=HASHED, one_time=False)
    assert [word for word in common if not refusal(word, owner)] == []


@pytest.mark.parametrize("password", [NEW, PASSWORD + "!", "k7mqx-2fdrh-9wbtz", "Zwölf Boxkämpfer jagen"])
def test_a_good_password_is_accepted(password: str) -> None:
    owner = User(login="ada", name="Ada Realname", password_hash=HASHED, one_time=False)
    assert refusal(password, owner) == ""


def test_a_token_is_shown_once_and_ends_when_revoked(school: School) -> None:
    browser = school.browser("ada")
    assert "You have no tokens" in browser.get("/account/").text
    shown = browser.post("/account/tokens", {"label": "<b>laptop</b>"}).text
    token = shown.partition('class="token" tabindex="0">')[2].partition("<")[0]
    assert len(token) > 40
    assert "In the kit, run the command <code>login</code>" in shown
    assert "You have no tokens" not in shown
    for part in ("Revoke &lt;b&gt;laptop", "Keep my API tokens"):
        assert part in shown, "it is listed at once"
    listed = browser.get("/account/").text
    assert token not in listed
    assert "&lt;b&gt;laptop" in listed
    headers = {"Authorization": f"Bearer {token}"}
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 200
    assert "never" not in browser.get("/account/").text, "it says when it was used"
    browser.post("/account/tokens/1/revoke")
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 401


@pytest.mark.both_databases
def test_a_form_that_is_sent_twice_makes_one_token_and_shows_it_both_times(school: School) -> None:
    browser = school.browser("ada")
    shown = [
        SHOWN.findall(browser.post("/account/tokens", {"label": label, "nonce": nonce}).text)
        for label, nonce in (("laptop", "one"), ("laptop", "one"), ("laptop", "two"), ("desk", "two"))
    ]
    assert [len(tokens) for tokens in shown] == [1, 1, 1, 1]
    assert shown[0] == shown[1]
    assert len({tokens[0] for tokens in shown}) == 3
    assert browser.get("/account/").text.count("never") == 3, "so many are listed"


def test_nobody_revokes_the_token_of_another(school: School) -> None:
    token = school.token("ada")
    school.browser("ben").post("/account/tokens/1/revoke")
    headers = {"Authorization": f"Bearer {token}"}
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 200


@pytest.mark.parametrize("label", ["", "  ", "x" * 61])
def test_a_token_needs_a_name(school: School, label: str) -> None:
    answer = school.browser("ada").post("/account/tokens", {"label": label})
    assert answer.status_code == 422
    assert 'id="label-error"' in answer.text


def test_a_one_time_password_leads_to_a_choice_and_nowhere_else(school: School) -> None:
    with school.write() as session:
        session.get_one(User, school.people["ada"]).one_time = True
    ada = Browser(school.app)
    assert ada.sign_in("ada", next="/notices/").location == "/notices/"
    for path in ("/", "/notices/", "/account/", "/courses/comp10001/bo/", "/tournaments/1/"):
        assert ada.get(path).location == f"/account/choose-password?next={path}", path
    form = ada.get("/notices/").location
    assert ada.post("/account/tokens", {"label": "x"}, form).location == "/account/choose-password"
    assert "at least 10 characters; this one has 5" in ada.post(CHOOSE, {"new": "short"}, form).text
    assert "This is the one-time password" in ada.post(CHOOSE, {"new": PASSWORD}, form).text
    assert ada.post(CHOOSE, {"new": NEW, "next": "/notices/"}, form).location == "/notices/"
    assert "Your password has been set" in ada.get("/notices/").text
    assert ada.get(CHOOSE).location == "/account/", "it is chosen once"
    assert Browser(school.app).sign_in("ada").status_code == 401
    assert school.browser("ben").get(CHOOSE).location == "/account/"
    assert school.browser("ben").post(CHOOSE, {"new": NEW}).location == "/account/"
    assert Browser(school.app).sign_in("ben").status_code == 303, "not without the present one"


def test_a_sign_in_is_noted(school: School) -> None:
    school.browser("ada")
    with school.write() as session:
        seen = {user.login: user.signed_in_at is not None for user in session.scalars(select(User))}
    assert (seen["ada"], seen["ben"]) == (True, False)
