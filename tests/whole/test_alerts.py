"""Each alert fires on the fault that it is for, made on a running installation, and ends when that is over.

Prometheus reads the installation and judges, by the product's own files. What takes minutes is not waited for: the
times in the database are put back."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from threading import Thread
from time import sleep

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import select, update

from deploy.cli import main
from deploy.migrations import migrate
from grader.store.models import Submission
from tests.players import GOOD
from tests.services import free_port, parent, postgresql_server
from tests.tournament.finals import BOTS, freeze_some
from tests.whole.prometheus import ALERTS, Prometheus, judging
from tests.whole.stack import Stack, eventually, serving
from tests.whole.test_full_disk import filler, mounted, refused
from tournament.store.database import connect, connected, now, writing
from tournament.store.jobs import JobState
from tournament.store.mail import Mail
from tournament.store.tables import Block, Entry, MetricSum, Worker
from tournament.work.tally import INTERNAL_ERRORS, Tallying

pytestmark = pytest.mark.full

HOUR = timedelta(hours=1)
SLOW_S = 2.0


@dataclass(frozen=True)
class Watched:
    """An installation, and who watches it."""

    stack: Stack
    prometheus: Prometheus
    disk: Path

    def quadrille(self, command: str) -> None:
        done = CliRunner().invoke(main, [*command.split(), "--data", str(self.stack.data)])
        assert done.exit_code == 0, done.output

    def upload(self) -> int:
        """The id of a submission of Ada's."""
        return int(self.stack.api("ada").submit(f"{GOOD}\n# {now()}\n", enter=False)["id"])

    @contextmanager
    def stopped(self, *pids: int) -> Iterator[None]:
        """Processes that are stopped with their watches, two minutes ago as far as anybody can tell."""
        both = [each for pid in pids for each in (parent(pid) or 0, pid)]
        for each in both:
            os.kill(each, signal.SIGSTOP)
        try:
            with writing(self.stack.sessions) as session:
                names = [name for name in session.scalars(select(Worker.name)) if int(name.rpartition(":")[2]) in pids]
                session.execute(update(Worker).where(Worker.name.in_(names)).values(seen_at=now() - HOUR / 30))
                assert len(names) == len(pids)
            yield
        finally:
            for each in both:
                os.kill(each, signal.SIGCONT)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("alerts")
    settings = {"GRADING_PROCESSES": "1", "PLAYING_PROCESSES": "1", "WEB_PROCESSES": "2"}
    settings |= {"MAIL_HOST": "127.0.0.1", "MAIL_PORT": str(free_port()), "MAIL_SECURITY": "none"}
    settings |= {"MAIL_FROM": "site@example.org", "MAIL_TO": "staff@example.org"}
    with ExitStack() as stack:
        disk = stack.enter_context(mounted("size=80m"))
        environment = {f"QUADRILLE_{name}": value for name, value in settings.items()}
        served = stack.enter_context(serving(disk / "data", **environment))
        prometheus = stack.enter_context(judging(folder / "prometheus", site=served.address))
        eventually(lambda: prometheus.asked('up{job="quadrille"} == 1'))
        eventually(lambda: not prometheus.says("QuadrilleNobodyGrades"))
        yield Watched(served, prometheus, disk)


# Faults, each with the alerts that it makes fire. It is over when the context ends.


@contextmanager
def maintenance_stays_on(watched: Watched) -> Iterator[None]:
    watched.quadrille("maintenance on Forgotten")
    yield
    watched.quadrille("maintenance off")


@contextmanager
def nobody_backs_up(watched: Watched) -> Iterator[None]:
    with writing(watched.stack.sessions) as session:
        session.execute(update(MetricSum).where(MetricSum.metric == "quadrille_backup").values(value=0.0))
    yield
    watched.quadrille("backup --check --keep 1")


@contextmanager
def the_mail_server_is_away(watched: Watched) -> Iterator[None]:
    with writing(watched.stack.sessions) as session:
        mail = Mail(subject="Waits", made_at=now() - 2 * HOUR)
        session.add(mail)
        session.flush()
        number = mail.id
    yield
    with writing(watched.stack.sessions) as session:
        session.get_one(Mail, number).sent_at = now()
        session.get_one(Mail, number).next_at = None


@contextmanager
def an_upload_is_given_up(watched: Watched) -> Iterator[None]:
    number = watched.upload()
    eventually(lambda: _state(watched, number) is JobState.DONE)
    _set(watched, number, state=JobState.PARKED)
    yield
    _set(watched, number, state=JobState.DONE)


@contextmanager
def no_sandbox_works(watched: Watched) -> Iterator[None]:
    """One more worker, whose runner is not there."""
    command = [sys.executable, "-m", "deploy.cli", "worker", "grading", "--data", str(watched.stack.data)]
    environment = {**os.environ, "QUADRILLE_SANDBOX": "docker", "QUADRILLE_RUNNER": "/nowhere"}
    with subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.DEVNULL) as process:
        yield
        process.terminate()


