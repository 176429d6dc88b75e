"""In maintenance everything can be read and nothing is stored."""

import re

import pytest
from flask import Flask
from sqlalchemy import select

from grader.store.models import Submission
from tests.web.school import PASSWORD, School
from tournament.work import maintenance
from web.site.models import ApiToken
from web.site.store import READING, STORING_NOTHING

REASON = "The server gets a larger disk"


@pytest.fixture
def at_rest(school: School) -> School:
    """The class, in maintenance."""
    school.submission = school.upload("ada")  # type: ignore[attr-defined]
    with school.write() as session:
        maintenance.begin(session, REASON)
    return school


def writing_addresses(app: Flask) -> list[tuple[str, str]]:
    """Every address that takes a request which may store something, with its method."""
    found = []
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - READING):
            if rule.endpoint not in STORING_NOTHING:
                found.append((method, re.sub(r"<[^>]+>", "1", rule.rule)))
    return found


def test_every_page_that_stores_refuses_and_says_why(at_rest: School) -> None:
    browser = at_rest.browser("ines")
    addresses = [each for each in writing_addresses(at_rest.app) if not each[1].startswith("/api/")]
    assert len(addresses) >= 8
    for method, path in addresses:
        assert method == "POST"
        reply = browser.post(path)
        assert (path, reply.status_code) == (path, 503)
        assert f"{REASON}. You can still read everything" in reply.text
        assert int(reply.headers["Retry-After"]) > 0


def test_the_api_refuses_too(at_rest: School) -> None:
    key = {"Authorization": f"Bearer {at_rest.token('ada')}"}
    for method, path in [each for each in writing_addresses(at_rest.app) if each[1].startswith("/api/")]:
        reply = at_rest.app.test_client().open(path, method=method, headers=key, json={})
        assert (path, reply.status_code) == (path, 503)
        assert REASON in reply.json["error"]["message"]
        assert reply.json["error"]["retry_after_s"] == int(reply.headers["Retry-After"])


@pytest.mark.both_databases
def test_nothing_was_stored_not_even_that_a_token_was_used(at_rest: School) -> None:
    key = {"Authorization": f"Bearer {at_rest.token('ada')}"}
    path = f"/api/v1/assignments/{at_rest.assignment}/submissions"
    client = at_rest.app.test_client()
    assert client.post(path, headers=key, json={"source": "x = 2", "enter": False}).status_code == 503
    listed = client.get(path, headers=key)
    assert [each["id"] for each in listed.json["submissions"]] == [at_rest.submission]  # type: ignore[attr-defined]
    with at_rest.write() as session:
        assert session.scalars(select(Submission.id)).all() == [at_rest.submission]  # type: ignore[attr-defined]
        assert session.scalars(select(ApiToken.used_at)).all() == [None]


def test_one_can_sign_in_and_read_under_a_banner(at_rest: School) -> None:
    ada = at_rest.browser("ada")
    for path in ("/", "/courses/comp10001/bo/", "/account/"):
        page = ada.get(path)
        assert page.status_code == 200
        assert "Read-only for maintenance" in page.text
        assert REASON in page.text
    assert at_rest.browser(None).sign_in("ben", PASSWORD).status_code == 303


def test_afterwards_all_is_as_before(at_rest: School) -> None:
    with at_rest.write() as session:
        assert maintenance.end(session)
    with at_rest.write() as session:
        assert not maintenance.end(session)
    assert "maintenance" not in at_rest.browser("ada").get("/").text
