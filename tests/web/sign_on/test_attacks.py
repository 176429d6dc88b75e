"""What an attacker, or a provider that misbehaves, sends: each is refused, and nobody is signed in."""

import base64
import json
import logging
from collections.abc import Callable
from time import time
from typing import Any

import pytest
from joserfc import jws, jwt
from joserfc.jwk import OctKey, RSAKey
from werkzeug.wrappers import Response

from tests.web.school import COOKIE, Browser, School
from tests.web.sign_on.pretender import SECRET, Pretender, begin, come_back, dripping, sign_in, told
from web.sign_on import protocol
from web.site import outside

UNTRUSTED = "could not be trusted"
SILENT = "cannot be asked just now"
STALE = "was not begun in this browser"
Signing = Callable[[Pretender, dict[str, Any]], str]


def part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def unsigned(_: Pretender, claims: dict[str, Any]) -> str:
    return f"{part({'alg': 'none'})}.{part(claims)}."


def by_hmac(pretender: Pretender, claims: dict[str, Any]) -> str:
    """Algorithm confusion: the public key as the secret of an HMAC."""
    public = OctKey.import_key(pretender.key.as_pem(private=False))
    registry = jws.JWSRegistry(algorithms=["HS256"])
    return jwt.encode({"alg": "HS256", "kid": pretender.key.kid}, claims, public, registry=registry)


def by_client_secret(pretender: Pretender, claims: dict[str, Any]) -> str:
    registry = jws.JWSRegistry(algorithms=["HS256"])
    header = {"alg": "HS256", "kid": pretender.key.kid}
    return jwt.encode(header, claims, OctKey.import_key(SECRET * 3), registry=registry)


def by_another_key(pretender: Pretender, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": pretender.key.kid}, claims, pretender.keys[1])


def by_an_unknown_key(pretender: Pretender, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "unknown"}, claims, pretender.keys[1])


def by_a_key_in_the_token(pretender: Pretender, claims: dict[str, Any]) -> str:
    key = RSAKey.generate_key(2048, {"kid": "mine"})
    return jwt.encode({"alg": "RS256", "kid": "mine", "jwk": key.as_dict(private=False)}, claims, key)