@contextmanager
def a_worker_is_stopped_while_uploads_wait(watched: Watched) -> Iterator[None]:
    with watched.stopped(*watched.stack.workers("grading")):
        first, second = watched.upload(), watched.upload()
        _set(watched, first, queued_at=now() - HOUR / 6)
        lost = {"state": JobState.RUNNING, "lease_until": now() - HOUR, "owner": "nobody", "attempts": 1}
        _set(watched, second, **lost)
        yield
    eventually(lambda: _state(watched, first) is _state(watched, second) is JobState.DONE)


@contextmanager
def a_player_is_stopped_during_a_final(watched: Watched) -> Iterator[None]:
    with watched.stopped(*watched.stack.workers("ladder")):
        number = freeze_some(watched.stack.sessions, *BOTS[:4])
        with writing(watched.stack.sessions) as session:
            table = list(session.scalars(select(Entry.id).where(Entry.tournament_id == number)))
            session.add(Block(tournament_id=number, seed=1, entries=table, queued_at=now() - HOUR))
        yield


@contextmanager
def the_scheduler_is_stopped(watched: Watched) -> Iterator[None]:
    (scheduler,) = watched.stack.running("scheduler")
    os.kill(scheduler, signal.SIGSTOP)
    try:
        with writing(watched.stack.sessions) as session:
            put_back = update(Worker).where(Worker.queue == "scheduler")
            session.execute(put_back.values(seen_at=now() - HOUR / 30))
        yield
    finally:
        os.kill(scheduler, signal.SIGCONT)


@contextmanager
def jobs_fail(watched: Watched) -> Iterator[None]:
    with Tallying(watched.stack.sessions):
        INTERNAL_ERRORS.labels("grading").inc(50)
    yield


@contextmanager
def a_table_is_missing(watched: Watched) -> Iterator[None]:
    with closing(sqlite3.connect(watched.stack.data / "quadrille.sqlite", isolation_level=None)) as database:
        database.execute("ALTER TABLE assignment RENAME TO gone")
        api = watched.stack.api("ada")
        for _ in range(100):
            assert api.request("GET", "/assignments").status_code == 500
        database.execute("ALTER TABLE gone RENAME TO assignment")
    yield


@contextmanager
def the_database_is_busy(watched: Watched) -> Iterator[None]:
    """Whoever stores something waits for a while."""
    api = watched.stack.api("ada")
    with closing(sqlite3.connect(watched.stack.data / "quadrille.sqlite", isolation_level=None)) as database:
        for _ in range(4):
            database.execute("BEGIN IMMEDIATE")
            with ThreadPoolExecutor(24) as clients:
                uploads = [clients.submit(api.upload, f"{GOOD}\n# {each} {now()}\n", enter=False) for each in range(24)]
                sleep(SLOW_S)
                database.execute("COMMIT")
            assert len(uploads) == 24
    yield


@contextmanager
def a_process_of_the_site_is_killed(watched: Watched) -> Iterator[None]:
    with writing(watched.stack.sessions) as session:
        names = session.scalars(select(Worker.name).where(Worker.queue == "web")).all()
    os.kill(int(names[0].rpartition(":")[2]), signal.SIGKILL)
    yield


@contextmanager
def the_disk_is_full(watched: Watched) -> Iterator[None]:
    api = watched.stack.api("ada")
    eventually(lambda: refused(api, watched.disk))
    yield
    filler(watched.disk).unlink()


Fault = Callable[[Watched], AbstractContextManager[None]]
LASTS = "for as long as the window of its expression"
FAULTS: Sequence[tuple[Fault, Sequence[str], str]] = [
    (nobody_backs_up, ["NoBackup", "BackupUntried"], ""),
    (maintenance_stays_on, ["MaintenanceForgotten"], ""),
    (the_mail_server_is_away, ["MailWaits"], ""),
    (no_sandbox_works, ["WorkersOutOfService"], ""),
    (an_upload_is_given_up, ["JobsAreParked"], ""),
    (the_scheduler_is_stopped, ["NoScheduler"], ""),
    (
        a_worker_is_stopped_while_uploads_wait,
        ["WorkerIsSilent", "NobodyGrades", "GradingWaits", "LeasesExpire"],
        "",
    ),
    (a_player_is_stopped_during_a_final, ["WorkerIsSilent", "NobodyPlays", "FinalStandsStill"], ""),
    (jobs_fail, ["OwnFaults"], LASTS),
    (a_process_of_the_site_is_killed, ["SiteProcessHangs"], LASTS),
    (a_table_is_missing, ["RequestsFail"], LASTS),
    (the_database_is_busy, ["IsSlow"], LASTS),
    (the_disk_is_full, ["DiskFillsUp", "StoresNothing"], ""),
]


