"""What an attacker, a platform that misbehaves or an instructor of another course sends: each is refused, and nobody is
signed in or connected."""

import base64
import hmac
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import monotonic, sleep, time
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select, update
from werkzeug.wrappers import Response

from tests.web.lti.failing import CLIENT, FailingPlatform, begin, launch, post
from tests.web.lti.test_launch import BO, connect, name_of, role_in_course
from tests.web.school import COOKIE, Browser, School
from web.lti.lti import EXTENSION
from web.lti.messages import AT_ONCE, CLAIM, LINKING, KeyRing
from web.lti.tables import LtiCourse, LtiPlatform
from web.sign_on.tables import SignOnIdentity
from web.site import outside
from web.site.models import Membership, Role, User

UNTRUSTED = "could not be trusted"
STALE = "was started in another browser or too long ago, or has already been used"
Signing = Callable[[FailingPlatform, dict[str, Any]], str]


def part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def unsigned(_: FailingPlatform, claims: dict[str, Any]) -> str:
    return f"{part({'alg': 'none', 'kid': 'key-0'})}.{part(claims)}."


def by_hmac(platform: FailingPlatform, claims: dict[str, Any]) -> str:
    """Algorithm confusion: the public key as the secret of an HMAC."""
    said = f"{part({'alg': 'HS256', 'kid': 'key-0'})}.{part(claims)}"
    made = hmac.digest(platform.keys[0].as_pem(private=False), said.encode(), "sha256")
    return f"{said}.{base64.urlsafe_b64encode(made).rstrip(b'=').decode()}"


def by_another_key(platform: FailingPlatform, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "key-0"}, claims, platform.keys[1])


def by_an_unknown_key(platform: FailingPlatform, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, platform.keys[1])


def by_a_key_in_the_token(_: FailingPlatform, claims: dict[str, Any]) -> str:
    key = RSAKey.generate_key(2048, {"kid": "mine"})
    return jwt.encode({"alg": "RS256", "kid": "mine", "jwk": key.as_dict(private=False)}, claims, key)


