"""Whether a page is for everybody, and fits its screen: axe looks at it in a real browser."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

EVERYBODY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {"light": EVERYBODY, "dark": ["color-contrast"]}
"""What axe checks of every page, by color scheme; the dark one changes the contrast alone."""

PAIRS = """known => {
    window.pairs = new Set(known);
    const behind = element => {
        if (!element) return "";
        const {backgroundColor, backgroundImage, filter, opacity, position} = getComputedStyle(element);
        const placed = position === "static" ? "" : `${element.tagName} ${element.className}`;
        const own = [backgroundColor, backgroundImage, filter, opacity, placed].join(" ");
        return behind(element.parentElement) + (own === "rgba(0, 0, 0, 0) none none 1 " ? "" : own + ";");
    };
    const check = axe._audit.checks["color-contrast"], measure = check.evaluate;
    check.evaluate = function (element, ...more) {
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(element);
        const pair = [color, fontSize, fontWeight, textShadow, behind(element)].join(" ");
        const good = pairs.has(pair) || measure.call(this, element, ...more);
        if (good === true) pairs.add(pair);
        return good;
    };
}"""
"""Lets axe measure each text's contrast once for all that is written in the same way on the same ground: it would spend
most of its time on them."""

known: set[str] = set()
"""What is readable, of all pages of this process."""


def load(page: Page) -> None:
    """Put axe into a page."""
    page.evaluate(AXE_SCRIPT)
    page.evaluate(PAIRS, [*known])


def check_page(page: Page, path: str, width: int) -> None:
    """It fits the screen, and axe, which is loaded once for both color schemes, finds nothing to complain of."""
    page.goto(path)
    load(page)
    for scheme, rules in RULES.items():
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        check_shown(page, width, rules)


def check_shown(page: Page, width: int, rules: list[str]) -> None:
    """What is on the screen fits it and follows the rules of axe, which is loaded."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url
    options = {"resultTypes": ["violations"], "runOnly": rules}
    found, pairs = page.evaluate("async options => [(await axe.run(options)).violations, [...pairs]]", options)
    results = AxeResults({"violations": found})
    assert not results.violations_count, f"{page.url}: {results.generate_report()}"
    known.update(pairs)