def _set(watched: Watched, number: int, **values: object) -> None:
    with writing(watched.stack.sessions) as session:
        session.execute(update(Submission).where(Submission.id == number).values(**values))


def _state(watched: Watched, number: int) -> JobState | None:
    with writing(watched.stack.sessions) as session:
        return session.scalar(select(Submission.state).where(Submission.id == number))


@pytest.mark.parametrize(("fault", "names", "lasts"), FAULTS, ids=[each[0].__name__ for each in FAULTS])
def test_it_fires_on_its_fault_and_ends_with_it(
    watched: Watched, fault: Fault, names: Sequence[str], lasts: str
) -> None:
    alerts = [f"Quadrille{name}" for name in names]
    if fault is not nobody_backs_up:  # a new installation has no backup
        eventually(lambda: not any(map(watched.prometheus.says, alerts)))
    with fault(watched):
        for alert in alerts:
            eventually(lambda alert=alert: watched.prometheus.says(alert))  # type: ignore[misc]
    for alert in () if lasts else alerts:
        eventually(lambda alert=alert: not watched.prometheus.says(alert))  # type: ignore[misc]


def test_a_disk_of_any_host_is_judged(watched: Watched) -> None:
    """Those of this machine are as full as they are, so the limit is one that each of them is under."""
    expression = ALERTS["QuadrilleDiskFillsUp"]
    found = watched.prometheus.asked(expression.replace("< 0.1", "< 1.1"))
    assert {each["metric"].get("mountpoint", "") for each in found} > {""}


def test_a_site_that_ends_is_noticed(watched: Watched) -> None:
    assert not watched.prometheus.says("QuadrilleIsDown")
    watched.stack.stop()
    eventually(lambda: watched.prometheus.says("QuadrilleIsDown"))


# The address outside


def certificate(folder: Path, lasts: timedelta) -> Path:
    """A certificate of this machine, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "quadrille")])
    at = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(at - timedelta(days=90)).not_valid_after(at + lasts)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(key.private_bytes(*plain) + signed.public_bytes(serialization.Encoding.PEM))
    return path


class Fine(BaseHTTPRequestHandler):
    """Answers that all is well."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def proxy(path: Path) -> Iterator[str]:
    """The address of a server with that certificate."""
    with HTTPServer(("127.0.0.1", 0), Fine) as server:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_port}/healthz"
        server.shutdown()


@pytest.mark.parametrize(("days", "expires", "unreachable"), [(60, False, False), (5, True, False), (-1, False, True)])
def test_the_certificate_of_the_public_address(tmp_path: Path, days: int, expires: bool, unreachable: bool) -> None:
    path = certificate(tmp_path, timedelta(days=days))
    with proxy(path) as outside, judging(tmp_path / "prometheus", outside=outside, ca=path) as prometheus:
        eventually(lambda: prometheus.asked("probe_success"))
        said = [prometheus.says(f"Quadrille{name}") for name in ("CertificateExpires", "Unreachable")]
        assert said == [expires, unreachable]


def test_a_proxy_that_is_down_is_noticed(tmp_path: Path) -> None:
    with judging(tmp_path / "prometheus", outside=f"https://127.0.0.1:{free_port()}/healthz") as prometheus:
        eventually(lambda: prometheus.says("QuadrilleUnreachable"))


# PostgreSQL


def test_connections_that_run_out_are_noticed(tmp_path: Path) -> None:
    port = free_port()
    with postgresql_server("-c fsync=off -c max_connections=40") as server, ExitStack() as stack:
        migrate(connect(server.url))
        settings = {"PORT": str(port), "WEB_PROCESSES": "1", "WEB_THREADS": "2", "DATABASE_URL": server.url}
        environment = {**os.environ, **{f"QUADRILLE_{name}": value for name, value in settings.items()}}
        command = [sys.executable, "-m", "deploy.cli", "web", "--data", str(tmp_path / "data")]
        process = stack.enter_context(subprocess.Popen(command, env=environment, start_new_session=True))
        stack.callback(process.terminate)
        prometheus = stack.enter_context(judging(tmp_path / "prometheus", site=f"http://127.0.0.1:{port}"))
        eventually(lambda: prometheus.asked('quadrille_database_connections{state="most"} == 37'))
        assert not prometheus.says("QuadrilleConnectionsRunOut")
        with ExitStack() as idle:
            for _ in range(32):
                idle.enter_context(idle.enter_context(connected(server.url)).connect())
            eventually(lambda: prometheus.says("QuadrilleConnectionsRunOut"))
        eventually(lambda: not prometheus.says("QuadrilleConnectionsRunOut"))


def test_every_alert_is_tried() -> None:
    tried = {f"Quadrille{name}" for _, names, _ in FAULTS for name in names}
    apart = {"QuadrilleIsDown", "QuadrilleUnreachable", "QuadrilleCertificateExpires", "QuadrilleConnectionsRunOut"}
    assert tried | apart == set(ALERTS)
