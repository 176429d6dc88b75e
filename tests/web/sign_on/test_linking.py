"""Whose account somebody at a provider gets, and who may not take one over."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.web.school import PASSWORD, Browser, School
from tests.web.sign_on.pretender import Pretender, asks, begin, come_back, sign_in, told
from tournament.store.notices import notices
from tournament.work.maintenance import begin as begin_maintenance
from web.people.members import new_code
from web.sign_on.tables import SignOnIdentity
from web.site.models import Course, Membership, Role, User
from web.site.passwords import new_account

BY_LOGIN = {"link_by": "login"}
BY_NUMBER = {"link_by": "student_number", "student_number_claim": "number"}
BY_DOMAIN = {"create": "mail_domains", "mail_domains": ["uni.example"]}


def signed_in_as(browser: Browser) -> str:
    page = browser.get("/account/")
    return page.text.partition("You sign in as <code>")[2].partition("<")[0] if page.status_code == 200 else ""


def address_of(page: str) -> str:
    """Where a page that goes on by itself leads."""
    return page.partition('content="0; url=')[2].partition('"')[0].replace("&amp;", "&")


def connect(browser: Browser, pretender: Pretender) -> Any:
    """Connect the account in which the browser is signed in."""
    page = browser.post(f"/sign-on/{pretender.name}/connect", form="/account/").text
    return come_back(browser, pretender.name, asks(address_of(page), pretender)["state"])


def number(school: School, login: str, student_number: str, **values: Any) -> None:
    school.change(Membership, (school.people[login], school.course), student_number=student_number, **values)


@pytest.mark.both_databases
def test_a_trusted_login_connects_once_and_the_person_is_told(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    for _ in range(2):
        browser = Browser(school.app)
        sign_in(browser, pretender, preferred_username="ADA")
        assert signed_in_as(browser) == "ada"
    with school.write() as session:
        (row,) = session.scalars(select(SignOnIdentity))
        assert (row.issuer, row.subject, row.known_as) == (pretender.issuer, "s-1", "ADA")
        assert [each.subject for each in notices(session, row.user_id, 9)] == ["You can sign in with Pretender now"]


def test_a_reused_login_takes_nothing_over(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    sign_in(Browser(school.app), pretender, preferred_username="ada")
    browser = Browser(school.app)
    page = told(browser, sign_in(browser, pretender, preferred_username="ada", sub="s-2"))
    assert "quadrille course disconnect ada" in page
    assert signed_in_as(browser) == ""
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="ben", sub="s-1")
    assert signed_in_as(browser) == "ada", "the subject says who it is, whatever it is called now"


@pytest.mark.parametrize("claims", [{"email": "ada@uni.example"}, {"email": "ada@uni.example", "email_verified": True}])
def test_an_address_alone_connects_nobody(school: School, pretender: Pretender, claims: dict[str, Any]) -> None:
    pretender.install(school.app, **BY_LOGIN, **BY_DOMAIN)
    school.change(Membership, (school.people["ada"], school.course), email="ada@uni.example")
    browser = Browser(school.app)
    told(browser, sign_in(browser, pretender, **claims))
    assert signed_in_as(browser) == ""


def test_a_login_that_is_not_trusted_connects_nobody(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = Browser(school.app)
    page = told(browser, sign_in(browser, pretender, preferred_username="ada"))
    assert "no account here is connected with that" in page


def test_a_letter_that_looks_like_another_is_another(school: School, pretender: Pretender) -> None:
    school.change(User, school.people["ada"], login="kim")
    pretender.install(school.app, **BY_LOGIN)
    browser = Browser(school.app)
    told(browser, sign_in(browser, pretender, preferred_username="\u212aim"))  # the sign for kelvin, in small letters k
    assert signed_in_as(browser) == ""


def test_a_student_number_connects_the_student(school: School, pretender: Pretender) -> None:
    number(school, "ada", "4711")
    pretender.install(school.app, **BY_NUMBER)
    browser = Browser(school.app)
    sign_in(browser, pretender, number=4711)
    assert signed_in_as(browser) == "ada"


def test_an_instructor_who_enters_a_number_gives_nobody_away(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_NUMBER)
    number(school, "ines", "1")
    number(school, "ada", "2")
    number(school, "ben", "3")
    number(school, "cleo", "3")
    with school.write() as session:
        other = session.scalar(select(Course.id).where(Course.slug == "other"))
        ada = school.people["ada"]
        session.add(Membership(user_id=ada, course_id=other, role=Role.STUDENT, pseudonym="x", student_number="4"))
    for given in "12345":
        browser = Browser(school.app)
        told(browser, sign_in(browser, pretender, number=given, sub=f"s-{given}"))
        assert signed_in_as(browser) == "", given


@pytest.mark.both_databases
def test_an_account_is_made_for_a_verified_address_of_the_domain(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_DOMAIN)
    browser = Browser(school.app)
    name = "<script>alert(1)</script> O’Hara"
    claims = {"preferred_username": "zoe", "name": name, "email": "zoe@UNI.example", "email_verified": True}
    sign_in(browser, pretender, **claims)
    assert signed_in_as(browser) == "zoe"
    page = browser.get("/account/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "Change password" not in page, "there is none"
    assert Browser(school.app).sign_in("zoe", "").status_code == 401


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unverified": ({"email_verified": False}, "has not verified your e-mail address"),
    "not said to be verified": ({"email_verified": None}, "has not verified your e-mail address"),
    "almost verified": ({"email_verified": "no"}, "has not verified your e-mail address"),
    "another domain": ({"email": "zoe@evil.example"}, "no account here is connected"),
    "a domain within": ({"email": "zoe@uni.example.evil"}, "no account here is connected"),
    "an address that is too long": ({"email": f"{'x' * 255}@uni.example"}, "no account here is connected"),
    "an address that no database takes": ({"email": "\0@uni.example"}, "no account here is connected"),
    "no address": ({"email": None}, "no account here is connected"),
    "a login that there is": ({"preferred_username": "Ada"}, "There is an account Ada already"),
    "no login": ({"preferred_username": ["zoe"]}, "the login is missing"),
    "a login of two words": ({"preferred_username": "zoe zoe"}, "it must be one word"),
    "a name that is too long": ({"name": "x" * 101}, "longer than 100 characters"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_for_anybody_else_none_is_made(school: School, pretender: Pretender, what: str) -> None:
    pretender.install(school.app, **BY_DOMAIN)
    other, sentence = REFUSED[what]
    claims = {"preferred_username": "zoe", "name": "Zoe", "email": "zoe@uni.example", "email_verified": True, **other}
    browser = Browser(school.app)
    assert sentence.lower() in told(browser, sign_in(browser, pretender, **claims)).lower()
    assert signed_in_as(browser) == ""


def test_a_link_to_join_leads_over_the_provider_into_the_course(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_DOMAIN)
    with school.write() as session:
        course = session.get_one(Course, school.course)
        code = new_code(session, course, school.people["ines"], 7, "").code
    browser = Browser(school.app)
    page = browser.get(browser.get(f"/join/?code={code}").location).text
    assert f'href="/sign-on/pretender?next=/join/?code%3D{code}"' in page
    claims = {"preferred_username": "zoe", "email": "zoe@uni.example", "email_verified": True}
    answer = sign_in(browser, pretender, f"/join/?code={code}", **claims)
    assert answer.location == f"/join/?code={code}"
    browser.post("/join/", {"code": code}, form=answer.location)
    assert "Foundations" in browser.get("/").text


def test_whoever_signs_in_to_both_connects_them(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    assert connect(school.browser("ines"), pretender).location == "/account/"
    browser = Browser(school.app)
    sign_in(browser, pretender)
    assert signed_in_as(browser) == "ines"
    assert "as <code>s-1</code>" in browser.get("/account/").text


def test_two_accounts_are_never_one_and_one_has_one_identity(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    ada, ben = school.browser("ada"), school.browser("ben")
    connect(ada, pretender)
    connect(ada, pretender)
    connect(ben, pretender)
    assert "is connected with another account here" in ben.get("/account/").text
    pretender.claims = {"sub": "s-2"}
    connect(ada, pretender)
    assert "You are connected with another account at Pretender already" in ada.get("/account/").text


def test_what_one_has_begun_connects_nobody_else(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = school.browser("ada")
    page = browser.post("/sign-on/pretender/connect", form="/account/").text
    state = asks(address_of(page), pretender)["state"]
    with browser.client.session_transaction() as session:
        begun = {key: value for key, value in session.items() if key.startswith("_state_")}
    ben = school.browser("ben")
    with ben.client.session_transaction() as session:
        session.update(begun)  # which nobody can sign
    come_back(ben, "pretender", state)
    assert "was not begun in this browser" in ben.get("/account/").text
    browser.post("/sign-out")
    assert come_back(browser, "pretender", state).status_code == 303
    assert signed_in_as(browser) == ""
    with school.write() as session:
        assert not session.scalars(select(SignOnIdentity)).all()


def test_connecting_is_a_form_that_no_other_site_can_send(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = school.browser("ada")
    assert browser.client.post("/sign-on/pretender/connect").status_code == 400
    assert browser.get("/sign-on/pretender/connect").status_code == 405


@pytest.mark.both_databases
def test_a_connection_ends_with_all_sessions(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser, elsewhere = school.browser("ada"), Browser(school.app)
    connect(browser, pretender)
    sign_in(elsewhere, pretender)
    with school.write() as session:
        (row,) = session.scalars(select(SignOnIdentity.id))
    school.browser("ben").post(f"/sign-on/{row}/disconnect", form="/account/")
    assert signed_in_as(elsewhere) == "ada", "nobody else can end it"
    browser.post(f"/sign-on/{row}/disconnect", form="/account/")
    assert signed_in_as(browser) == "ada"
    assert signed_in_as(elsewhere) == ""
    told(elsewhere, sign_in(elsewhere, pretender))


def test_the_only_way_to_sign_in_stays(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    with school.write() as session:
        new_account(session, "zoe", "Zoe")
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="zoe")
    with school.write() as session:
        (row,) = session.scalars(select(SignOnIdentity.id))
    browser.post(f"/sign-on/{row}/disconnect", form="/account/")
    assert "This is your only way to sign in" in browser.get("/account/").text


def test_a_one_time_password_ends_when_the_person_signs_in_otherwise(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    with school.write() as session:
        _, password = new_account(session, "zoe", "Zoe")
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="zoe")
    assert browser.get("/").status_code == 200, "no password has to be chosen"
    assert Browser(school.app).sign_in("zoe", password).status_code == 401


def test_passwords_can_be_for_an_emergency_only(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    known = school.app.extensions["quadrille"]
    school.app.extensions["quadrille"] = type(known)(**{**_fields(known), "passwords_for": "ines"})
    page = Browser(school.app).get("/sign-in").text
    assert "Emergency sign-in with a password" in page
    assert Browser(school.app).sign_in("ada", PASSWORD).status_code == 401
    assert Browser(school.app).sign_in("ines", PASSWORD).status_code == 303
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="ada")
    assert "Change password" not in browser.get("/account/").text


def _fields(settings: Any) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}


def test_during_maintenance_those_sign_in_who_are_known(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    sign_in(Browser(school.app), pretender, preferred_username="ada")
    with school.write() as session:
        begin_maintenance(session, "We upgrade.")
    browser = Browser(school.app)
    sign_in(browser, pretender)
    assert signed_in_as(browser) == "ada"
    newcomer = Browser(school.app)
    page = told(newcomer, sign_in(newcomer, pretender, preferred_username="ben", sub="s-2"))
    assert "under maintenance: We upgrade." in page


def test_whoever_views_a_student_connects_nothing(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = school.browser("ines")
    token = browser.token()
    browser.post(f"/assignments/{school.assignment}/people/{school.people['ada']}/view")
    answer = browser.client.post("/sign-on/pretender/connect", data={"csrf_token": token})
    assert answer.status_code == 403


def test_signing_out_leads_over_the_provider(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="ada")
    answer = browser.post("/sign-out")
    assert answer.location == "/signed-out"
    page = browser.get("/signed-out").text
    assert "You are signed out of this site" in page
    address = address_of(page)
    assert address.startswith(f"{pretender.issuer}/leave?id_token_hint=eyJ")
    assert "post_logout_redirect_uri=http%3A%2F%2Flocalhost%2Fsign-in" in address
    assert browser.get("/signed-out").location == "/sign-in", "once"
    assert signed_in_as(browser) == ""


@pytest.mark.parametrize("how", ["password", "no such end", "not wanted"])
def test_otherwise_it_does_not(school: School, pretender: Pretender, how: str) -> None:
    pretender.document = {"end_session_endpoint": None} if how == "no such end" else {}
    pretender.install(school.app, **BY_LOGIN, log_out=how != "not wanted")
    browser = Browser(school.app)
    if how == "password":
        browser.sign_in("ada")
    else:
        sign_in(browser, pretender, preferred_username="ada")
    answer = browser.post("/sign-out")
    answer = browser.get(answer.location) if answer.location == "/signed-out" else answer
    assert answer.location == "/sign-in"


def test_a_large_token_is_not_kept(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_LOGIN)
    browser = Browser(school.app)
    sign_in(browser, pretender, preferred_username="ada", groups=[f"{number * 7919:x}" for number in range(900)])
    cookie = browser.client.get_cookie("quadrille_signed_on", path="/signed-out")
    assert cookie
    assert len(cookie.value) < 300
    browser.post("/sign-out")
    assert "client_id=quadrille" in address_of(browser.get("/signed-out").text)


def test_begun_twice_at_once_makes_one_account(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, **BY_DOMAIN)
    claims = {"preferred_username": "zoe", "email": "zoe@uni.example", "email_verified": True}
    browsers = Browser(school.app), Browser(school.app)
    pretender.claims = claims
    states = [begin(browser, pretender)["state"] for browser in browsers]
    pretender.claims = {**claims, "nonce": None}
    for browser, state in zip(browsers, states, strict=True):
        with browser.client.session_transaction() as session:
            pretender.claims = {**claims, "nonce": session[f"_state_pretender_{state}"]["data"]["nonce"]}
        come_back(browser, "pretender", state)
        assert signed_in_as(browser) == "zoe"