FORGED: dict[str, dict[str, Any] | Signing] = {
    "forged issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "somebody-else"},
    "several audiences, for another to use": {"aud": [CLIENT, "evil"], "azp": "evil"},
    "several audiences, for nobody in particular": {"aud": [CLIENT, "evil"]},
    "no audience": {"aud": None},
    "expired": {"exp": int(time()) - 90},
    "never expires": {"exp": None},
    "another nonce": {"nonce": "of another launch"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is too long": {"sub": "x" * 256},
    "a subject that no database takes": {"sub": "s-1\0"},
    "another deployment": {f"{CLAIM}deployment_id": "2"},
    "no deployment": {f"{CLAIM}deployment_id": None},
    "another version": {f"{CLAIM}version": "1.1"},
    "a message of another kind": {f"{CLAIM}message_type": "LtiSubmissionReviewRequest"},
    "no course": {f"{CLAIM}context": None},
    "a course that is a text": {f"{CLAIM}context": "c-1"},
    "unsigned": unsigned,
    "signed with the public key": by_hmac,
    "signed by another key": by_another_key,
    "signed by a key that is not published": by_an_unknown_key,
    "signed by a key that it brings along": by_a_key_in_the_token,
    "no token": lambda *_: "",
    "not a token": lambda *_: "a.b.c",
    "a huge token": lambda *_: "a" * 60_000,
}


@pytest.mark.parametrize("attack", FORGED)
def test_a_forged_message_signs_nobody_in(school: School, failing: FailingPlatform, attack: str) -> None:
    failing.add_to(school)
    how, browser = FORGED[attack], Browser(school.app)
    if callable(how):
        failing.sign = lambda claims: how(failing, claims)
    answer = launch(browser, failing, **(how if isinstance(how, dict) else {}))
    assert answer.status_code == 502
    assert UNTRUSTED in answer.text
    assert name_of(browser) == ""


@pytest.mark.parametrize(("wrong_s", "minutes"), [(600, 10), (-600, 10), (120, 2)])
def test_a_wrong_clock_is_named(school: School, failing: FailingPlatform, wrong_s: int, minutes: int) -> None:
    failing.add_to(school)
    browser, at = Browser(school.app), int(time()) + wrong_s
    answer = launch(browser, failing, iat=at, exp=at + 300)
    assert f"The clock of Pretender is off by about {minutes} minutes" in answer.text
    assert name_of(browser) == ""


def test_a_clock_that_is_wrong_by_less_than_a_minute_does_no_harm(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    at = int(time()) + 40
    assert launch(Browser(school.app), failing, iat=at, exp=at + 300).location == BO


def test_a_state_and_its_nonce_count_once(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    asked = begin(browser, failing)
    token = failing.signed(failing.message(asked["nonce"]))
    arrival = post(browser, asked["state"], token).location
    assert STALE in post(browser, asked["state"], token).text, "the same answer again"
    other = begin(browser, failing)
    assert UNTRUSTED in post(browser, other["state"], token).text, "the nonce of another launch"
    assert STALE in post(browser, "", token).text
    assert browser.get(arrival).location == BO
    assert STALE in browser.get(arrival).text, "an arrival that is over"


def test_a_message_that_was_refused_cannot_be_tried_again(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    asked = begin(browser, failing)
    message = failing.message(asked["nonce"])
    assert UNTRUSTED in post(browser, asked["state"], unsigned(failing, message)).text
    assert STALE in post(browser, asked["state"], failing.signed(message)).text


def test_an_arrival_in_another_browser_signs_nobody_in(school: School, failing: FailingPlatform) -> None:
    """Otherwise whoever has launched could make somebody else go on in their name, or with their own account."""
    failing.add_to(school)
    attacker, victim = Browser(school.app), Browser(school.app)
    asked = begin(attacker, failing)
    arrival = post(attacker, asked["state"], failing.signed(failing.message(asked["nonce"]))).location
    begin(victim, failing)
    assert STALE in victim.get(arrival).text
    assert name_of(victim) == ""


def test_a_planted_session_is_not_the_one_after_the_launch(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    attacker, victim = Browser(school.app), Browser(school.app)
    attacker.get("/sign-in")
    planted = attacker.client.get_cookie(COOKIE)
    victim.client.set_cookie(COOKIE, planted.value if planted else "x")
    launch(victim, failing, name="Zoe New")
    assert name_of(victim) == "Zoe New"
    assert name_of(attacker) == ""


def test_somebody_who_is_signed_in_becomes_the_one_whom_the_platform_means(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school)
    browser = school.browser("ben")
    launch(browser, failing, name="Zoe New")
    assert name_of(browser) == "Zoe New"


def test_a_pending_connection_of_another_browser_connects_nothing(school: School, failing: FailingPlatform) -> None:
    """An attacker would send their own address to a victim who is signed in, and then be the victim."""
    failing.add_to(school, creates=False)
    attacker, victim = Browser(school.app), school.browser("ben")
    answer = launch(attacker, failing)
    address = answer.text.partition('class="button main" href="')[2].partition('"')[0]
    assert address.startswith("/lti/connect/")
    assert victim.get(address).status_code == 502
    assert victim.post(address, form="/account/").status_code == 502
    assert attacker.get(address).location.startswith("/sign-in")
    with school.write() as store:
        assert store.scalars(select(SignOnIdentity)).all() == []


TAKEOVERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "address of somebody": ({}, {"email": "ada@uni.example"}),
    "address of somebody, where logins count": ({"link_by": "login"}, {"email": "ada@uni.example"}),
    "login, where nothing counts": ({}, {"preferred_username": "ada"}),
    "login that an instructor has typed": (
        {"link_by": "login"},
        {f"{CLAIM}custom": {"login": "ada", "user_username": "ada", "preferred_username": "ada"}},
    ),
    "login of staff": ({"link_by": "login"}, {"preferred_username": "ines"}),
    "login of somebody of another course": ({"link_by": "login"}, {"preferred_username": "otto"}),
    "login in other letters": ({"link_by": "login"}, {"preferred_username": "аda"}),
    "student number of staff": ({"link_by": "student_number"}, {f"{CLAIM}lis": {"person_sourcedid": "1"}}),
    "student number in another course": ({"link_by": "student_number"}, {f"{CLAIM}lis": {"person_sourcedid": "5"}}),
    "no student number": ({"link_by": "student_number"}, {f"{CLAIM}lis": {"person_sourcedid": ""}}),
}


@pytest.mark.parametrize("attack", TAKEOVERS)
def test_nobody_takes_an_account_over(school: School, failing: FailingPlatform, attack: str) -> None:
    settings, claims = TAKEOVERS[attack]
    failing.add_to(school, **settings)
    with school.write() as store:
        numbers = {"ines": "1", "otto": "5"}
        for login, number in numbers.items():
            store.execute(
                update(Membership).where(Membership.user_id == school.people[login]).values(student_number=number)
            )
        ada = store.get_one(Membership, (school.people["ada"], school.course))
        ada.email = "ada@uni.example"
    browser = Browser(school.app)
    launch(browser, failing, **claims)
    assert name_of(browser) not in {f"{login.title()} Realname" for login in school.people}
    with school.write() as store:
        connected = set(store.scalars(select(SignOnIdentity.user_id)))
    assert not connected & {*school.people.values()}


def test_a_login_that_is_given_out_again_does_not_bring_the_account_along(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school, link_by="login")
    assert launch(Browser(school.app), failing, preferred_username="ada").location == BO
    browser = Browser(school.app)
    answer = launch(browser, failing, sub="s-2", preferred_username="ada")
    assert "is connected with somebody else at Pretender" in answer.text
    assert name_of(browser) == ""


def test_a_subject_of_another_platform_is_somebody_else(school: School, failing: FailingPlatform) -> None:
    """Also of another client of the same issuer, as of another university at the same Canvas."""
    failing.add_to(school)
    connect(school, "ada")
    with school.write() as store:
        row = store.scalars(select(LtiPlatform)).one()
        row.client_id = "another-client"
    browser = Browser(school.app)
    launch(browser, failing, aud="another-client", name="Zoe New")
    assert name_of(browser) == "Zoe New"


def test_a_course_of_another_platform_or_deployment_is_another_course(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school, deployments=["1", "2"])
    for claims in ({f"{CLAIM}deployment_id": "2"}, {f"{CLAIM}context": {"id": "c-2"}}):
        answer = launch(Browser(school.app), failing, **claims)
        assert answer.status_code == 403
        assert "not connected to a course here yet" in answer.text


def test_a_link_reaches_no_assignment_of_another_course(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    with school.write() as store:
        other = store.scalars(select(Membership.course_id).where(Membership.user_id == school.people["otto"])).one()
        store.execute(update(LtiCourse).values(course_id=other))
    browser = Browser(school.app)
    assert launch(browser, failing, name="Zoe New").location == "/"
    assert "leads to the assignment “bo”" in browser.get("/").text
    assert browser.get(BO).status_code == 404


def test_a_launch_changes_no_role(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    connect(school, "ada")
    launch(Browser(school.app), failing, "Instructor")
    assert role_in_course(school, "Ada Realname") is Role.STUDENT


def test_only_who_teaches_there_and_here_connects_courses(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school, connected=False)
    for login, role in (("ada", "Instructor"), ("ines", "Learner")):
        connect(school, login, login)
        browser = Browser(school.app)
        answer = launch(browser, failing, role, sub=login)
        if role == "Learner":
            assert answer.status_code == 403
        else:
            assert "You do not teach a course here" in browser.get(answer.location).text
            assert browser.post(answer.location, {"course": "comp10001"}).status_code == 403
    with school.write() as store:
        assert store.scalars(select(LtiCourse)).all() == []


NAMES = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{ 7 * 7 }}"]


@pytest.mark.parametrize("name", NAMES)
def test_html_in_names_is_text(school: School, failing: FailingPlatform, name: str) -> None:
    failing.add_to(school, creates=False)
    browser = Browser(school.app)
    answer = launch(
        browser, failing, "Instructor", preferred_username=name, **{f"{CLAIM}context": {"id": "c-1", "title": name}}
    )
    assert answer.status_code == 409
    assert name not in answer.text or name == NAMES[2]
    school.browser("ines")
    shown = school.browser("ines").get("/courses/comp10001/platforms/").text
    assert "<script>alert" not in shown
    assert "<img src=x" not in shown


@pytest.mark.parametrize("name", [*NAMES, "Zoe\u202egnp", "x" * 300])
def test_a_new_account_has_a_name_that_can_be_shown_or_is_refused(
    school: School, failing: FailingPlatform, name: str
) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    answer = launch(browser, failing, name=name, preferred_username="zoe")
    if answer.status_code == 303:
        page = browser.get("/account/").text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "\u202e" not in page


INTERNAL = {
    "https://127.0.0.1:1/keys": "internal network",
    "https://10.0.0.1/keys": "internal network",
    "https://169.254.169.254/latest/meta-data/": "internal network",
    "https://[::1]/keys": "internal network",
    "https://localhost/keys": "internal network",
    "http://93.184.216.34/keys": "https",
}


@pytest.mark.parametrize("address", INTERNAL)
def test_keys_are_not_read_from_an_internal_network(
    school: School, failing: FailingPlatform, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    school.app.extensions[EXTENSION].ring.__init__(frozenset())
    failing.add_to(school, keys_url=address)
    with caplog.at_level(logging.WARNING):
        answer = launch(Browser(school.app), failing)
    assert UNTRUSTED in answer.text
    assert INTERNAL[address] in caplog.text
    school.app.extensions[EXTENSION].ring.__init__(frozenset({"127.0.0.1"}))


def test_not_even_those_of_the_tests(school: School, failing: FailingPlatform) -> None:
    with pytest.raises(OSError, match="https"):
        KeyRing().of(f"{failing.issuer}/keys", "key-0")
    assert failing.asked == []


KEYS: dict[str, Callable[[], Response]] = {
    "huge": lambda: Response(b'{"keys": ["' + b"x" * (outside.MOST + 10) + b'"]}'),
    "not JSON": lambda: Response("<html>"),
    "a list": lambda: Response("[]"),
    "no keys": lambda: Response('{"keys": []}'),
    "keys that are none": lambda: Response('{"keys": [7, null]}'),
    "symmetric": lambda: Response('{"keys": [{"kty": "oct", "kid": "key-0", "k": "AAAA"}]}'),
    "elsewhere": lambda: Response(status=302, headers={"Location": "http://127.0.0.1/keys"}),
    "an error": lambda: Response(status=500),
    "silent": lambda: (sleep(1.5), Response("{}"))[1],
}


@pytest.mark.parametrize("how", KEYS)
def test_keys_that_cannot_be_used_sign_nobody_in(
    school: School, failing: FailingPlatform, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "READ_S", 0.5)
    failing.add_to(school)
    failing.instead["/keys"] = KEYS[how]
    at = monotonic()
    assert UNTRUSTED in launch(Browser(school.app), failing).text
    assert monotonic() - at < 5


def test_a_key_that_is_rotated_is_read_again_and_an_ended_one_is_worth_nothing(
    school: School, failing: FailingPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.lti.messages.REST_S", 0.0)
    failing.add_to(school)
    assert launch(Browser(school.app), failing).location == BO
    failing.published = failing.keys[1:]
    failing.sign = lambda claims: by_an_unknown_key(failing, claims)
    assert launch(Browser(school.app), failing).location == BO
    failing.sign = failing.signed
    assert UNTRUSTED in launch(Browser(school.app), failing).text


def test_keys_that_fail_are_left_alone_for_a_while_and_a_known_one_still_serves(
    school: School, failing: FailingPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing.add_to(school)
    failing.instead["/keys"] = lambda: Response(status=500)
    for _ in range(3):
        assert UNTRUSTED in launch(Browser(school.app), failing).text
    assert failing.asked.count("GET /keys") == 1
    failing.instead.clear()
    with monkeypatch.context() as patch:
        patch.setattr("web.lti.messages.monotonic", lambda: monotonic() + 60)
        assert launch(Browser(school.app), failing).location == BO
    failing.instead["/keys"] = lambda: Response(status=500)
    monkeypatch.setattr("web.lti.messages.monotonic", lambda: monotonic() + 5000)
    for _ in range(3):
        assert launch(Browser(school.app), failing).location == BO
    assert failing.asked.count("GET /keys") == 3


def test_few_wait_for_keys_at_once(failing: FailingPlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.sign_on.protocol.QUEUE_S", 0.1)
    failing.instead["/keys"] = lambda: (sleep(1), Response(status=500))[1]
    ring = KeyRing(frozenset({"127.0.0.1"}))
    with ThreadPoolExecutor(12) as pool:
        found = [pool.submit(ring.of, f"{failing.issuer}/keys", "key-0") for _ in range(12)]
    assert all(each.exception() for each in found)
    assert failing.asked.count("GET /keys") <= AT_ONCE


def test_a_choice_is_brought_to_a_platform_of_the_own_network(school: School, failing: FailingPlatform) -> None:
    school.app.extensions["quadrille"] = replace(
        school.app.extensions["quadrille"], internal_hosts=frozenset({"127.0.0.1", "lms.intern"})
    )
    failing.add_to(school)
    connect(school, "ines")
    deep = {"deep_link_return_url": "http://lms.intern/back", "accept_types": ["ltiResourceLink"]}
    about = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{LINKING}deep_linking_settings": deep}
    assert launch(Browser(school.app), failing, "Instructor", **about).status_code == 200


def test_an_unknown_platform_begins_nothing(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    for asked in ({}, {"iss": "https://evil.example"}, {"iss": failing.issuer, "client_id": "other"}):
        assert Browser(school.app).get("/lti/login", query_string=asked).status_code == 403


def test_what_a_platform_says_about_an_error_is_only_logged(
    school: School, failing: FailingPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    state = begin(browser, failing)["state"]
    with caplog.at_level(logging.WARNING):
        answer = browser.client.post("/lti/launch", data={"state": state, "error": "<b>login_required"})
    assert answer.status_code == 502
    assert "login_required" not in answer.text
    assert "login_required" in caplog.text


def test_a_ticket_of_deep_linking_counts_once_and_nobody_can_guess_it(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    connect(school, "ines")
    deep = {
        f"{CLAIM}message_type": "LtiDeepLinkingRequest",
        f"{LINKING}deep_linking_settings": {
            "deep_link_return_url": "https://lms.example/back",
            "accept_types": ["ltiResourceLink"],
        },
    }
    browser = Browser(school.app)
    page = launch(browser, failing, "Instructor", **deep).text
    ticket = page.partition('name="ticket" value="')[2].partition('"')[0]
    assert name_of(browser) == "", "it signs nobody in"
    sent = {"ticket": ticket, "assignment": str(school.assignment)}
    assert STALE in browser.client.post("/lti/choose", data={**sent, "ticket": ""}).text
    answer = browser.client.post("/lti/choose", data=sent)
    assert "form-action https://lms.example;" in answer.headers["Content-Security-Policy"]
    assert STALE in browser.client.post("/lti/choose", data=sent).text


DEEP: dict[str, dict[str, Any]] = {
    "to a script": {"deep_link_return_url": "javascript:alert(1)", "accept_types": ["ltiResourceLink"]},
    "without TLS": {"deep_link_return_url": "http://lms.example/", "accept_types": ["ltiResourceLink"]},
    "to nowhere": {"accept_types": ["ltiResourceLink"]},
    "for pictures": {"deep_link_return_url": "https://lms.example/", "accept_types": ["image"]},
}


@pytest.mark.parametrize("how", DEEP)
def test_a_choice_is_brought_only_where_it_may(school: School, failing: FailingPlatform, how: str) -> None:
    failing.add_to(school)
    connect(school, "ines")
    about = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{LINKING}deep_linking_settings": DEEP[how]}
    answer = launch(Browser(school.app), failing, "Instructor", **about)
    assert answer.status_code == 403
    assert "does not accept links" in answer.text


@pytest.mark.parametrize("login", ["ada", "otto", None])
def test_only_those_who_teach_here_see_what_can_be_chosen(
    school: School, failing: FailingPlatform, login: str | None
) -> None:
    failing.add_to(school)
    if login:
        connect(school, login)
    deep = {"deep_link_return_url": "https://lms.example/", "accept_types": ["ltiResourceLink"]}
    about = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{LINKING}deep_linking_settings": deep}
    answer = launch(Browser(school.app), failing, "Instructor", **about)
    assert answer.status_code == 403
    assert "Project 2" not in answer.text


def test_new_accounts_only_where_the_platform_may_make_them(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school, creates=False)
    answer = launch(Browser(school.app), failing, preferred_username="zoe")
    assert answer.status_code == 409
    with school.write() as store:
        assert store.scalar(select(User.id).where(User.login == "zoe")) is None
