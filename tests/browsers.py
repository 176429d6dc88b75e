"""A real browser for the tests that need one."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tests.services import missing

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first that is installed. The headless shell is the same engine without the rest of the browser, which takes a
third to a half of the processor time."""

SWITCHES = [
    "--no-sandbox",  # the tests may run as root, and open nothing but our own pages
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def headless() -> Iterator[Browser]:
    """A browser without a window, which lives as long as the context."""
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        missing("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield browser
        browser.close()
