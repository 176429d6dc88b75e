"""A second factor besides the password: codes that work once, recovery codes, and staff who must have one."""

import html
import re
from time import time

import pyotp
import pytest

from tests.web.school import PASSWORD, Browser, School
from tournament.store.database import reading
from tournament.store.mail import PasswordRequest
from tournament.store.tables import installation_secret
from tournament.work import maintenance
from web.mail.reset_link import links_for
from web.second_factor import codes
from web.second_factor.tables import SecondFactor
from web.site.auth import new_token
from web.site.models import Membership, User

PAGE, SECOND = "/account/second-factor", "/sign-in/second"
KEPT, SECRET = re.compile(r'name="kept" value="([^"]+)"'), re.compile(r"Secret: <code>(\w+)</code>")
RECOVERY = re.compile(r"<li><code>(\w+)</code></li>")


class Phone:
    """An app that shows codes."""

    def __init__(self, secret: str) -> None:
        self._totp = pyotp.TOTP(secret)

    def code(self, steps: int = 0) -> str:
        """The code of now, or of so many steps later."""
        return self._totp.at(int(time()) + 30 * steps)


def offered(browser: Browser) -> tuple[Phone, str]:
    page = browser.get(PAGE).text
    kept, secret = KEPT.search(page), SECRET.search(page)
    assert kept
    assert secret
    return Phone(secret[1]), html.unescape(kept[1])


def set_up(browser: Browser) -> tuple[Phone, list[str]]:
    """As somebody does whose app is one step behind, so that the present code is still to be used."""
    for _ in range(2):  # a step may end meanwhile
        phone, kept = offered(browser)
        answer = browser.post(PAGE, {"kept": kept, "code": phone.code(-1), "password": PASSWORD}, PAGE)
        if answer.status_code == 200:
            break
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    recovery = RECOVERY.findall(answer.text)
    assert len(recovery) == 10
    return phone, recovery


def begun(school: School, login: str) -> Browser:
    """A browser after the first step."""
    browser = Browser(school.app)
    answer = browser.sign_in(login, next="/notices/")
    assert answer.location == f"{SECOND}?next=/notices/"
    return browser


def signed_in(browser: Browser) -> bool:
    return browser.get("/account/").status_code == 200


def test_after_the_password_a_code_is_asked_for_and_works_once(school: School) -> None:
    phone, _ = set_up(school.browser("ada"))
    browser = begun(school, "ada")
    code = phone.code()
    answer = browser.post(SECOND, {"code": f" {code[:3]} {code[3:]}", "next": "/notices/"}, SECOND)
    assert (answer.status_code, answer.location) == (303, "/notices/")
    assert signed_in(browser)
    again = begun(school, "ada")
    assert again.post(SECOND, {"code": code}, SECOND).status_code == 401, "replayed"
    assert not signed_in(again)


def test_the_code_that_set_it_up_is_used_too(school: School) -> None:
    phone, _ = set_up(school.browser("ada"))
    assert begun(school, "ada").post(SECOND, {"code": phone.code(-1)}, SECOND).status_code == 401


def test_before_the_second_step_nobody_is_signed_in(school: School) -> None:
    set_up(school.browser("ada"))
    browser = begun(school, "ada")
    for path in ("/", "/account/", PAGE, "/courses/comp10001/bo/", "/account/mail/"):
        assert browser.get(path).location.startswith("/sign-in"), path
    assert browser.get("/join/").location.startswith("/register"), "for whoever has no account"
    assert browser.post("/account/tokens", {"label": "x"}, SECOND).status_code == 303
    assert browser.get("/api/v1/notices").status_code == 401
    assert not signed_in(browser)


@pytest.mark.parametrize("code", ["000000", "", "１２３４５６", "x" * 500, "0" * 6 + "\0"])
def test_a_wrong_code_signs_nobody_in(school: School, code: str) -> None:
    set_up(school.browser("ada"))
    browser = begun(school, "ada")
    assert browser.post(SECOND, {"code": code}, SECOND).status_code in (400, 401)
    assert not signed_in(browser)


def test_codes_of_another_account_do_not_work(school: School) -> None:
    (theirs, recovery), _ = set_up(school.browser("ben")), set_up(school.browser("ada"))
    browser = begun(school, "ada")
    for code in (theirs.code(), recovery[0]):
        assert browser.post(SECOND, {"code": code}, SECOND).status_code == 401


