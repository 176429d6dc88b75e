"""The site on a real database, with a class in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from prometheus_client import CollectorRegistry
from sqlalchemy.orm import sessionmaker

from tests.tournament.finals import KEY
from tests.web.school import School
from tests.web.templates import TEMPLATES
from tournament.store.database import Sessions, connect
from tournament.work.tally import Tallying
from web.app import create_app
from web.site.auth import limiter
from web.site.store import WebSettings


@pytest.fixture
def sent() -> list[str]:
    """The messages that the site has sent to the workers."""
    return []


def settings(sessions: Sessions, sent: list[str]) -> WebSettings:
    """Of the site on a database."""
    mailing = {"mail": True, "mail_links": True}
    return WebSettings(
        secret_key="tests", record_key=KEY, sessions=sessions, send=sent.append, secure_cookies=False, **mailing
    )


@pytest.fixture(scope="session")
def common_site() -> Flask:
    """The site of every test here: to compile its addresses and templates takes longer than most of them."""
    site = create_app(settings(sessionmaker(), []))
    site.jinja_env.bytecode_cache = TEMPLATES
    return site


@pytest.fixture
def app(common_site: Flask, sessions: Sessions, sent: list[str]) -> Iterator[Flask]:
    """The site on a database, as if it were new: what it knows is in these two. Faults of ours become the page that
    visitors see, as in production."""
    known = common_site.config, common_site.extensions
    before = [dict(each) for each in known]
    common_site.extensions["quadrille"] = settings(sessions, sent)
    common_site.extensions["quadrille-tally"] = Tallying(sessions, CollectorRegistry())  # without what others count
    yield common_site
    for each, former in zip(known, before, strict=True):
        each.clear()
        each.update(former)
    limiter.reset()


@pytest.fixture(scope="session")
def sqlite_class(sqlite_tables: Path, common_site: Flask) -> Path:
    """A SQLite database with the class, to be copied: to fill it takes longer than many tests."""
    file = sqlite_tables.with_name("class.db")
    shutil.copy(sqlite_tables, file)
    engine = connect(f"sqlite:///{file}")
    School(common_site, sessionmaker(engine), [])
    engine.dispose()
    return file


@pytest.fixture
def sqlite_template(request: pytest.FixtureRequest, sqlite_tables: Path, sqlite_class: Path) -> Path:
    """With the class in it, for tests that ask for it."""
    return sqlite_class if "school" in request.fixturenames else sqlite_tables


@pytest.fixture
def school(app: Flask, sessions: Sessions, sent: list[str]) -> School:
    """A class."""
    return School(app, sessions, sent)
