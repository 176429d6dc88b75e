"""Passwords and tokens."""

import re

import pytest
from sqlalchemy import select

from tests.web.school import PASSWORD, Browser, School
from web.models import User

NEW = "another long one"
SHOWN = re.compile(r'class="token" tabindex="0">([^<]+)<')
CHOOSE = "/account/choose-password"


def test_a_changed_password_ends_other_sessions_only(school: School) -> None:
    here, elsewhere = school.browser("ada"), school.browser("ada")
    answer = here.post("/account/password", {"current": PASSWORD, "new": NEW})
    assert answer.status_code == 303
    assert "Your password is changed" in here.get("/account/").text
    assert elsewhere.get("/account/").status_code == 303
    assert Browser(school.app).sign_in("ada").status_code == 401
    assert Browser(school.app).sign_in("ada", NEW).status_code == 303


@pytest.mark.parametrize(
    ("current", "new", "where"), [("wrong", NEW, "current-error"), (PASSWORD, "short", "new-error")]
)
def test_a_password_that_is_refused_is_told_where(school: School, current: str, new: str, where: str) -> None:
    browser = school.browser("ada")
    answer = browser.post("/account/password", {"current": current, "new": new})
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert Browser(school.app).sign_in("ada").status_code == 303


def test_a_token_is_shown_once_and_ends_when_revoked(school: School) -> None:
    browser = school.browser("ada")
    assert "You have no tokens" in browser.get("/account/").text
    shown = browser.post("/account/tokens", {"label": "<b>laptop</b>"}).text
    token = shown.partition('class="token" tabindex="0">')[2].partition("<")[0]
    assert len(token) > 40
    listed = browser.get("/account/").text
    assert token not in listed
    assert "&lt;b&gt;laptop" in listed
    headers = {"Authorization": f"Bearer {token}"}
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 200
    assert "not yet" not in browser.get("/account/").text, "it says when it was used"
    browser.post("/account/tokens/1/revoke")
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 401


def test_a_form_that_is_sent_twice_makes_one_token_and_shows_it_both_times(school: School) -> None:
    browser = school.browser("ada")
    shown = [
        SHOWN.findall(browser.post("/account/tokens", {"label": label, "nonce": nonce}).text)
        for label, nonce in (("laptop", "one"), ("laptop", "one"), ("laptop", "two"), ("desk", "two"))
    ]
    assert [len(tokens) for tokens in shown] == [1, 1, 1, 1]
    assert shown[0] == shown[1]
    assert len({tokens[0] for tokens in shown}) == 3
    assert browser.get("/account/").text.count("not yet") == 3, "so many are listed"


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
    assert "at least 10 characters; this has 5" in ada.post(CHOOSE, {"new": "short"}, form).text
    assert "This is the one-time password" in ada.post(CHOOSE, {"new": PASSWORD}, form).text
    assert ada.post(CHOOSE, {"new": NEW, "next": "/notices/"}, form).location == "/notices/"
    assert "Your password is set" in ada.get("/notices/").text
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
