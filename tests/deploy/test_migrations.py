"""The migrations make the tables of the models."""

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine

from deploy.migrations import migrate, options
from deploy.tables import METADATA
from tournament.store.database import connect

pytestmark = pytest.mark.both_databases


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


def differences(engine: Engine) -> list[object]:
    """What `alembic check` compares: the tables of a database and those of the models."""
    with engine.connect() as connection:
        chosen = options(connection)
        context = MigrationContext.configure(connection, opts={**chosen, "connection": None})
        return list(compare_metadata(context, METADATA))


def test_migrations_make_the_tables_of_the_models_and_change_nothing_the_second_time(engine: Engine) -> None:
    assert differences(engine)
    for _ in range(2):
        migrate(engine)
        assert differences(engine) == [], "run `quadrille migrate --new MESSAGE` to write the missing migration"
