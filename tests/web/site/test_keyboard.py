"""A student's stories by keyboard alone, on a phone: the focus can always be seen. Where each story ends the page fits
a phone and a desktop, and in light and dark colours axe finds nothing to complain of."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.web import axe
from tests.web.evening import play_evening
from tests.web.practice.test_compare import new_version
from tests.web.records import ON_TURN, disqualified
from tests.web.reports import bad
from tests.web.school import School
from tests.web.site.test_browser import chromium, signed_in, site  # noqa: F401 - fixtures
from web.board import leaderboard

pytestmark = pytest.mark.full

PHONE, DESKTOP = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=800)
MOST: Final = 80  # presses of Tab from the beginning of a page's content
PLACE: Final = """wanted => {
    const node = document.activeElement, box = node.getBoundingClientRect(), inked = (each) => {
        const style = getComputedStyle(each);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    };
    const drawn = (each) => getComputedStyle(each).stroke !== "none" || getComputedStyle(each).fontWeight > 600;
    const marked = inked(node) || (node.ownerSVGElement && [...node.querySelectorAll("*")].some(drawn));
    const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    const wrong = `${marked ? "out of view" : "no mark"}: ${node.outerHTML.slice(0, 200)}`;
    return [marked && inside ? "" : wrong, node.matches(wanted)];
}"""
"""What is wrong with the place of the focus, and whether it is the one that is wanted."""


class Keys:
    """The keyboard of somebody who has nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def begin(self, path: str) -> None:
        """Open a page, and skip to its content."""
        self.page.goto(path)
        self.press("Tab")
        assert self.page.evaluate("document.activeElement.matches('.skip')"), path
        self.press("Enter")
        expect(self.page.locator("#main")).to_be_focused()

    def to(self, wanted: str) -> None:
        """Press Tab until the focus is on an element that matches."""
        for _ in range(MOST):
            self.press("Tab")
            wrong, there = self.page.evaluate(PLACE, wanted)
            assert not wrong
            if there:
                return
        pytest.fail(f"the keyboard does not lead to {wanted}")

    def on(self, wanted: str, *keys: str) -> None:
        """Go there, and press keys; without any, Enter."""
        self.to(wanted)
        self.press(*keys or ("Enter",))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type over what is in a field."""
        self.press("Control+a")
        self.page.keyboard.type(text)


class Evening(NamedTuple):
    """What ada has done so far."""

    entry: int
    report: int
    game: int
    newcomer: int
    assignment: int
    tournament: int


def the_kit_is_downloaded(keys: Keys, of: Evening) -> None:
    keys.begin("/courses/comp10001/bo/")
    keys.to("a[href$='/kit.zip']")
    with keys.page.expect_download() as saved:
        keys.press("Enter")
    assert saved.value.suggested_filename == "bo-kit.zip"


def a_file_is_pasted_and_uploaded(keys: Keys, of: Evening) -> None:
    keys.begin("/courses/comp10001/bo/")
    keys.on("details:has(#text) > summary")
    keys.to("#text")
    keys.type("x = 1")
    keys.on("button[data-label]")
    expect(keys.page.get_by_role("heading", level=1)).to_have_text("pasted.py")


def a_report_leads_to_its_cause(keys: Keys, of: Evening) -> None:
    keys.begin(f"/submissions/{of.report}/")
    keys.on("a.tile")
    expect(keys.page.locator("#in-q1")).to_be_in_viewport()
    keys.on("details:not([open]) > summary")
    expect(keys.page.locator(".cause").first).to_be_visible()


def pictures_filter_the_games(keys: Keys, of: Evening) -> None:
    keys.begin(f"/entries/{of.entry}/")
    keys.on(".picture details > summary")
    expect(keys.page.locator(".picture details[open] table").first).to_be_visible()
    keys.on("a[href*='seat=0']")
    keys.page.wait_for_url("**?seat=0#games")
    keys.on("a[href*='result=lost']")
    keys.page.wait_for_url(re.compile("result=lost"))


def a_leaderboard_is_searched(keys: Keys, of: Evening) -> None:
    keys.begin(f"/tournaments/{of.tournament}/")
    keys.to("#find")
    keys.type("any legal")
    keys.press("Enter")
    expect(keys.page.locator(".board tbody tr")).to_have_count(1)
    keys.on(f"a[href$='#entry-{of.entry}']")
    expect(keys.page.locator(f"#entry-{of.entry}")).to_be_in_viewport()
    keys.to("a[rel=prev], a[rel=next]")
    with keys.page.expect_navigation():
        keys.press("Enter")


def versions_are_compared(keys: Keys, of: Evening) -> None:
    keys.begin(f"/assignments/{of.assignment}/versions/")
    keys.on("form button")
    keys.page.wait_for_url("**/comparisons/*/")
    keys.to("#cancel")


def twenty_deals_are_asked_for(keys: Keys, of: Evening) -> None:
    keys.begin(f"/tournaments/{of.tournament}/custom-games/")
    for seat in (1, 2, 3):
        keys.on(f"#seat-{seat}", "End")
    keys.on("input[name=deals]", "ArrowDown")
    keys.on("button.main")
    keys.page.wait_for_url("**/custom-batches/*/")


def a_replay_is_watched_and_shared(keys: Keys, of: Evening) -> None:
    page = keys.page
    keys.begin(f"/games/{of.game}/plays/0")
    keys.on("[data-playing]")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    keys.press("Enter")
    keys.on("select[data-speed]", "ArrowDown")
    keys.on("[data-jump=turn]")
    keys.on("input[type=range]", "End")
    keys.on("[data-test] a[data-copies]")
    expect(page.locator("#said")).to_have_text("Copied")
    keys.begin(f"/games/{of.game}/plays/1")
    keys.on("a[data-seen='?seat=3']")
    page.wait_for_url("**?seat=3")
    keys.on("a[data-play='2']")
    expect(page.locator(".caption strong")).to_have_text("2")
    keys.on("button[value=share]")
    expect(page.get_by_role("button", name="Stop sharing")).to_be_visible()


def home_leads_to_the_next_step(keys: Keys, of: Evening) -> None:
    keys.begin("/")
    keys.on("li.panel a.button")
    keys.page.wait_for_url("**/submissions/*/")


def a_worked_turn_is_stepped_through(keys: Keys, of: Evening) -> None:
    keys.begin("/courses/comp10001/bo/rules")
    keys.on("a[href='#piles-2']")
    expect(keys.page.locator("#piles-2")).to_be_in_viewport()
    keys.begin("/courses/comp10001/bo/rules?")
    keys.on("a[data-to=next]")
    expect(keys.page.locator(".caption")).to_contain_text("A King or a 2 starts a build pile")


def an_empty_page_shows_a_game(keys: Keys, of: Evening) -> None:
    keys.begin(f"/entries/{of.newcomer}/")
    keys.on("[data-playing]")
    expect(keys.page.get_by_role("button", name="Pause")).to_be_visible()
    keys.press("Enter")


def a_pseudonym_is_chosen(keys: Keys, of: Evening) -> None:
    keys.begin("/courses/comp10001/pseudonym/")
    keys.to("#pseudonym")
    keys.type("!")
    keys.press("Enter")
    expect(keys.page.locator("#pseudonym-problem")).to_be_focused(timeout=5000)
    keys.begin("/courses/comp10001/pseudonym/")
    keys.to("#pseudonym")
    keys.type("Quiet Heron")
    keys.press("Enter")
    expect(keys.page.get_by_role("heading", level=1)).to_contain_text("Quiet Heron")


OF_ADA: Final[tuple[Callable[[Keys, Evening], None], ...]] = (
    the_kit_is_downloaded,
    a_report_leads_to_its_cause,
    pictures_filter_the_games,
    a_leaderboard_is_searched,
    versions_are_compared,
    twenty_deals_are_asked_for,
    a_replay_is_watched_and_shared,
    home_leads_to_the_next_step,
    a_worked_turn_is_stepped_through,
    an_empty_page_shows_a_game,
    a_file_is_pasted_and_uploaded,
)
"""Playing by hand, on a phone and a desktop, is in `test_hand_browser.py`."""


def spent(school: School) -> Evening:
    """What there is to look at: games, a report, a game that a fault ended, and an entry that has not played."""
    entry = school.enter("ada")
    play_evening(school, entry, 4)
    game = school.play(*school.bots()[:3], entry, record=disqualified(ON_TURN))
    newcomer, report = school.enter("ben"), school.graded("ada", bad())
    new_version(school)
    return Evening(entry, report, game, newcomer, school.assignment, school.tournament)


@pytest.mark.slow
def test_the_keyboard_is_enough(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leaderboard, "PAGE", 2)
    school, address = site
    evening, may = spent(school), ["clipboard-read", "clipboard-write"]
    for login, stories in (("ada", OF_ADA), ("cleo", [a_pseudonym_is_chosen])):
        with signed_in(chromium, address, login, refused="4", reduced_motion="reduce", permissions=may) as page:
            for story in stories:
                page.set_viewport_size(PHONE)
                story(Keys(page), evening)
                axe.load(page)
                check_looks(page)


def check_looks(page: Page) -> None:
    """What is on the screen is for everybody, on a phone and on a desktop, in light and dark colours. axe is loaded."""
    for size, colours in ((PHONE, "dark"), (DESKTOP, "light")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=colours)
        axe.check_shown(page, size["width"], axe.EVERYBODY)
