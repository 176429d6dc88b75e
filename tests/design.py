"""The pictures of docs/design.md: `python -m tests.design` draws each block of `docs/design/blocks.html` again, as the
site's stylesheets have it now."""

from pathlib import Path

from tests.browsers import headless

FOLDER = Path(__file__).parents[1] / "docs/design"


def draw() -> None:
    """Write a PNG for each section of the page, named after it."""
    with headless() as browser:
        page = browser.new_page(viewport={"width": 680, "height": 900})
        page.goto((FOLDER / "blocks.html").as_uri())
        page.add_style_tag(content="section { padding: .6rem; width: 640px; }")
        for section in page.locator("body > section").all():
            section.screenshot(path=FOLDER / f"{section.get_attribute('id')}.png")


if __name__ == "__main__":
    draw()
