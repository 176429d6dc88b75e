"""The revisions lead to what the models say."""

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine

from deploy.migrations import migrate, options, tables
from tournament.db import connect


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


def differences(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        chosen = options(connection)
        context = MigrationContext.configure(connection, opts={**chosen, "connection": None})
        return list(compare_metadata(context, tables()))


def test_the_revisions_make_the_models_tables(engine: Engine) -> None:
    assert differences(engine)
    migrate(engine)
    assert differences(engine) == []


def test_migrating_again_changes_nothing(engine: Engine) -> None:
    migrate(engine)
    migrate(engine)
    assert differences(engine) == []
