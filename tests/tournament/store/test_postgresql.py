"""A PostgreSQL that takes questions and answers none."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tournament.store.database import connect


def test_a_silent_server_is_given_up_and_asked_anew_over_another_connection(postgresql_url: str) -> None:
    engine = connect(postgresql_url, 600)
    with engine.connect() as connection:
        silent = connection.scalar(text("SELECT pg_backend_pid()"))
        vars(connection.connection.driver_connection)["silence_s"] = 0.1
        with pytest.raises(OperationalError, match=r"has not answered for 0\.1 s"):
            connection.execute(text("SELECT pg_sleep(600)"))
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT pg_terminate_backend(:pid)"), {"pid": silent})
    engine.dispose()


def test_a_query_that_fails_leaves_its_connection_as_it_is(postgresql_url: str) -> None:
    engine = connect(postgresql_url, 600)
    with engine.connect() as connection:
        before = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.execute(text("SET statement_timeout = 1"))
        with pytest.raises(OperationalError, match="statement timeout"):
            connection.execute(text("SELECT pg_sleep(600)"))
        connection.rollback()
        assert connection.scalar(text("SELECT pg_backend_pid()")) == before
    engine.dispose()
