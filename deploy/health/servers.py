"""The doctor's checks of servers: the site itself, the database, the broker."""

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from sqlalchemy import Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from deploy.data_folder import refusal
from deploy.health.attendance import attendance
from deploy.packages import trusted_keys
from deploy.processes import clock_drift as clocks
from deploy.processes import mail
from deploy.processes.celery import make_app
from deploy.processes.serve import PortTaken, address, usable_port
from deploy.settings import Settings
from deploy.storage.schema import schema
from sandbox.host.probe import Finding
from tournament.play.games import SignedPackage, UnverifiedGame, distrust
from tournament.play.packages import name_of, stored
from tournament.store.database import WORKER_THREADS, connect, in_a_line, most_connections, reading, write_trouble

LIMITS = ("max_connections", "superuser_reserved_connections")
FOR_COMMANDS = 5  # connections of backups, `quadrille healthy` and others
PATIENCE_S = 3
"""Time for each server to answer; they are asked at the same time."""


def listening(settings: Settings) -> Iterator[Finding]:
    """Whether the site answers, or could listen, at its address. Hosts of workers alone need neither."""
    trouble = ""
    try:
        usable_port(settings)
    except PortTaken as error:
        trouble = "" if _answers(settings) else str(error)
    detail = trouble or f"the site answers, or can listen, at {address(settings)}"
    yield Finding("port", not trouble, detail, "choose others with QUADRILLE_HOST and QUADRILLE_PORT", needed=False)


def _answers(settings: Settings) -> bool:
    """Whether a site of Quadrille answers there, even with an error."""
    try:
        with urlopen(f"{address(settings)}/healthz", timeout=PATIENCE_S):  # noqa: S310  # our own address
            return True
    except HTTPError as error:
        return error.code == HTTPStatus.SERVICE_UNAVAILABLE
    except OSError:
        return False


def database(settings: Settings) -> Iterator[Finding]:
    """Whether the database answers, is at this program's revision, and agrees about the time."""
    if _can_be_made(settings):
        yield Finding("database", True, "does not exist yet; quadrille serve and quadrille migrate create it")
        return
    engine = connect(settings.database, PATIENCE_S)
    try:
        with engine.connect() as connection:
            found = schema(connection)
        detail = found.trouble or f"it is at revision {found.revision}, the newest"
        yield Finding("database", found.is_current, f"{engine.url!r}: {detail}", found.fix)
        yield from _database_clock(engine)
        yield from _connections(settings, engine)
        if found.is_current:
            trouble = write_trouble(sessionmaker(engine))
            detail = f"nothing can be stored: {trouble}" if trouble else "it takes what is stored"
            yield Finding("database writes", not trouble, detail, "free some space on the database's disk")
            with reading(sessionmaker(engine)) as session:
                yield from attendance(session)
                yield from added_games(settings, session)
    except SQLAlchemyError as error:
        yield Finding("database", False, f"{engine.url!r} cannot be used: {in_a_line(error)}", _fix(engine))
    finally:
        engine.dispose()


def _fix(engine: Engine) -> str:
    if engine.dialect.name == "sqlite":
        return f"make sure that this user may write {engine.url.database}; if it is damaged: quadrille restore FILE"
    return "check QUADRILLE_DATABASE_URL and QUADRILLE_DATABASE_PASSWORD, and that the server runs"


def _can_be_made(settings: Settings) -> bool:
    """Whether the database is a file that does not exist yet, in a folder that can be written or is the data folder."""
    url = make_url(settings.database)
    file = Path(url.database or "")
    has_folder = not settings.database_url or refusal(file.parent) is None
    return url.get_backend_name() == "sqlite" and not file.exists() and has_folder


def _database_clock(engine: Engine) -> Iterator[Finding]:
    if engine.dialect.name == "sqlite":
        return
    with engine.connect() as connection:
        skew = clocks.skew_s(connection)
    yield Finding("database's clock", abs(skew) <= clocks.TOLERATED_S, clocks.told(skew), clocks.FIX)


def _connections(settings: Settings, engine: Engine) -> Iterator[Finding]:
    """Whether the server takes as many connections as this machine's processes may open, see docs/plan-capacity.md."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect() as connection:
        shown = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in LIMITS]
    most = int(shown[0]) - int(shown[1])
    others = settings.grading_processes + settings.playing_processes + 1
    site = settings.web_processes * most_connections(settings.web_threads)
    needed = site + others * most_connections(WORKER_THREADS) + FOR_COMMANDS
    detail = f"the processes of this machine open {needed} at most, and the database takes {most}"
    fix = f"set max_connections of PostgreSQL to {needed + int(shown[1])} or more, and restart it"
    yield Finding("database's connections", needed <= most, detail, fix, needed=False)


def broker(settings: Settings) -> Iterator[Finding]:
    """Whether the broker answers."""
    if not settings.broker_url:
        yield Finding("broker", True, "a queue of files in the data folder")
        return
    try:
        with make_app(settings).connection_for_write(transport_options={"socket_timeout": PATIENCE_S}) as connection:
            where = connection.as_uri()  # without its password
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=PATIENCE_S)
    except Exception as error:  # noqa: BLE001  # each transport has errors of its own
        detail = f"QUADRILLE_BROKER_URL cannot be used: {in_a_line(error)}"
        yield Finding("broker", False, detail, "check it and QUADRILLE_BROKER_PASSWORD, and that the server runs")
    else:
        yield Finding("broker", True, f"{where} answers")


def mail_server(settings: Settings) -> Iterator[Finding]:
    """Whether the mail server takes this installation's account; nothing is sent, and nothing said without a server."""
    if not settings.mail_host:
        return
    if not mail.is_set_up(settings):
        fix = "set QUADRILLE_MAIL_FROM and QUADRILLE_MAIL_TO"
        yield Finding("mail server", False, "alerts have no sender or nobody to go to", fix, needed=False)
        return
    try:
        mail.try_out(settings)
    except mail.MailError as error:
        fix = "check QUADRILLE_MAIL_HOST and the other QUADRILLE_MAIL_ settings; until then alerts are notices only"
        yield Finding("mail server", False, f"it cannot be used: {error}", fix, needed=False)
    else:
        yield Finding("mail server", True, f"{settings.mail_host} answers; alerts go to {settings.mail_to}")


NAME = "added games"


def added_games(settings: Settings, session: Session) -> Iterator[Finding]:
    """A finding for each package that this host does not trust, or one for all. A retired one is not needed."""
    packages = stored(session)
    try:
        keys = trusted_keys(settings) if packages else ()
    except UnverifiedGame:
        return  # the finding about the key says so
    doubts = {each: distrust(each.sha256, SignedPackage(each.archive, each.signature), keys) for each in packages}
    for package, doubt in doubts.items():
        if doubt:
            detail = f"{name_of(package)} is not used: {doubt.why}"
            yield Finding(NAME, False, detail, doubt.fix, needed=package.retired_at is None)
    if packages and not any(doubts.values()):
        yield Finding(NAME, True, f"their signatures are right: {', '.join(map(name_of, packages))}")
