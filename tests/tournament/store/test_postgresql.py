"""A PostgreSQL that takes questions and answers none."""

import gc
import socket
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import sessionmaker

from tournament.store.database import (
    KEPT_CONNECTIONS,
    connect,
    connected,
    most_connections,
    reading,
    write_trouble,
    writing,
)


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


def test_a_server_that_can_only_be_read_is_like_a_full_disk(postgresql_url: str) -> None:
    only_read = make_url(postgresql_url).update_query_dict({"options": "-c default_transaction_read_only=on"})
    with connected(only_read.render_as_string(hide_password=False)) as engine:
        sessions = sessionmaker(engine)
        with reading(sessions) as session:
            assert session.scalar(text("SELECT 1")) == 1
        with pytest.raises(OperationalError, match="read-only transaction"), writing(sessions) as session:
            session.execute(text("CREATE TABLE tried (number int)"))
        assert "read-only transaction" in write_trouble(sessions)


def test_a_process_opens_no_more_connections_than_it_may_and_gives_back_what_is_idle(postgresql_url: str) -> None:
    threads = 8
    engine = connect(postgresql_url, 600, threads)
    sessions, together, opened = sessionmaker(engine), Barrier(threads), list[int]()

    def request(_: int) -> int:
        with sessions() as reading:
            reading.execute(text("SELECT 1"))
            together.wait()
            with sessions() as writing:
                writing.execute(text("SELECT 1"))
                opened.append(engine.pool.checkedout())  # type: ignore[attr-defined]
        return 1

    with ThreadPoolExecutor(threads) as pool:
        assert sum(pool.map(request, range(threads))) == threads
    assert threads < max(opened) <= most_connections(threads) == threads + KEPT_CONNECTIONS
    assert engine.pool.checkedin() <= KEPT_CONNECTIONS  # type: ignore[attr-defined]
    engine.dispose()


def test_an_attempt_to_connect_that_timed_out_is_closed_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        engine = connect(f"postgresql+psycopg://nobody@127.0.0.1:{silent.getsockname()[1]}/postgres", 1)
        gc.disable()
        try:
            with pytest.raises(OperationalError, match="timeout expired"):
                engine.connect()
            accepted, _ = silent.accept()
            with accepted:
                accepted.settimeout(5)
                while accepted.recv(1024):
                    pass  # what it sent before it hung up
        finally:
            gc.enable()
