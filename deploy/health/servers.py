"""The doctor's checks of servers (the site itself, the database, the broker) and of the processes that the database
lists (workers, schedulers and the site's processes)."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path

from sqlalchemy import Engine, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from deploy.database import trusted_keys
from deploy.machine import refusal
from deploy.processes import mail
from deploy.processes.celery import LADDER, make_app
from deploy.processes.gate import CLOCK_FIX, TOLERATED_SKEW_S, clock_skew_s, skew_told
from deploy.processes.serve import PortTaken, address, health_status, usable_port
from deploy.settings import Settings, parts_of
from deploy.storage.schema import schema
from grader.programs.grading import titles
from grader.store.models import Submission
from grader.store.queue import GRADING, PLAYERS, crew_of, lacking
from sandbox.host.probe import Finding
from tournament.play.games import SignedPackage, UnverifiedGame, distrust
from tournament.play.packages import name_of, stored
from tournament.store.database import WORKER_THREADS, connect, in_a_line, most_connections, now, reading, write_trouble
from tournament.store.jobs import PENDING
from tournament.store.mail import Mail, undelivered
from tournament.store.tables import SILENT, Worker
from tournament.work.maintenance import maintenance
from tournament.work.workers import SITE, schedulers, site_processes, workers
from web.site.models import User

LIMITS = ("max_connections", "superuser_reserved_connections")
FOR_COMMANDS = 5  # connections of backups, `quadrille healthy` and others
LATE = timedelta(hours=1)  # after this time, an undelivered e-mail is reported
GIVEN_UP_SHOWN = 10
PATIENCE_S = 3
"""The seconds within which each server must answer; all are asked at the same time."""

SECONDS = round(SILENT.total_seconds())
STARTS = "quadrille serve starts it on one machine, or: quadrille"
SILENT_WORKER = "silent worker", "check its machine; its jobs are given to other workers"
SILENT_SITE = "silent site process", "kill it if its machine still runs: another one takes its place"
BROKEN_WORKER = "worker", "run quadrille doctor on its machine"
UNDONE = frozenset(
    {"processes", "language", "scheduler", f"{GRADING} workers", f"{LADDER} workers", "worker"}
) | {SILENT_WORKER[0], SILENT_SITE[0]}  # fmt: skip
"""The names of findings that, if bad, mean that work is not being done."""


def listening(settings: Settings) -> Iterator[Finding]:
    """Check whether the site answers, or could listen, at its address. Hosts that run only workers need neither."""
    trouble = ""
    try:
        usable_port(settings)
    except PortTaken as error:
        is_ours = health_status(settings, PATIENCE_S) in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
        trouble = "" if is_ours else str(error)
    detail = trouble or f"the site answers, or can listen, at {address(settings)}"
    yield Finding("port", not trouble, detail, "choose others with QUADRILLE_HOST and QUADRILLE_PORT", needed=False)


def platform_admins(settings: Settings, session: Session) -> Iterator[Finding]:
    """Check whether all accounts named in QUADRILLE_LTI exist. If an account does not exist, a person who later gets
    its login could connect platforms."""
    named = {*parts_of(settings.lti)}
    if missing := sorted(named - {*session.scalars(select(User.login).where(User.login.in_(named)))}):
        detail = f"QUADRILLE_LTI names {', '.join(missing)}, but there is no such account"
        yield Finding("platforms", False, detail, "correct QUADRILLE_LTI, or add the account", needed=False)


WRITES_FIX = "free some space on the database's disk; if the database can only be read, use its primary server"
DATABASE_FIX = (
    "check QUADRILLE_DATABASE_URL and QUADRILLE_DATABASE_PASSWORD, and that the server runs; if it has too many"
    " connections, end those that are not Quadrille's, or raise max_connections"
)


def database(settings: Settings) -> Iterator[Finding]:
    """Check whether the database answers, is at this program's revision, and has the same time as this machine."""
    if _can_be_made(settings):
        yield Finding("database", True, "does not exist yet; quadrille serve and quadrille migrate create it")
        return
    engine = connect(settings.database, PATIENCE_S)
    try:
        with engine.connect() as connection:
            found = schema(connection)
        detail = found.trouble or f"it is at revision {found.revision}, the newest"
        yield Finding("database", found.is_current, f"{engine.url!r}: {detail}", found.fix)
        yield from _clock_and_connections(settings, engine)
        if found.is_current:
            trouble = write_trouble(sessionmaker(engine))
            detail = f"nothing can be stored: {trouble}" if trouble else "it takes what is stored"
            yield Finding("database writes", not trouble, detail, WRITES_FIX)
            with reading(sessionmaker(engine)) as session:
                yield from attendance(session)
                yield from undelivered_mail(settings, session)
                yield from added_games(settings, session)
                yield from platform_admins(settings, session)
    except SQLAlchemyError as error:
        fix = DATABASE_FIX
        if engine.dialect.name == "sqlite":
            file = engine.url.database
            fix = f"make sure that this user may write {file}; if it is damaged: quadrille restore FILE"
        yield Finding("database", False, f"{engine.url!r} cannot be used: {in_a_line(error)}", fix)
    finally:
        engine.dispose()