def test_a_recovery_code_works_once(school: School) -> None:
    _, recovery = set_up(school.browser("ada"))
    assert begun(school, "ada").post(SECOND, {"code": recovery[3].upper()}, SECOND).status_code == 303
    assert begun(school, "ada").post(SECOND, {"code": recovery[3]}, SECOND).status_code == 401
    with reading(school.app.extensions["quadrille"].sessions) as session:
        row = session.get_one(SecondFactor, school.people["ada"])
        assert len(row.recovery) == 9
        assert not {*recovery} & {*row.recovery}, "only hashes are kept"


def test_guessing_ends_soon_however_many_browsers_try(school: School) -> None:
    phone, _ = set_up(school.browser("ada"))
    answers = [begun(school, "ada").post(SECOND, {"code": "000000"}, SECOND).status_code for _ in range(11)]
    assert answers == [401] * 10 + [429]
    assert begun(school, "ada").post(SECOND, {"code": phone.code()}, SECOND).status_code == 429


def test_the_first_step_is_worth_nothing_after_ten_minutes_or_another_password(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, _ = set_up(school.browser("ada"))
    stale, late = begun(school, "ada"), begun(school, "ada")
    tokens = [each.token(SECOND) for each in (stale, late)]
    with monkeypatch.context() as later:
        later.setattr("web.second_factor.second_factor.time", lambda: time() + 601)
        answer = late.client.post(SECOND, data={"csrf_token": tokens[1], "code": phone.code()})
        assert answer.location == "/sign-in"
    with school.write() as session:
        session.get_one(User, school.people["ada"]).generation += 1
    assert stale.client.post(SECOND, data={"csrf_token": tokens[0], "code": phone.code()}).location == "/sign-in"
    assert begun(school, "ada").post(SECOND, {"code": phone.code()}, SECOND).location == "/"


def test_setting_up_needs_the_password_and_a_secret_of_ones_own(school: School) -> None:
    ada = school.browser("ada")
    phone, kept = offered(ada)
    theirs, other = offered(school.browser("ben"))
    for wrong in (
        {"password": "wrong"},
        {"code": "000000"},
        {"kept": other, "code": theirs.code()},
        {"kept": ""},
        {"kept": kept[:-1]},
    ):
        assert (
            ada.post(PAGE, {"kept": kept, "code": phone.code(), "password": PASSWORD, **wrong}, PAGE).status_code == 422
        )
    assert Browser(school.app).sign_in("ada").location == "/", "there is none yet"


def test_setting_up_ends_other_sessions(school: School) -> None:
    elsewhere, here = school.browser("ada"), school.browser("ada")
    set_up(here)
    assert signed_in(here)
    assert not signed_in(elsewhere)


def test_removing_needs_the_password_and_a_code(school: School) -> None:
    ada = school.browser("ada")
    phone, _ = set_up(ada)
    remove = f"{PAGE}/remove"
    for wrong in ({"password": "wrong"}, {"code": "000000"}):
        assert ada.post(remove, {"password": PASSWORD, "code": phone.code(), **wrong}, PAGE).status_code == 422
    assert ada.post(remove, {"password": PASSWORD, "code": phone.code()}, PAGE).status_code == 303
    assert Browser(school.app).sign_in("ada").location == "/"


@pytest.mark.parametrize("login", ["ines"])
def test_staff_see_nothing_before_they_have_one(school: School, login: str) -> None:
    browser = school.browser(login)
    for path in ("/", "/account/", "/courses/comp10001/bo/", "/account/mail/"):
        assert browser.get(path).location == PAGE, path
    assert browser.post("/account/tokens", {"label": "x"}, PAGE).location == PAGE
    set_up(browser)
    assert signed_in(browser)


def test_students_are_not_made_to(school: School) -> None:
    assert signed_in(school.browser("ada"))


def test_who_signed_in_with_a_provider_is_not_asked(school: School) -> None:
    browser = school.browser("ines")
    with browser.client.session_transaction() as session:
        session["signed_on"] = "uni"
    assert signed_in(browser)


def test_api_tokens_need_no_code(school: School) -> None:
    with school.app.test_request_context():
        token = new_token(school.people["ines"], "kit")
    answer = school.app.test_client().get("/api/v1/notices", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200


def test_a_code_is_right_within_one_step_and_never_before_the_last_used() -> None:
    secret, present = pyotp.random_base32(), int(time()) // 30
    totp = pyotp.TOTP(secret)
    found = [codes.step_of(secret, totp.at((present + each) * 30)) for each in range(-3, 4)]
    assert found[:2] + found[5:] == [None] * 4 or int(time()) // 30 > present
    assert codes.step_of(secret, totp.at(present * 30), present) is None


def test_a_new_password_by_e_mail_does_not_replace_the_code(school: School) -> None:
    phone, _ = set_up(school.browser("ada"))
    with school.write() as session:
        session.get_one(Membership, (school.people["ada"], school.course)).email = "ada@example.org"
        asked = PasswordRequest(typed="ada")
        session.add(asked)
        session.flush()
        (mail,) = links_for(session, asked, installation_secret(session))
        ((path, _),) = mail.parts[0]["links"]
    browser = Browser(school.app)
    assert browser.post(path, {"new": "a rather new password"}, path).location == SECOND
    assert not signed_in(browser)
    assert browser.post(SECOND, {"code": phone.code()}, SECOND).status_code == 303
    assert signed_in(browser)


def test_another_app_needs_a_code_of_the_present_one(school: School) -> None:
    ada = school.browser("ada")
    present, recovery = set_up(ada)
    phone, kept = offered(ada)
    form = {"kept": kept, "code": phone.code(-1), "password": PASSWORD}
    for wrong in ({}, {"present": "000000"}, {"present": phone.code()}):
        assert ada.post(PAGE, {**form, **wrong}, PAGE).status_code == 422
    form["code"] = phone.code(-1)  # a step may have ended meanwhile
    assert ada.post(PAGE, {**form, "present": present.code()}, PAGE).status_code == 200
    assert begun(school, "ada").post(SECOND, {"code": phone.code()}, SECOND).status_code == 303
    assert begun(school, "ada").post(SECOND, {"code": recovery[0]}, SECOND).status_code == 401, "they are new too"


@pytest.mark.parametrize("mistake", [{"password": "wrong"}, {"code": "000000"}])
def test_after_a_mistake_the_app_that_was_scanned_still_works(school: School, mistake: dict[str, str]) -> None:
    ada = school.browser("ada")
    phone, kept = offered(ada)
    form = {"code": phone.code(), "password": PASSWORD}
    found = KEPT.search(ada.post(PAGE, {**form, "kept": kept, **mistake}, PAGE).text)
    assert found
    assert ada.post(PAGE, {**form, "kept": html.unescape(found[1])}, PAGE).status_code == 200


def test_in_maintenance_the_app_signs_in_and_nothing_is_stored(school: School) -> None:
    phone, recovery = set_up(school.browser("ada"))
    sessions = school.app.extensions["quadrille"].sessions
    with reading(sessions) as session:
        before = session.get_one(SecondFactor, school.people["ada"])
    with school.write() as session:
        maintenance.begin(session, "A larger disk")
    browser = begun(school, "ada")
    assert browser.post(SECOND, {"code": recovery[0]}, SECOND).status_code == 401
    code = phone.code()
    assert browser.post(SECOND, {"code": code}, SECOND).status_code == 303
    assert signed_in(browser)
    assert begun(school, "ada").post(SECOND, {"code": code}, SECOND).status_code == 401, "replayed"
    assert signed_in(school.browser("ines")), "who cannot set one up now"
    with reading(sessions) as session:
        after = session.get_one(SecondFactor, school.people["ada"])
        assert (after.last_step, after.recovery) == (before.last_step, before.recovery)
    with school.write() as session:
        maintenance.end(session)
    assert begun(school, "ada").post(SECOND, {"code": code}, SECOND).status_code == 401, "replayed afterwards"


def test_a_former_first_step_does_not_use_up_the_tries_of_its_owner(school: School) -> None:
    phone, _ = set_up(school.browser("ada"))
    stale = begun(school, "ada")
    token = stale.token(SECOND)
    with school.write() as session:
        session.get_one(User, school.people["ada"]).generation += 1
    answers = [stale.client.post(SECOND, data={"csrf_token": token, "code": "000000"}) for _ in range(11)]
    assert [each.status_code for each in answers] == [303] * 10 + [429]
    assert begun(school, "ada").post(SECOND, {"code": phone.code()}, SECOND).status_code == 303


def test_who_signed_in_with_a_provider_still_has_after_setting_one_up(school: School) -> None:
    ada = school.browser("ada")
    with ada.client.session_transaction() as session:
        session["signed_on"] = "uni"
    set_up(ada)
    with ada.client.session_transaction() as session:
        assert session["signed_on"] == "uni"


def test_an_instructor_who_views_as_a_student_can_leave(school: School) -> None:
    ines = school.browser("ines")
    with ines.client.session_transaction() as session:
        session["viewing"] = [school.course, school.people["ada"], school.assignment]
    assert ines.get("/").location == PAGE
    ines.post("/view/leave", {}, PAGE)
    with ines.client.session_transaction() as session:
        assert "viewing" not in session
