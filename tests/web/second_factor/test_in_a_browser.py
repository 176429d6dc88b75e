"""Setting up a second factor, and signing in with it, in a browser and on a telephone."""

from collections.abc import Iterator
from threading import Thread
from time import time

import pyotp
import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect
from werkzeug.serving import make_server

from tests.browsers import headless
from tests.web.axe import check_page
from tests.web.school import PASSWORD, School
from web.second_factor.passkeys import EXTENSION, place_at

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
    found = f"http://localhost:{server.server_port}"  # browsers have no passkeys for bare addresses of networks
    school.app.extensions[EXTENSION] = place_at(found)
    yield found
    server.shutdown()
    thread.join()


def first_step(page: Page, login: str) -> None:
    page.goto("/sign-in")
    page.get_by_label("User name").fill(login)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.full
def test_an_instructor_sets_it_up_and_signs_in_with_it(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, viewport={"width": 360, "height": 740})
    page = context.new_page()
    first_step(page, "ines")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    check_page(page, "/account/second-factor", 360)
    secret = page.locator("p", has_text="Secret:").locator("code").inner_text()
    app = page.get_by_role("region", name="Set up an app")
    app.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(int(time()) - 30))
    app.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Use this app").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    context.clear_cookies()
    first_step(page, "ines")
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    check_page(page, "/sign-in/second", 360)
    page.get_by_label("Code from your app").fill(pyotp.TOTP(secret).now())
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()
    context.close()


def with_a_passkey(context: BrowserContext, page: Page) -> tuple[CDPSession, str]:
    """Give the browser a device for passkeys, whose owner always agrees; what it hears, and its id."""
    devices = context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    kind = {"protocol": "ctap2", "transport": "internal", "hasUserVerification": True, "isUserVerified": True}
    added = devices.send("WebAuthn.addVirtualAuthenticator", {"options": {**kind, "automaticPresenceSimulation": True}})
    return devices, added["authenticatorId"]


def test_a_passkey_is_added_signs_in_and_is_removed(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, viewport={"width": 360, "height": 740})
    page = context.new_page()
    with_a_passkey(context, page)
    first_step(page, "ines")
    new = page.get_by_role("region", name="Set up a passkey")
    new.get_by_label("A name for the passkey").fill("Laptop")
    new.get_by_label("Your password").fill(PASSWORD)
    new.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    recovery = page.get_by_role("region", name="Your recovery codes").locator("code").all_inner_texts()
    context.clear_cookies()
    first_step(page, "ines")  # the page asks by itself
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()
    check_page(page, "/account/second-factor", 360)
    expect(page.get_by_text("A passkey, since")).to_contain_text("Laptop, last used")
    new = page.get_by_role("region", name="Another passkey")
    new.get_by_label("A name for the passkey").fill("Again")
    new.get_by_label("Your password").fill(PASSWORD)
    new.get_by_role("button", name="Use a passkey instead").click()
    expect(new.get_by_text("Your passkey worked")).to_be_visible()
    new.get_by_role("button", name="Add a passkey").click()
    expect(new.get_by_text("This device already has a passkey for this site.")).to_be_visible()
    without_javascript(chromium, address, recovery[0])
    present = page.get_by_role("region", name="Your second factors")
    present.get_by_label("Your password").fill(PASSWORD)
    present.get_by_role("button", name="Use a passkey instead").click()
    expect(present.get_by_text("Your passkey worked")).to_be_visible()
    present.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("Your second factor has been removed")).to_be_visible()
    context.close()


def without_javascript(chromium: Browser, address: str, code: str) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    first_step(page, "ines")
    expect(page.get_by_text("Your passkey needs JavaScript")).to_be_visible()
    expect(page.get_by_role("button", name="Use your passkey")).to_be_hidden()
    page.get_by_label("Recovery code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()
    context.close()


def test_a_click_asks_a_passkey_that_did_not_answer_by_itself(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, viewport={"width": 360, "height": 740})
    page = context.new_page()
    devices, device = with_a_passkey(context, page)
    first_step(page, "ines")
    new = page.get_by_role("region", name="Set up a passkey")
    new.get_by_label("A name for the passkey").fill("Laptop")
    new.get_by_label("Your password").fill(PASSWORD)
    new.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    context.clear_cookies()

    def owner_agrees(agrees: bool) -> None:
        answers = {"authenticatorId": device, "enabled": agrees}
        devices.send("WebAuthn.setAutomaticPresenceSimulation", answers)

    owner_agrees(False)
    first_step(page, "ines")
    button = page.get_by_role("button", name="Use your passkey")
    expect(button).to_be_visible()
    check_page(page, "/sign-in/second", 360)
    owner_agrees(True)
    button.click()
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()
    context.close()
