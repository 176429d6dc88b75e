"""Platforms that register themselves by a link, and what those do who have a link and no good intentions."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect
from sqlalchemy import select, update
from werkzeug.test import TestResponse
from werkzeug.wrappers import Response

from tests.web.lti.failing import CLIENT, SPEC, FailingPlatform, launch
from tests.web.lti.test_launch import connect
from tests.web.school import Browser, School
from web.lti.tables import LtiMember, LtiPlatform, LtiRegistration
from web.sign_on.tables import SignOnIdentity
from web.site import outside

PAGE = "/lti/platforms/"
MAKE = f"{PAGE}registrations"
TOKEN = "registration-token"
NOT_REGISTERED = "was not registered, because it could not be reached or its answer could not be used"
STALE = "This link has been used or revoked, or is older than an hour"


def make_link(school: School) -> str:
    """The path of a new link."""
    shown = school.browser("ines").post(MAKE, form=PAGE).text
    secret = shown.partition("/lti/register/")[2].partition("<")[0]
    assert len(secret) > 40
    return f"/lti/register/{secret}"


def follow(school: School, link: str, address: str) -> TestResponse:
    """As a platform, in a frame without cookies."""
    asked = {"openid_configuration": address, "registration_token": TOKEN}
    return Browser(school.app).get(link, query_string=asked)


def register(school: School, failing: FailingPlatform) -> TestResponse:
    return follow(school, make_link(school), f"{failing.issuer}/about")


def waiting(school: School) -> list[dict[str, str]]:
    """What has been registered, and not been looked at."""
    with school.write() as store:
        return [row.found for row in store.scalars(select(LtiRegistration)) if row.found]


def platforms(school: School) -> list[str]:
    with school.write() as store:
        return [*store.scalars(select(LtiPlatform.client_id))]


def test_a_platform_registers_itself_and_launches_once_it_was_looked_at(
    school: School, failing: FailingPlatform
) -> None:
    answer = register(school, failing)
    assert answer.status_code == 200
    assert "close.js" in answer.text
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cross-Origin-Opener-Policy"] == "unsafe-none", "it may be in a window"
    ((token, ours),) = failing.registered
    assert token == f"Bearer {TOKEN}"
    assert ours["initiate_login_uri"] == "http://localhost/lti/login"
    assert ours["redirect_uris"] == ["http://localhost/lti/launch", "http://localhost/lti/choose"]
    assert ours["jwks_uri"] == "http://localhost/lti/keys"
    assert ours["token_endpoint_auth_method"] == "private_key_jwt"
    assert {each.rpartition("/")[2] for each in ours["scope"].split()} == {
        "contextmembership.readonly",
        "lineitem",
        "score",
    }
    messages = ours[SPEC.format("tool")]["messages"]
    assert [each["type"] for each in messages] == ["LtiResourceLinkRequest", "LtiDeepLinkingRequest"]
    assert messages[1]["target_link_uri"] == "http://localhost/lti/choose"

    assert platforms(school) == []
    begun = {"iss": failing.issuer, "client_id": CLIENT, "login_hint": "h"}
    assert Browser(school.app).get("/lti/login", query_string=begun).status_code == 403

    save_what_waits(school)
    assert platforms(school) == [CLIENT]
    assert waiting(school) == []
    assert "not connected to a course here yet" in launch(Browser(school.app), failing).text


def save_what_waits(school: School, **otherwise: str) -> TestResponse:
    """As the administrator, with the form as it is shown."""
    browser = school.browser("ines")
    with school.write() as store:
        (id_,) = store.scalars(select(LtiRegistration.id).where(LtiRegistration.sha256.is_(None)))
    shown = browser.get(f"{PAGE}?registration={id_}").text
    (found,) = waiting(school)
    assert all(f'value="{value}"' in shown for value in found.values())
    form = {**found, "link_by": "nothing", "creates": "yes", "registration": str(id_), **otherwise}
    return browser.post(PAGE, form, form=PAGE)


def test_one_that_names_no_deployment_cannot_be_saved_without(school: School, failing: FailingPlatform) -> None:
    failing.given = {"client_id": CLIENT}
    register(school, failing)
    assert save_what_waits(school).status_code == 422
    assert len(waiting(school)) == 1
    assert save_what_waits(school, deployments="7").status_code == 303
    assert platforms(school) == [CLIENT]


def test_the_audience_is_the_server_of_tokens_that_it_names(school: School, failing: FailingPlatform) -> None:
    failing.about[SPEC.format("platform")]["authorization_server"] = "https://tokens.example"
    register(school, failing)
    assert waiting(school)[0]["audience"] == "https://tokens.example"


def test_what_nobody_trusts_is_removed(school: School, failing: FailingPlatform) -> None:
    register(school, failing)
    with school.write() as store:
        id_ = store.scalars(select(LtiRegistration.id)).one()
    assert school.browser("ines").post(MAKE, {"id": str(id_)}, form=PAGE).status_code == 303
    assert (waiting(school), platforms(school)) == ([], [])


def test_a_link_counts_once(school: School, failing: FailingPlatform) -> None:
    link = make_link(school)
    assert follow(school, link, f"{failing.issuer}/about").status_code == 200
    again = follow(school, link, f"{failing.issuer}/about")
    assert (again.status_code, STALE in again.text) == (403, True)
    assert len(failing.registered) == 1


def test_a_link_that_failed_is_used_up(school: School, failing: FailingPlatform) -> None:
    link = make_link(school)
    assert follow(school, link, f"{failing.issuer}/nothing").status_code == 502
    assert STALE in follow(school, link, f"{failing.issuer}/about").text
    assert failing.registered == []


@pytest.mark.parametrize(("minutes", "status"), [(59, 200), (61, 403)])
def test_a_link_lasts_an_hour(school: School, failing: FailingPlatform, minutes: int, status: int) -> None:
    link = make_link(school)
    with school.write() as store:
        row = store.scalars(select(LtiRegistration)).one()
        row.made_at -= timedelta(minutes=minutes)
    assert follow(school, link, f"{failing.issuer}/about").status_code == status
    assert len(failing.registered) == (status == 200)


def test_a_revoked_link_registers_nothing(school: School, failing: FailingPlatform) -> None:
    link = make_link(school)
    with school.write() as store:
        id_ = store.scalars(select(LtiRegistration.id)).one()
    school.browser("ines").post(MAKE, {"id": str(id_)}, form=PAGE)
    assert STALE in follow(school, link, f"{failing.issuer}/about").text
    assert failing.asked == []


def test_a_guessed_link_asks_nobody(school: School, failing: FailingPlatform) -> None:
    register(school, failing)  # what has no link any more is not found by an empty one
    for secret in ("x", "None", "%00"):
        assert follow(school, f"/lti/register/{secret}", f"{failing.issuer}/about").status_code in (400, 403)
    assert len(failing.registered) == 1


def test_a_link_is_stored_as_its_hash(school: School, caplog: pytest.LogCaptureFixture) -> None:
    secret = make_link(school).rpartition("/")[2]
    with school.write() as store:
        assert secret not in str(store.scalars(select(LtiRegistration.sha256)).one())
    assert secret not in school.browser("ines").get(PAGE).text
    assert secret not in caplog.text


@pytest.mark.parametrize("login", ["ada", "otto"])
def test_only_those_whom_the_settings_name_make_links(school: School, login: str) -> None:
    assert school.browser(login).post(MAKE, form="/account/").status_code == 403
    with school.write() as store:
        assert store.scalars(select(LtiRegistration)).all() == []


INTERNAL = {
    "https://127.0.0.1:1/about": 502,
    "https://10.0.0.1/about": 502,
    "https://169.254.169.254/latest/meta-data/": 502,
    "https://[::1]/about": 502,
    "https://localhost/about": 502,
    "http://127.0.0.1/about": 403,
    "http://93.184.216.34/about": 403,
    "file:///etc/passwd": 403,
    "https://a:b@93.184.216.34/about": 403,
    "https://[/about": 403,
    "": 403,
}


@pytest.fixture
def outsider(school: School) -> School:
    """A site that names no host of its internal network."""
    here = school.app.extensions["quadrille"]
    school.app.extensions["quadrille"] = replace(here, internal_hosts=frozenset())
    return school


@pytest.mark.parametrize("address", INTERNAL)
def test_an_internal_network_is_not_asked(outsider: School, address: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        answer = follow(outsider, make_link(outsider), address)
    assert answer.status_code == INTERNAL[address]
    if answer.status_code == 502:
        assert NOT_REGISTERED in answer.text
        assert "is in an internal network" in caplog.text
        assert "internal network" not in answer.text, "or it could be explored"
    assert waiting(outsider) == []


def test_a_registration_is_not_sent_into_an_internal_network(school: School, failing: FailingPlatform) -> None:
    failing.about["registration_endpoint"] = "https://localhost/register"
    assert NOT_REGISTERED in register(school, failing).text
    failing.about["registration_endpoint"] = failing.issuer.replace("127.0.0.1", "localhost") + "/register"
    assert NOT_REGISTERED in register(school, failing).text
    assert (failing.registered, waiting(school)) == ([], [])


FORGED: dict[str, dict[str, Any]] = {
    "issuer of another host": {"issuer": "https://moodle.uni.example"},
    "issuer of another port": {"issuer": "http://127.0.0.1:1"},
    "issuer with the host in its path": {"issuer": "https://evil.example/127.0.0.1"},
    "issuer with the host as a user": {"issuer": "http://{}@evil.example"},
    "no issuer": {"issuer": None},
    "an issuer that is a number": {"issuer": 7},
    "an issuer that is a list": {"issuer": ["http://{}"]},
    "a script": {"authorization_endpoint": "javascript:alert(1)"},
    "keys without TLS": {"jwks_uri": "http://moodle.uni.example/keys"},
    "no tokens": {"token_endpoint": None},
    "nowhere to register": {"registration_endpoint": None},
    "long": {"token_endpoint": "https://moodle.uni.example/" + "x" * 500},
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_description_registers_nothing(school: School, failing: FailingPlatform, how: str) -> None:
    host = failing.issuer.removeprefix("http://")
    failing.about |= {
        name: value.format(host) if isinstance(value, str) else value for name, value in FORGED[how].items()
    }
    answer = register(school, failing)
    assert (answer.status_code, NOT_REGISTERED in answer.text) == (502, True)
    assert waiting(school) == []
    if "issuer" in FORGED[how]:
        assert failing.registered == [], "its token is not spent"


ANSWERS: dict[str, Callable[[str], Response]] = {  # of what would be good otherwise
    "huge": lambda good: Response(good + " " * outside.MOST),
    "not JSON": lambda good: Response(f"<html>{good}"),
    "deep": lambda _: Response("[" * 100_000),
    "a list": lambda good: Response(f"[{good}]"),
    "nothing": lambda _: Response("{}"),
    "elsewhere": lambda _: Response(status=302, headers={"Location": "/good"}),
    "an error": lambda good: Response(good, status=400),
    "silent": lambda good: (sleep(1.5), Response(good))[1],
}


@pytest.mark.parametrize("path", ["/about", "/register"])
@pytest.mark.parametrize("how", ANSWERS)
def test_an_answer_that_cannot_be_used_registers_nothing(
    school: School, failing: FailingPlatform, how: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "READ_S", 0.5)
    good = json.dumps({**failing.about, **failing.given})
    failing.instead = {path: lambda: ANSWERS[how](good), "/good": lambda: Response(good)}
    link, at = make_link(school), monotonic()
    answer = follow(school, link, f"{failing.issuer}/about")
    assert monotonic() - at < 5
    assert (answer.status_code, NOT_REGISTERED in answer.text) == (502, True)
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"], "the platform's frame shows why"
    assert waiting(school) == []


HTML = "<script>alert(1)</script>"


def test_html_in_names_is_text(school: School, failing: FailingPlatform) -> None:
    failing.about[SPEC.format("platform")]["product_family_code"] = HTML
    failing.about |= dict.fromkeys(("authorization_endpoint", "token_endpoint"), f"{failing.issuer}/{HTML}")
    failing.given = {"client_id": HTML, SPEC.format("tool"): {"deployment_id": HTML}}
    shown = register(school, failing).text
    with school.write() as store:
        id_ = store.scalars(select(LtiRegistration.id)).one()
    for page in (
        shown,
        school.browser("ines").get(PAGE).text,
        school.browser("ines").get(f"{PAGE}?registration={id_}").text,
    ):
        assert "&lt;script&gt;alert" in page
        assert HTML not in page


def test_a_registration_replaces_no_platform(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school, keys_url="https://keys.uni.example/")
    answer = register(school, failing)
    assert answer.status_code == 422
    assert "There is already a platform with this issuer and client id." in answer.text
    assert waiting(school) == []
    with school.write() as store:
        store.execute(update(LtiPlatform).values(client_id="another"))
    register(school, failing)
    with school.write() as store:
        store.execute(update(LtiPlatform).values(client_id=CLIENT))
    assert save_what_waits(school).status_code == 422, "nor does what waits"
    with school.write() as store:
        assert store.scalars(select(LtiPlatform.keys_url)).one() == "https://keys.uni.example/"


@pytest.mark.full
def test_in_a_browser_the_platform_closes_its_frame(
    chromium: Chromium, school: School, failing: FailingPlatform, address: str
) -> None:
    tool = f"{address}{make_link(school)}?openid_configuration={quote(failing.issuer, '')}/about"
    page = chromium.new_page()
    page.goto(f"{failing.issuer}/admin?tool={quote(tool, '')}")
    expect(page.locator("iframe")).to_have_count(0)
    page.context.close()
    assert len(waiting(school)) == 1


def test_somebody_ends_the_connection_of_their_account(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school, creates=False)
    connect(school, "ada")
    connect(school, "ben", "s-2")
    with school.write() as store:
        rows = {row.user_id: row.id for row in store.scalars(select(SignOnIdentity))}
        for login in ("ada", "ben"):
            store.add(LtiMember(lti_course_id=link, user_id=school.people[login], subject=login))
    mine, others = (f"/lti/connections/{rows[school.people[login]]}/disconnect" for login in ("ada", "ben"))
    ada, elsewhere = school.browser("ada"), school.browser("ada")
    assert "Pretender, as" in ada.get("/account/").text
    assert ada.post(others, form="/account/").status_code == 404
    assert ada.post(mine, form="/account/").status_code == 303
    assert "Pretender, as" not in ada.get("/account/").text
    assert elsewhere.get("/account/").status_code == 303, "other browsers are signed out"
    with school.write() as store:
        assert store.scalars(select(SignOnIdentity.user_id)).all() == [school.people["ben"]]
        assert store.scalars(select(LtiMember.user_id)).all() == [school.people["ben"]]
    assert launch(Browser(school.app), failing).status_code == 409


def test_the_only_way_to_sign_in_stays(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    launch(browser, failing, name="Zoe New")
    with school.write() as store:
        id_ = store.scalars(select(SignOnIdentity.id)).one()
    browser.post(f"/lti/connections/{id_}/disconnect", form="/account/")
    assert "This is your only way to sign in" in browser.get("/account/").text
    with school.write() as store:
        assert store.scalars(select(SignOnIdentity.id)).all() == [id_]
        assert len(store.scalars(select(LtiMember)).all()) == 1
