"""Fixtures for every test: databases of both kinds, and Redis."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import text
from sqlalchemy.engine import Engine
from sqlalchemy.orm import sessionmaker

import grader.changes
import grader.models  # noqa: F401
import tournament.custom_models
import tournament.exclusion
import tournament.watch
import tournament.workers  # noqa: F401
import web.models  # noqa: F401 - every table must be known before they are created
from tests.services import postgresql, redis_server
from tournament.db import Base, Sessions, connect

settings.register_profile("ci", derandomize=True)  # a change is judged by the same examples every time
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those of the whole begin, being the longest: nobody then waits for the last of them alone."""
    items.sort(key=lambda item: "whole" not in item.path.parts)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """What a command says of logging, it says of its process; here that is everybody's."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.Logger.manager.loggerDict)]
    before = [(logger, logger.level, logger.disabled) for logger in loggers]
    yield
    for logger, level, disabled in before:
        logger.setLevel(level)
        logger.disabled = disabled


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """A throw-away PostgreSQL database, shared by all tests of this process."""
    with postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A throw-away Redis, shared by all tests of this process."""
    with redis_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind, without any tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'quadrille.db'}"
    url: str = request.getfixturevalue("postgresql_url")
    empty(url)
    return url


def empty(url: str) -> None:
    """Drop whatever a former test has left in a PostgreSQL database, its connections included."""
    engine = connect(url)
    with engine.begin() as connection:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
        for command in (others + "current_database()", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
            connection.execute(text(command))
    engine.dispose()


@pytest.fixture
def database(database_url: str) -> Iterator[Engine]:
    """An engine of each kind of database, with all tables, empty."""
    engine = connect(database_url)
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(database: Engine) -> Sessions:
    """Sessions on `database`."""
    return sessionmaker(database)