def _can_be_made(settings: Settings) -> bool:
    """Whether the database is a file that does not exist yet but can be created: its folder is writable, or is the data
    folder."""
    url = make_url(settings.database)
    file = Path(url.database or "")
    has_folder = not settings.database_url or refusal(file.parent) is None
    return url.get_backend_name() == "sqlite" and not file.exists() and has_folder


def _clock_and_connections(settings: Settings, engine: Engine) -> Iterator[Finding]:
    """Check whether a database server has the same time as this machine, and accepts as many connections as this
    machine's processes may open (see docs/plan-capacity.md)."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect() as connection:
        skew = clock_skew_s(connection)
        shown = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in LIMITS]
    yield Finding("database's clock", abs(skew) <= TOLERATED_SKEW_S, skew_told(skew), CLOCK_FIX)
    most = int(shown[0]) - int(shown[1])
    others = settings.grading_processes + settings.playing_processes + 1
    site = settings.web_processes * most_connections(settings.web_threads)
    needed = site + others * most_connections(WORKER_THREADS) + FOR_COMMANDS
    detail = f"the processes of this machine open {needed} at most, and the database takes {most}"
    fix = f"set max_connections of PostgreSQL to {needed + int(shown[1])} or more, and restart it"
    yield Finding("database's connections", needed <= most, detail, fix, needed=False)


def broker(settings: Settings) -> Iterator[Finding]:
    """Check whether the broker answers."""
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
    """Check whether the mail server accepts this installation's account, without sending anything. Without a mail
    server there is no finding."""
    if not settings.mail_host:
        return
    if not settings.mail_from or not settings.mail_to:
        fix = "set QUADRILLE_MAIL_FROM and QUADRILLE_MAIL_TO"
        yield Finding("mail server", False, "e-mail has no sender, or alerts have nobody to go to", fix, needed=False)
        return
    try:
        mail.try_out(settings)
    except mail.MailError as error:
        fix = "check QUADRILLE_MAIL_HOST and the other QUADRILLE_MAIL_ settings; until then alerts are notices only"
        yield Finding("mail server", False, f"it cannot be used: {error}", fix, needed=False)
    else:
        yield Finding("mail server", True, f"{settings.mail_host} answers; alerts go to {settings.mail_to}")
        if not settings.address:
            fix = "set QUADRILLE_SITE to its address, such as https://quadrille.example"
            yield Finding("links in e-mail", False, "there are none, nor a way to stop it", fix, needed=False)
    if settings.mail_bounces:
        from deploy.processes import bounces

        fix = "check QUADRILLE_MAIL_BOUNCES; until then nobody sees which e-mail comes back"
        try:
            with bounces.opened(settings):
                yield Finding("mailbox", True, "the mailbox to which e-mail comes back can be read")
        except mail.MailError as error:
            yield Finding("mailbox", False, f"it cannot be read: {error}", fix, needed=False)


def undelivered_mail(settings: Settings, session: Session) -> Iterator[Finding]:
    """Check whether e-mail has been waiting for a long time, and which e-mails were given up recently."""
    if not mail.is_set_up(settings):
        return
    at = now()
    waiting = select(func.count(), func.min(Mail.made_at)).where(Mail.next_at.is_not(None), Mail.webhook_id.is_(None))
    number, oldest = session.execute(waiting).one()
    late = bool(oldest and at - oldest > LATE)
    given_up = [each for each in undelivered(session, at=at) if each.made_at > at - timedelta(days=7)]
    detail = f"{number} wait, since {oldest:%Y-%m-%d %H:%M} UTC" if late and oldest else f"{number} wait"
    yield Finding(
        "e-mail", not late, detail, "see the finding about the mail server, and the scheduler's log", needed=False
    )
    for each in given_up[:GIVEN_UP_SHOWN]:
        detail = f"given up: to {each.address or settings.mail_to}, “{each.subject}”: {each.trouble}"
        fix = "correct the address on the person's page, if that is wrong"
        yield Finding("e-mail", False, detail, fix, needed=False)


def sign_on(settings: Settings) -> Iterator[Finding]:
    """Check whether each provider of single sign-on describes itself as the settings expect. Without a provider there
    is no finding."""
    if not settings.sign_on:
        return
    from web.sign_on.protocol import ProviderTrouble, discovered

    for provider in settings.sign_on:
        what, fix = f"sign-on {provider.name}", f"compare QUADRILLE_SIGN_ON with {provider.discovery}"
        try:
            discovered(provider)
        except ProviderTrouble as error:
            yield Finding(what, False, f"{provider.title} cannot be used: {error.detail}", fix, needed=False)
        else:
            yield Finding(what, True, f"{provider.title} describes itself as expected")


def added_games(settings: Settings, session: Session) -> Iterator[Finding]:
    """Yield a finding for each package that this host does not trust, or one finding if it trusts all. A retired
    package need not be fixed."""
    packages = stored(session)
    try:
        keys = trusted_keys(settings) if packages else ()
    except UnverifiedGame:
        return  # the finding about the key reports this
    doubts = {each: distrust(each.sha256, SignedPackage(each.archive, each.signature), keys) for each in packages}
    for package, doubt in doubts.items():
        if doubt:
            detail = f"{name_of(package)} is not used: {doubt.why}"
            yield Finding("added games", False, detail, doubt.fix, needed=package.retired_at is None)
    if packages and not any(doubts.values()):
        yield Finding("added games", True, f"their signatures are right: {', '.join(map(name_of, packages))}")


def attendance(session: Session) -> Iterator[Finding]:
    """Yield findings about which processes are running. None of them is an error of this machine (see UNDONE)."""
    at = now()
    known = workers(session)
    alive = [worker for worker in known if not worker.silent(at)]
    sending = schedulers(session)
    if not alive and not sending:
        waits = session.scalar(select(Submission.id).where(Submission.state.in_(PENDING)).limit(1)) is not None
        detail = "no worker or scheduler has been seen lately: Quadrille is not running"
        detail += ", and submissions wait" if waits else ""
        yield Finding("processes", not waits, detail, "start it: quadrille serve", needed=False)
    else:
        yield _workers_of_kind(GRADING, [worker for worker in alive if worker.queue in (GRADING, PLAYERS)])
        yield _workers_of_kind(LADDER, [worker for worker in alive if worker.queue == LADDER])
        yield from _languages_lacking(session)
        yield _scheduler(sending)
    for each in (*known, *sending, *site_processes(session)):
        if problem := each.problem(at):
            detail = f"{each.name} ({each.queue}) {problem}"
            silent = SILENT_SITE if each.queue == SITE else SILENT_WORKER
            kind, fix = silent if each.silent(at) else BROKEN_WORKER
            yield Finding(kind, False, detail, fix, needed=False)
    if resting := maintenance(session):
        detail = f"on since {resting.since:%d %B %Y %H:%M} UTC, so nothing is stored: {resting.reason}"
        yield Finding("maintenance", False, detail, "quadrille maintenance off, when it is over", needed=False)
    else:
        yield Finding("maintenance", True, "off")


def _workers_of_kind(kind: str, alive: Sequence[Worker]) -> Finding:
    if alive:
        return Finding(f"{kind} workers", True, f"{len(alive)} running: {', '.join(each.name for each in alive)}")
    detail = f"none has been seen for {SECONDS} s, so no work of this kind is done"
    return Finding(f"{kind} workers", False, detail, f"{STARTS} worker {kind}", needed=False)


def _languages_lacking(session: Session) -> Iterator[Finding]:
    """Yield findings about languages in which submissions are waiting although no worker offers them."""
    waiting = session.scalars(select(Submission.needs).where(Submission.state.in_(PENDING)).distinct())
    crew = crew_of(session)
    for language in sorted({each for needs in waiting for each in lacking(crew, needs)}):
        detail = f"submissions wait, and no worker has {titles([language])}"
        fix = "run quadrille doctor where grading workers run: it says what to install; then restart them"
        yield Finding("language", False, detail, fix, needed=False)


def _scheduler(sending: Sequence[Worker]) -> Finding:
    if not sending:
        detail = f"none has been seen for {SECONDS} s: jobs that failed or lost their message are not tried again"
        return Finding("scheduler", False, detail, f"{STARTS} scheduler", needed=False)
    first, *others = (each.name for each in sending)
    return Finding("scheduler", True, f"{first} works" + (f"; {', '.join(others)} stands by" if others else ""))
