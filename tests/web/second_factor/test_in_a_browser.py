"""Setting up a second factor, and signing in with it, in a browser and on a telephone."""

from collections.abc import Iterator
from threading import Thread
from time import time

import pyotp
import pytest
from playwright.sync_api import Browser, expect
from werkzeug.serving import make_server

from tests.browsers import headless
from tests.web.axe import check_page
from tests.web.school import PASSWORD, School

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser."""
    with headless() as browser:
        yield browser


@pytest.fixture
def address(school: School) -> Iterator[str]:
    """Of the site."""
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def test_an_instructor_sets_it_up_and_signs_in_with_it(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, viewport={"width": 360, "height": 740})
    page = context.new_page()

    def first_step() -> None:
        page.goto("/sign-in")
        page.get_by_label("User name").fill("ines")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    first_step()
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    check_page(page, "/account/second-factor", 360)
    secret = page.locator("p", has_text="Secret:").locator("code").inner_text()
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(int(time()) - 30))
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Use this app").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    context.clear_cookies()
    first_step()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    check_page(page, "/sign-in/second", 360)
    page.get_by_label("Code from your app").fill(pyotp.TOTP(secret).now())
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()
    context.close()