FORGED: dict[str, dict[str, Any] | Signing] = {
    "forged issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "somebody-else"},
    "another audience, for us to use": {"aud": "somebody-else", "azp": "quadrille"},
    "several audiences, for another to use": {"aud": ["quadrille", "evil"], "azp": "evil"},
    "no audience": {"aud": None},
    "expired": {"exp": int(time()) - 3600},
    "never expires": {"exp": None},
    "of the future": {"iat": int(time()) + 3600},
    "another nonce": {"nonce": "of another sign-in"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is a number": {"sub": 7},
    "a subject that is too long": {"sub": "x" * 256},
    "a subject that no database takes": {"sub": "s-1\0"},
    "of another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    "unsigned": unsigned,
    "signed with the public key": by_hmac,
    "signed with the client's secret": by_client_secret,
    "signed by another key": by_another_key,
    "signed by a key that is not published": by_an_unknown_key,
    "signed by a key that it brings along": by_a_key_in_the_token,
    "no token": lambda *_: "",
    "not a token": lambda *_: "a.b.c",
}


@pytest.mark.parametrize("attack", FORGED)
def test_a_forged_token_signs_nobody_in(school: School, pretender: Pretender, attack: str) -> None:
    pretender.install(school.app, link_by="login")
    how = FORGED[attack]
    pretender.claims = {"preferred_username": "ada", **(how if isinstance(how, dict) else {})}
    if not isinstance(how, dict):
        pretender.document = {"id_token_signing_alg_values_supported": ["none", "HS256", "RS256"]}
        pretender.sign = lambda claims: how(pretender, claims)
    browser = Browser(school.app)
    assert UNTRUSTED in told(browser, sign_in(browser, pretender))
    assert browser.get("/").status_code == 303


def test_without_the_forgery_it_does(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    browser = Browser(school.app)
    assert sign_in(browser, pretender, preferred_username="ada").location == "/"
    assert "Ada Realname" in browser.get("/account/").text


def test_a_state_counts_once_and_in_its_own_browser(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    pretender.claims = {"preferred_username": "ada"}
    browser, thief = Browser(school.app), Browser(school.app)
    state = begin(browser, pretender)["state"]
    assert STALE in told(thief, come_back(thief, "pretender", state))
    assert STALE in told(thief, come_back(thief, "pretender", ""))
    assert come_back(browser, "pretender", state).location == "/"
    browser.post("/sign-out")
    assert STALE in told(browser, come_back(browser, "pretender", state))


def test_a_code_of_one_provider_is_never_sent_to_another(
    school: School, pretender: Pretender, other: Pretender
) -> None:
    pretender.install(school.app, link_by="login")
    other.install(school.app, link_by="login")
    browser = Browser(school.app)
    state = begin(browser, pretender)["state"]
    assert STALE in told(browser, come_back(browser, "other", state)), "the state is of the one it was made for"
    assert UNTRUSTED in told(browser, come_back(browser, "pretender", state, iss=other.issuer))
    pretender.document = {protocol.ANNOUNCED: True}
    pretender.install(school.app, link_by="login")
    state = begin(browser, pretender)["state"]
    assert UNTRUSTED in told(browser, come_back(browser, "pretender", state)), "it says who it is in each answer"
    assert "/token" not in [*pretender.asked, *other.asked]
    pretender.claims = {"preferred_username": "ada"}
    state = begin(browser, pretender)["state"]
    assert come_back(browser, "pretender", state, iss=pretender.issuer).location == "/"


def test_what_the_site_asks_for_is_bound_to_the_browser(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    browser = Browser(school.app)
    first, second = begin(browser, pretender), begin(browser, pretender)
    assert first["code_challenge_method"] == "S256"
    assert first["response_type"] == "code"
    assert first["redirect_uri"] == "http://localhost/sign-on/pretender/back"
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) >= 20
        assert first[name] != second[name]
    pretender.claims = {"preferred_username": "ada"}
    come_back(browser, "pretender", second["state"])
    assert len(pretender.posted[-1]["code_verifier"]) >= 43


def test_of_sign_ins_that_were_begun_a_few_are_kept(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = Browser(school.app)
    for _ in range(20):
        begin(browser, pretender)
    cookie = browser.client.get_cookie(COOKIE)
    assert cookie
    assert len(cookie.value) < 3000


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_sign_in_leads_nowhere_else(school: School, pretender: Pretender, target: str) -> None:
    pretender.install(school.app, link_by="login")
    assert sign_in(Browser(school.app), pretender, target, preferred_username="ada").location == "/"


def test_it_leads_to_where_the_visitor_wanted_to_be(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    browser = Browser(school.app)
    page = browser.get(browser.get("/courses/comp10001/bo/?x=1").location).text
    assert 'href="/sign-on/pretender?next=/courses/comp10001/bo/?x%3D1"' in page
    answer = sign_in(browser, pretender, "/courses/comp10001/bo/?x=1", preferred_username="ada")
    assert answer.location == "/courses/comp10001/bo/?x=1"


def test_the_session_is_another_one_than_before(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    victim, attacker = Browser(school.app), Browser(school.app)
    state = begin(attacker, pretender)["state"]
    planted = attacker.client.get_cookie(COOKIE)
    assert planted
    victim.client.set_cookie(COOKIE, planted.value)
    pretender.claims = {"preferred_username": "ada"}
    assert come_back(victim, "pretender", state).location == "/"
    own = victim.client.get_cookie(COOKIE)
    assert own
    assert own.value != planted.value
    assert attacker.get("/").status_code == 303


def test_somebody_who_is_signed_in_becomes_the_one_whom_the_provider_means(
    school: School, pretender: Pretender
) -> None:
    pretender.install(school.app, link_by="login")
    browser = school.browser("ben")
    sign_in(browser, pretender, preferred_username="ada")
    assert "Ada Realname" in browser.get("/account/").text


HUGE = b'{"a": "' + b"x" * (outside.MOST + 10) + b'"}'
DOCUMENTS: dict[str, Callable[[], Response]] = {
    "huge": lambda: Response(HUGE, content_type="application/json"),
    "slow": lambda: dripping(100, 0.05),
    "silent": lambda: dripping(1, 2),
    "not JSON": lambda: Response("<html>"),
    "a list": lambda: Response("[]"),
    "elsewhere": lambda: Response(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    "an error": lambda: Response("{}", 500),
}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site waits for tenths of a second."""
    monkeypatch.setattr(outside, "READ_S", 0.3)
    monkeypatch.setattr(outside, "LONGEST_S", 0.3)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("what", DOCUMENTS)
def test_a_bad_document_is_told_and_left_alone_for_a_while(school: School, pretender: Pretender, what: str) -> None:
    client = pretender.install(school.app)
    pretender.instead["/.well-known/openid-configuration"] = DOCUMENTS[what]
    browser = Browser(school.app)
    for _ in range(3):
        assert SILENT in told(browser, browser.get("/sign-on/pretender"))
    assert len(pretender.asked) == 1
    pretender.instead.clear()
    client._rests_until = 0.0
    assert begin(browser, pretender)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("what", DOCUMENTS)
@pytest.mark.parametrize("path", ["/jwks", "/token"])
def test_so_are_bad_keys_and_tokens(school: School, pretender: Pretender, path: str, what: str) -> None:
    pretender.install(school.app, link_by="login")
    pretender.instead[path] = DOCUMENTS[what]
    browser = Browser(school.app)
    assert UNTRUSTED in told(browser, sign_in(browser, pretender, preferred_username="ada"))


WRONG: dict[str, dict[str, Any]] = {
    "of another issuer": {"issuer": "https://evil.example"},
    "of an issuer that is spelt otherwise": {"issuer": "HTTP://127.0.0.1"},
    "keys without encryption": {"jwks_uri": "http://keys.example/"},
    "a token endpoint of another kind": {"token_endpoint": "file:///etc/passwd"},
    "a page that is a script": {"authorization_endpoint": "javascript:alert(1)"},
    "an end that is a script": {"end_session_endpoint": "javascript:alert(1)"},
    "no keys": {"jwks_uri": None},
    "signatures that anybody can make": {"id_token_signing_alg_values_supported": ["none", "HS256"]},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_document_that_says_what_it_may_not_is_not_used(school: School, pretender: Pretender, what: str) -> None:
    pretender.install(school.app)
    pretender.document = WRONG[what]
    browser = Browser(school.app)
    assert SILENT in told(browser, browser.get("/sign-on/pretender"))


def test_a_document_does_not_set_up_our_connections(school: School, pretender: Pretender) -> None:
    client = pretender.install(school.app)
    pretender.document = {"verify": False, "proxies": {"https": "http://evil.example"}, "cert": "/etc/passwd"}
    begin(Browser(school.app), pretender)
    assert not {"verify", "proxies", "cert"} & client.load_server_metadata().keys()


def test_keys_are_rotated(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    sign_in(Browser(school.app), pretender, preferred_username="ada")
    pretender.key, pretender.published = pretender.keys[1], pretender.keys
    assert sign_in(Browser(school.app), pretender).location == "/"
    assert pretender.asked.count("/jwks") == 2
    sign_in(Browser(school.app), pretender)
    assert pretender.asked.count("/jwks") == 2, "they are kept"
    assert pretender.asked.count("/.well-known/openid-configuration") == 1


def test_keys_of_other_kinds_are_passed_over(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    keys = [{"kty": "AKP", "kid": "future"}, {"kty": "oct", "k": "AAAA"}, pretender.key.as_dict(private=False)]
    pretender.instead["/jwks"] = lambda: Response(json.dumps({"keys": keys}))
    assert sign_in(Browser(school.app), pretender, preferred_username="ada").location == "/"


def test_further_claims_must_be_about_the_same_person(school: School, pretender: Pretender) -> None:
    pretender.install(school.app, link_by="login")
    pretender.info = {"preferred_username": "ada", "sub": "s-2"}
    browser = Browser(school.app)
    assert UNTRUSTED in told(browser, sign_in(browser, pretender))
    pretender.info = {"preferred_username": "ada"}
    assert sign_in(browser, pretender).location == "/"


def test_what_the_provider_answers_is_never_a_part_of_the_page(school: School, pretender: Pretender) -> None:
    pretender.install(school.app)
    browser = Browser(school.app)
    state = begin(browser, pretender)["state"]
    answer = come_back(browser, "pretender", state, error="<script>", error_description="<script>alert(1)</script>")
    page = told(browser, answer)
    assert '<p class="note banner bad" role="status">Pretender did not sign you in' in page
    assert "alert(1)" not in page


def test_no_secret_is_logged(school: School, pretender: Pretender, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "web")
    pretender.install(school.app)
    browser = Browser(school.app)
    assert UNTRUSTED in told(browser, sign_in(browser, pretender, iss="https://evil.example"))
    assert "not signed in by pretender" in caplog.text
    assert not [word for word in (SECRET, pretender.posted[-1]["code_verifier"], "eyJ") if word in caplog.text]
    assert SECRET not in repr(pretender.provider())


def test_an_unknown_provider_does_not_exist(school: School) -> None:
    for path in ("/sign-on/nobody", "/sign-on/nobody/back?state=x"):
        assert Browser(school.app).get(path).status_code == 404
