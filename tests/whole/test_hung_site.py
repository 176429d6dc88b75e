"""A process of the site that hangs is noticed, killed and replaced; one whose database does not answer is not.

Two processes, of four threads each, serve a PostgreSQL that can be stopped. Their limits are shorter than usual, in the
usual order: a query is given up after less time than a process may be silent for.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
import requests
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from deploy.health.servers import attendance
from deploy.migrations import migrate
from tests.services import PATIENCE_S, all_processes, free_port, parent, postgresql_server
from tests.whole.stack import eventually
from tournament.store.database import Sessions, connect, reading
from tournament.store.tables import Worker

pytestmark = pytest.mark.full

SITE = """
import re, sys, threading, time
from datetime import timedelta
from sqlalchemy import text
from deploy.cli import main
from deploy.processes import site
from sandbox import signs
from tournament.store import tables
from tournament.work import workers
signs.PATIENCE_S, tables.SILENT = 4.0, timedelta(seconds=2)
workers.SIGN_S, workers.STALE_S, site.SILENCE_S = 0.2, 1.0, 2.0
ACTS = {
    "/compute": lambda: re.match("(a|a)*b", "a" * 99),
    "/block": lambda: threading.Event().wait(),
    "/dawdle": lambda: time.sleep(2),
}
make = site.make_site
def make_site(settings):
    site = make(settings)
    def ask():
        with site.extensions["quadrille"].sessions() as session:
            for _ in range(4):
                session.execute(text("SELECT pg_sleep(1.5)"))
    ACTS["/ask"] = ask
    answer = site.wsgi_app
    def wsgi_app(environ, start):
        ACTS.get(environ["PATH_INFO"], lambda: None)()
        if environ["PATH_INFO"] == "/dawdle":  # without the database
            start("404 Not Found", [])
            return []
        return answer(environ, start)
    site.wsgi_app = wsgi_app
    return site
