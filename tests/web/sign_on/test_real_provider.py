"""Signing in by a real provider, the certified `oidc-provider`, in a real browser."""

import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any
from zipfile import ZipFile

import pytest
import requests
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from flask import Flask
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select
from werkzeug.serving import make_server

from deploy.health.servers import sign_on
from deploy.settings import load
from tests.browsers import headless
from tests.deploy.mailbox import Mailbox, mailing, send_all, serving, text_of
from tests.services import PATIENCE_S
from tests.web.school import PASSWORD, School
from tournament.ladder.results import tell_put_out
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState
from web.sign_on.protocol import Client
from web.sign_on.provider import Provider
from web.sign_on.sign_on import EXTENSION
from web.sign_on.tables import SignOnIdentity
from web.site.models import Membership

pytestmark = pytest.mark.full

expect.set_options(timeout=PATIENCE_S * 1000)

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with headless() as browser:
        yield browser


@pytest.fixture
def address(school: School) -> Iterator[str]:
    """Of the site."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def install(app: Flask, issuer: str, address: str, **settings: Any) -> None:
    """Register the site with the provider, and the provider with the site."""
    back = {"redirect_uris": [f"{address}/sign-on/uni/back"], "post_logout_redirect_uris": [f"{address}/sign-in"]}
    registered = requests.post(f"{issuer}/reg", json=back, timeout=PATIENCE_S).json()
    own = {"client_id": registered["client_id"], "client_secret": registered["client_secret"], "issuer": issuer}
    provider = Provider.model_validate({"name": "uni", "title": "Example University", **own, **settings})
    app.extensions[EXTENSION].clients["uni"] = Client(provider)


def let_in(page: Page, login: str) -> None:
    """Fill in the forms of the provider."""
    page.fill("input[name=login]", login)
    page.fill("input[name=password]", "any")
    page.click("button[type=submit]")
    page.get_by_role("button", name="Continue").click()


def check_shape(page: Page) -> None:
    """No sideways scrolling, and nothing that axe finds."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE_SCRIPT)
    found = AxeResults(page.evaluate("axe.run()"))
    assert found.violations_count == 0, found.generate_report()


def test_a_student_signs_in_arrives_at_the_course_and_signs_out(
    chromium: Browser, school: School, real: str, address: str
) -> None:
    install(school.app, real, address, link_by="login")
    page = chromium.new_page(base_url=address, viewport=PHONE)  # type: ignore[arg-type]
    page.goto("/courses/comp10001/bo/")
    check_shape(page)
    page.get_by_role("link", name="Sign in with Example University").click()
    let_in(page, "ada")
    page.wait_for_url(f"{address}/courses/comp10001/bo/")
    page.goto("/account/")
    expect(page.locator("#main")).to_contain_text("Example University, as ada")
    check_shape(page)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{real}/session/end**")
    page.get_by_role("button", name="Yes, sign me out").click()
    page.wait_for_url(f"{address}/sign-in**")
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.get_by_role("link", name="Sign in with Example University").click()
    expect(page.locator("input[name=login]")).to_be_visible()
    page.context.close()


def test_a_student_is_told_by_mail_reads_it_all_in_german_and_takes_a_copy_home(
    chromium: Browser, school: School, real: str, address: str, tmp_path: Path
) -> None:
    install(school.app, real, address, link_by="login")
    entry = school.enter("ada", state=EntryState.OUT, faults=10)
    school.change(Membership, (school.people["ada"], school.course), email="ada@example.org")
    with school.write() as session:
        tell_put_out(session, session.get_one(Entry, entry), school.people["ada"])
    with serving(Mailbox()) as mailbox:
        send_all(
            mailing(tmp_path, mailbox.port, site="quadrille.example"), school.sessions, now() + timedelta(minutes=1)
        )
    (message,) = mailbox.got
    link = re.search(r"All its games: https://quadrille.example(\S+)", text_of(message))
    assert link
    page = chromium.new_page(base_url=address, viewport=PHONE)  # type: ignore[arg-type]
    page.goto(link[1])
    page.get_by_role("link", name="Sign in with Example University").click()
    let_in(page, "ada")
    page.wait_for_url(f"{address}/entries/{entry}/")
    page.goto("/account/")
    page.select_option("#language", "de")
    page.get_by_role("button", name="Save the language").click()
    seen = {f"/entries/{entry}/": "ausgeschieden", "/notices/": "Mitteilungen", "/account/data/": "über Sie"}
    for path, words in seen.items():
        page.goto(path)
        assert page.get_attribute("html", "lang") == "de"
        expect(page.locator("#main")).to_contain_text(words)
        check_shape(page)
    with page.expect_download() as taken:
        page.locator("a[download]").click()
    with ZipFile(taken.value.path()) as copy:
        print(copy.namelist(), page.inner_text("#main"))
        assert "index.html" in copy.namelist()
    page.context.close()


def test_an_instructor_connects_an_account(chromium: Browser, school: School, real: str, address: str) -> None:
    install(school.app, real, address)
    page = chromium.new_page(base_url=address)
    page.goto("/sign-in")
    page.fill("#login", "ines")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Ines Realname").click()
    check_shape(page)
    page.get_by_role("button", name="Connect Example University").click()
    let_in(page, "professor")
    page.wait_for_url(f"{address}/account/")
    expect(page.locator("#main")).to_contain_text("Your account is connected")
    expect(page.locator("#main")).to_contain_text("Example University, as professor")
    page.context.clear_cookies(name="quadrille")  # still signed in there
    page.goto("/account/")
    page.get_by_role("link", name="Sign in with Example University").click()
    page.wait_for_url(f"{address}/account/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ines Realname")
    page.context.close()
    with school.write() as session:
        (row,) = session.scalars(select(SignOnIdentity))
        assert (row.issuer, row.subject) == (real, "professor")


def test_a_newcomer_needs_a_verified_address(chromium: Browser, school: School, real: str, address: str) -> None:
    install(school.app, real, address, create="mail_domains", mail_domains=["uni.example"])
    page = chromium.new_page(base_url=address)
    page.goto("/sign-in")
    page.get_by_role("link", name="Sign in with Example University").click()
    let_in(page, "newton")
    page.wait_for_url(f"{address}/sign-in**")
    expect(page.locator("#main")).to_contain_text("Example University has not verified your e-mail address")
    page.context.clear_cookies()
    page.get_by_role("link", name="Sign in with Example University").click()
    let_in(page, "zoe")
    page.wait_for_url(f"{address}/")
    expect(page.get_by_role("link", name="zoe of the university")).to_be_visible()
    page.context.close()


def test_whoever_cancels_is_told(chromium: Browser, school: School, real: str, address: str) -> None:
    install(school.app, real, address)
    page = chromium.new_page(base_url=address)
    page.goto("/sign-in")
    page.get_by_role("link", name="Sign in with Example University").click()
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url(f"{address}/sign-in**")
    expect(page.locator("#main")).to_contain_text("Example University did not sign you in")
    page.context.close()


def test_the_doctor_knows_it(real: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = '[{"name": "uni", "title": "Uni", "issuer": "%s", "client_id": "x", "client_secret": "s3cret"}]'
    monkeypatch.setenv("QUADRILLE_SIGN_ON", described % real)
    (found,) = sign_on(load(tmp_path))
    assert (found.works, found.detail) == (True, "Uni describes itself as expected")
    monkeypatch.setenv("QUADRILLE_SIGN_ON", described % f"{real}/")
    (found,) = sign_on(load(tmp_path))
    assert not found.works
    assert f"the document is that of the issuer '{real}'" in found.detail
