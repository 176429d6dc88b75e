"""Fixtures for every test: databases of both kinds, and Redis."""

import gc
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from sqlalchemy import Connection, event, text
from sqlalchemy.engine import Engine
from sqlalchemy.orm import sessionmaker

from deploy.database import METADATA
from tests.scheduling import Scheduling, is_quick, rank
from tests.services import WORKER, postgresql, redis_server
from tournament.play import games as added
from tournament.store.database import Sessions, connect

settings.register_profile(
    "quadrille",
    derandomize="CI" in os.environ,  # a change is judged by the same examples every time
    deadline=None,  # a loaded machine is no mistake
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("quadrille")
if "CI" in os.environ:  # constants of whatever modules were imported before would be among the examples
    vars(providers)["_get_local_constants"] = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--both-databases", action="store_true", help="run every test that has a database on SQLite and on PostgreSQL"
    )
    parser.addoption(
        "--quick", action="store_true", help="leave out what is marked slow or needs a service, such as PostgreSQL"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Search for cycles only among what the tests make, and less often: among all that was collected, which stays, each
    search would take as long as a hundred tests."""
    gc.disable()
    _import_the_files(session)
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)


def _import_the_files(session: pytest.Session) -> None:
    """Let each process import the test files from another one on: what one has compiled, the others find."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    root = session.config.rootpath
    given = [root / each.partition("::")[0] for each in session.config.args]
    files = [file for each in given for file in (sorted(each.rglob("test_*.py")) if each.is_dir() else [each])]
    first = len(files) * WORKER // workers
    for file in (*files[first:], *files[:first]):
        with suppress(Exception):  # whatever it is, the collection fails for the same reason, and tells it better
            import_module(".".join(file.relative_to(root).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest first; for `make quick`, deselect what takes long."""
    if config.getoption("quick"):
        config.hook.pytest_deselected(items=[item for item in items if not is_quick(item)])
        items[:] = filter(is_quick, items)
    items.sort(key=rank)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what differs between the databases on both: what is marked `both_databases`."""
    both = metafunc.definition.get_closest_marker("both_databases") or metafunc.config.getoption("both_databases")
    if both and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """What a command says of logging, it says of its process; here that is everybody's."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.Logger.manager.loggerDict)]
    before = [(logger, logger.level, logger.disabled, logger.handlers[:]) for logger in loggers]
    yield
    for logger, level, disabled, handlers in before:
        if logger.level != level:  # to set it makes every logger forget what it would log
            logger.setLevel(level)
        logger.disabled = disabled
        logger.handlers[:] = handlers


@pytest.fixture(autouse=True, scope="module")
def no_added_games() -> Iterator[None]:
    """A process has one installation, whose database has its added games; here each file of tests has its own."""
    yield
    added.install(lambda hash_: None, tuple)


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


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where every test of this process finds its SQLite database."""
    return tmp_path_factory.mktemp("database") / "quadrille.db"


@pytest.fixture(scope="session")
def sqlite_tables(sqlite_file: Path) -> Path:
    """A SQLite database with all tables, empty, to be copied."""
    file = sqlite_file.with_name("tables.db")
    engine = connect(f"sqlite:///{file}")
    METADATA.create_all(engine)
    engine.dispose()
    return file


@pytest.fixture
def sqlite_template(sqlite_tables: Path) -> Path:
    """What a test's SQLite database is a copy of."""
    return sqlite_tables


@pytest.fixture(scope="session")
def postgresql_tables(postgresql_url: str) -> Iterator["Tables"]:
    """All tables, in the PostgreSQL database."""
    engine = connect(postgresql_url)
    yield Tables(engine)
    engine.dispose()


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database: without any tables, or with all of them where a test asks for `database`. It is SQLite's; the
    tests that are marked `both_databases` run again on PostgreSQL."""
    tables = "database" in request.fixturenames
    if getattr(request, "param", "sqlite") == "sqlite":
        file: Path = request.getfixturevalue("sqlite_file")
        for part in file.parent.glob(f"{file.name}*"):  # the write-ahead log too
            part.unlink()
        if tables:
            shutil.copy(request.getfixturevalue("sqlite_template"), file)
        return f"sqlite:///{file}"
    url: str = request.getfixturevalue("postgresql_url")
    if tables:
        request.getfixturevalue("postgresql_tables").empty()
    else:
        empty(url)
    return url


def empty(url: str) -> None:
    """Drop whatever a former test has left in a PostgreSQL database, its connections included."""
    engine = connect(url)
    with engine.begin() as connection:
        for command in (HANG_UP, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
            connection.execute(text(command))
    engine.dispose()


HANG_UP = """SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database()"""
COLUMNS = """SELECT string_agg(concat_ws(' ', attrelid, relname, attname, atttypid, attnotnull), ','
    ORDER BY attrelid, attnum)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace"""
RENUMBER = "SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence"


class Tables:
    """All tables, in a PostgreSQL database. To make them takes 20 times as long as to empty them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._columns = ""
        names = [engine.dialect.identifier_preparer.format_table(table) for table in METADATA.sorted_tables]
        self._filled = " UNION ALL ".join(f"SELECT '{each}' WHERE EXISTS (SELECT FROM {each})" for each in names)

    def empty(self) -> None:
        """As they would be if they were made now, whatever a former test has done to them."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text(HANG_UP))
            columns = connection.scalar(text(COLUMNS))
            if columns == self._columns:
                self._clear(connection)
                return
        empty(self._engine.url.render_as_string(False))
        METADATA.create_all(self._engine)
        with self._engine.connect() as connection:
            self._columns = connection.scalar(text(COLUMNS))

    def _clear(self, connection: Connection) -> None:
        filled = connection.scalars(text(self._filled)).all()
        if filled:
            connection.execute(text("SET session_replication_role = replica"))  # in any order
            connection.execute(text("; ".join(f"DELETE FROM {each}" for each in filled)))
            connection.execute(text("SET session_replication_role = origin"))
            connection.execute(text(f"VACUUM {', '.join(filled)}"))  # new rows are to come in the order of their making
        connection.execute(text(RENUMBER))


@pytest.fixture(scope="session")
def engines() -> dict[str, Engine]:
    """An engine for each URL, kept: to compile statements takes longer than to run them, and each engine does it for
    itself."""
    return {}


@pytest.fixture
def database(database_url: str, engines: dict[str, Engine]) -> Iterator[Engine]:
    """The engine of an empty database with all tables. It is a new one to whoever remembers engines or listens."""
    if database_url not in engines:
        engines[database_url] = connect(database_url).execution_options(compiled_cache={})
        if engines[database_url].dialect.name == "sqlite":
            event.listen(engines[database_url], "connect", _wait_for_no_disk)
    engine = engines[database_url].execution_options()
    yield engine
    engine.dispose()


def _wait_for_no_disk(connection: Any, _record: object) -> None:
    """As PostgreSQL does here: no test cuts the power."""
    connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture
def sessions(database: Engine) -> Sessions:
    """Sessions on `database`."""
    return sessionmaker(database)