site.make_site = make_site
main(["web"], prog_name="quadrille")
"""
PROCESSES, THREADS, PATIENCE = 2, 4, 4.0


@dataclass(frozen=True)
class Site:
    process: "subprocess.Popen[bytes]"
    port: int
    sessions: Sessions

    def get(self, path: str, timeout: float = PATIENCE_S) -> int:
        """The status of the answer over a connection of its own; 0 if there is none."""
        try:
            headers = {"Connection": "close"}
            return requests.get(f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=timeout).status_code
        except requests.RequestException:
            return 0

    def many(self, path: str, number: int, timeout: float = PATIENCE_S) -> list[int]:
        """The answers to so many requests at once."""
        with ThreadPoolExecutor(number) as clients:
            return list(clients.map(lambda _: self.get(path, timeout), range(number)))

    def pids(self) -> set[int]:
        """The processes that serve, and have said so."""
        with reading(self.sessions) as session:
            return {int(name.rpartition(":")[2]) for name in session.scalars(select(Worker.name))}

    def told(self, sample: str, timeout: float = PATIENCE_S) -> float:
        """A figure of /metrics."""
        address, headers = f"http://127.0.0.1:{self.port}/metrics", {"Connection": "close"}
        text = requests.get(address, headers=headers, timeout=timeout).text
        return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(sample + " "))

    @contextmanager
    def replaced(self, number: int) -> Iterator[set[int]]:
        """So many processes are killed meanwhile, and others take their places and are all that is known."""
        before = self.pids()
        yield before
        eventually(lambda: len(self.pids() - before) == number and len(self.pids()) == PROCESSES)
        assert not [pid for pid in before - self.pids() if parent(pid)]
        assert self.many("/healthz", 20) == [200] * 20


@pytest.fixture(scope="module")
def database() -> Iterator[tuple[str, Callable[[signal.Signals], None]]]:
    """Its URL, and what sends a signal to all its processes."""
    with postgresql_server() as server:
        folder = server.url.rpartition("=")[2]
        own = int(Path(folder, "data", "postmaster.pid").read_text().split()[0])

        def send(number: signal.Signals) -> None:
            for pid in (own, *(each for each in all_processes() if parent(each) == own)):
                os.kill(pid, number)

        yield server.url, send


@pytest.fixture(scope="module")
def site(
    database: tuple[str, Callable[[signal.Signals], None]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    engine, port = connect(database[0]), free_port()
    migrate(engine)
    folder = tmp_path_factory.mktemp("site")
    settings = {"PORT": port, "WEB_PROCESSES": PROCESSES, "WEB_THREADS": THREADS, "DATA": folder}
    environment = {f"QUADRILLE_{name}": str(value) for name, value in settings.items()}
    environment = {**os.environ, **environment, "QUADRILLE_DATABASE_URL": database[0]}
    with subprocess.Popen([sys.executable, "-c", SITE], env=environment, start_new_session=True) as process:
        site = Site(process, port, sessionmaker(engine))
        try:
            eventually(lambda: process.poll() is not None or len(site.pids()) == PROCESSES)
            assert site.many("/healthz", 20) == [200] * 20
            yield site
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
            assert site.pids() == set(), "what ends in good order is not missed"
        finally:
            process.kill()
    engine.dispose()


def test_one_that_computes_and_holds_the_interpreter_is_replaced(site: Site) -> None:
    deaths = site.told('quadrille_deaths_total{queue="web"}')
    with site.replaced(1):
        assert site.get("/compute") == 0
    assert site.told('quadrille_deaths_total{queue="web"}') == deaths + 1


def test_one_whose_threads_all_wait_for_ever_is_replaced_and_one_with_a_free_thread_is_not(site: Site) -> None:
    with ThreadPoolExecutor(THREADS * PROCESSES * 4) as clients:
        before = site.pids()
        clients.submit(site.get, "/block")
        sleep(PATIENCE * 2)
        assert site.pids() == before
        with site.replaced(PROCESSES):
            for _ in range(THREADS * PROCESSES * 4):
                clients.submit(site.get, "/block")


def test_one_that_is_stopped_is_replaced(site: Site) -> None:
    with site.replaced(1) as before:
        os.kill(min(before), signal.SIGSTOP)


def test_one_that_is_stopped_with_its_watch_is_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.store.tables.SILENT", timedelta(seconds=2))
    pid = min(site.pids())
    both = parent(pid) or 0, pid
    for each in both:
        os.kill(each, signal.SIGSTOP)
    try:
        eventually(lambda: silent(site))
        with reading(site.sessions) as session:
            (found,) = (each for each in attendance(session) if each.name == "silent site process")
        assert f":{pid} (web) last responded" in found.detail
    finally:
        for each in both:
            os.kill(each, signal.SIGCONT)
    eventually(lambda: not silent(site))
    assert pid in site.pids(), "a pause of both is no silence"


def silent(site: Site) -> bool:
    """Whether the metrics tell of a silent process; asked again if that process is asked."""
    try:
        return site.told('quadrille_site_processes{state="silent"}', timeout=2) == 1
    except requests.RequestException:
        return False


@pytest.mark.parametrize(("path", "rounds"), [("/dawdle", 4), ("/ask", 1)], ids=["requests", "queries"])
def test_slow_ones_in_all_threads_kill_nobody(site: Site, path: str, rounds: int) -> None:
    before = site.pids()
    assert set(site.many(path, rounds * THREADS * PROCESSES)) == {404}
    assert site.pids() == before


def test_a_database_that_hangs_kills_nobody(site: Site, database: tuple[str, Callable[[signal.Signals], None]]) -> None:
    before, (_, send) = site.pids(), database
    send(signal.SIGSTOP)
    try:
        until = monotonic() + 2 * PATIENCE
        while monotonic() < until:
            assert 200 not in site.many("/healthz", 4 * THREADS * PROCESSES)
    finally:
        send(signal.SIGCONT)
    eventually(lambda: site.get("/healthz") == 200)
    eventually(lambda: site.pids() == before)
