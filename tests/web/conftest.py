"""The site on a real database, with a class in it."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.services import PATIENCE_S
from tests.tournament.finals import KEY
from tests.web.school import School
from tournament.db import Sessions
from web.app import create_app
from web.auth import limiter
from web.settings import WebSettings

expect.set_options(timeout=PATIENCE_S * 1000)


@pytest.fixture
def sent() -> list[str]:
    """The messages that the site has sent to the workers."""
    return []


@pytest.fixture
def app(sessions: Sessions, sent: list[str]) -> Iterator[Flask]:
    """The site. Faults of ours become the page that visitors see, as in production."""
    app = create_app(
        WebSettings(secret_key="tests", record_key=KEY, sessions=sessions, send=sent.append, secure_cookies=False)
    )
    app.testing = False
    yield app
    limiter.reset()


@pytest.fixture
def school(app: Flask, sessions: Sessions, sent: list[str]) -> School:
    """A class."""
    return School(app, sessions, sent)
