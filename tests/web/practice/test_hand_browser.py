"""Playing by hand in a real browser: on a phone, with the keyboard alone, and in two tabs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from sandbox.api import Sandbox
from tests.web import axe
from tests.web.practice.test_hand import Table, trusted  # noqa: F401 - a fixture
from tests.web.school import School
from tests.web.site.test_browser import chromium, signed_in, site  # noqa: F401 - fixtures
from tests.web.site.test_keyboard import PHONE, check_looks
from tournament import tasks

AT = "document.activeElement.id"


@contextmanager
def worker(table: Table) -> Iterator[None]:
    """A worker that plays whatever is due."""
    over = Event()

    def work() -> None:
        while not over.wait(0.01):
            tasks.play_personal(table.services)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def press_until(page: Page, wanted: str) -> None:
    """Press Tab until the focus is on an element that matches."""
    for _ in range(80):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not lead to {wanted}")


@pytest.mark.full
def test_a_game_is_played_on_a_phone_with_the_keyboard_alone(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
    trusted: Sandbox,  # noqa: F811
) -> None:
    school, address = site
    table = Table(school, trusted)
    with worker(table), signed_in(chromium, address, refused="4", viewport=PHONE) as page:
        page.goto("/courses/comp10001/bo/")
        press_until(page, "a[href$='/by-hand/']")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="A new game")).to_be_visible()
        press_until(page, "form.stack button.main")
        page.keyboard.press("Enter")
        turn = page.locator("#turn")
        expect(turn).to_have_text("Your turn")
        press_until(page, "button[name=offer]")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Take back")).to_be_visible()
        expect(turn).to_have_text("Your turn")
        assert page.evaluate(AT) == "turn"
        expect(page.locator("#said")).to_have_text("Your turn")
        press_until(page, "#typing summary")
        page.keyboard.press("Enter")
        press_until(page, "#value")
        page.keyboard.type("(3, None, (None, None))")
        page.keyboard.press("Enter")
        refusal = page.get_by_role("alert")
        expect(refusal).to_contain_text("This play is refused.")
        expect(refusal).to_be_focused()
        axe.load(page)
        check_looks(page)
        press_until(page, "#leave summary")
        expect(page.locator("button[value=leave]")).not_to_be_visible()
        page.keyboard.press("Enter")
        press_until(page, "button[value=leave]")
        page.keyboard.press("Enter")
        expect(turn).to_have_text("The game was given up")
        expect(page.get_by_role("link", name="Watch the replay")).to_be_visible()
        press_until(page, "#hand a.main")
        page.keyboard.press("Enter")
        expect(page.locator("[data-replay]")).to_be_visible()


@pytest.mark.slow
def test_a_second_tab_that_is_behind_shows_the_present_position(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
    trusted: Sandbox,  # noqa: F811
) -> None:
    school, address = site
    table = Table(school, trusted)
    table.begin(seat="0")
    with worker(table), signed_in(chromium, address, refused="409", viewport=PHONE) as page:
        other = page.context.new_page()
        for tab in (page, other):
            tab.goto(table.path)
        page.locator("button[name=offer]").first.click()
        expect(page.get_by_role("button", name="Take back")).to_be_visible()
        expect(page.locator("#hand[data-turn]")).to_be_visible()
        other.locator("button[name=offer]").first.click()
        expect(other.get_by_role("alert")).to_contain_text("this page showed an older position")
        expect(other.locator("#hand[data-turn]")).to_be_visible()
        revisions = {tab.locator("#hand").get_attribute("data-revision") for tab in (page, other)}
        assert len(revisions) == 1
