"""Fixtures for the whole: installations, and a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsers import headless
from tests.services import PATIENCE_S
from tests.whole.stack import Stack, serving
from tournament.play.games import GAMES

PATIENCE_MS = PATIENCE_S * 1000

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The embedded installation with the demonstration class, for tests that leave it as others can use it."""
    data = tmp_path_factory.mktemp("whole") / "data"
    with serving(data, prepared=[*GAMES], QUADRILLE_WEB_PROCESSES="2") as stack:
        yield stack


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real one."""
    with headless() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, stack: Stack, tmp_path: Path) -> Iterator[Page]:
    """A page of its own session; a script's error on it fails the test."""
    context = browser.new_context(base_url=stack.address, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
