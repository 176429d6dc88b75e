"""A whole installation for a test: `quadrille serve` in a folder of its own, and what talks to it."""

import hashlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import requests
from sqlalchemy import select, update
from sqlalchemy.orm import sessionmaker

from deploy.migrations import migrate
from deploy.settings import load
from grader.authoring.papers import unpack_cases
from grader.store.models import Assignment, CaseSet
from tests.papers import packed_sets
from tests.services import all_processes, parent
from tournament.store.database import Sessions, connect, writing
from tournament.store.tables import Tournament
from web.site.models import ApiToken, User

PATIENCE_S = 180.0
DYING_S = 10.0
SOME_GAMES = 4
"""Games that each entry of an installation plays before its ladders rest: more would take a processor that the other
tests can use."""

Answer = TypeVar("Answer")


def eventually(ask: Callable[[], Answer], patience_s: float = PATIENCE_S, every_s: float = 0.2) -> Answer:
    """The first answer that is true; fails if there is none for long."""
    deadline = monotonic() + patience_s
    while not (answer := ask()):
        assert monotonic() < deadline, "it did not happen in time"
        sleep(every_s)
    return answer


@dataclass(frozen=True)
class Stack:
    """A running installation."""

    process: "subprocess.Popen[str]"
    data: Path
    database_url: str
    log: Path

    @cached_property
    def address(self) -> str:
        """Of the site."""
        lock = self.data / "serve.lock"
        return eventually(lambda: re.search(r"http://\S+", lock.read_text()) if lock.exists() else None)[0]

    @cached_property
    def passwords(self) -> Mapping[str, str]:
        """Of the demonstration class, by login."""
        found: dict[str, str] = json.loads((self.data / "demo-logins.json").read_text())
        return found

    @cached_property
    def sessions(self) -> Sessions:
        """The installation's database."""
        return sessionmaker(connect(self.database_url))

    def workers(self, queue: str) -> list[int]:
        """The processes that work on a queue."""
        return self.running("worker", queue)

    def running(self, *command: str) -> list[int]:
        """The processes of a `quadrille` command, such as `web`: those that `serve` has started. (What they start is
        called like them for a moment.)"""
        return [pid for pid in all_processes() if self.runs(pid, *command)]

    def runs(self, pid: int, *command: str) -> bool:
        """Whether it is such a process; of a worker and the process that watches it, whether it is the worker."""
        above = parent(parent(pid) or 0) if command[0] == "worker" else parent(pid)
        return above == self.process.pid and command_of(pid)[-len(command) :] == list(command)

    def processes(self) -> list[int]:
        """Every process that was started for this installation, jails apart."""
        mark = f"QUADRILLE_DATA={self.data}".encode()
        return [pid for pid in all_processes() if mark in environment_of(pid)]

    def left(self) -> list[int]:
        """The processes that are left after it has ended. A worker that was killed with its watch may take a moment
        to go: the kernel frees its memory first."""
        deadline = monotonic() + DYING_S
        while (left := self.processes()) and monotonic() < deadline:
            sleep(0.1)
        return left

    def rest_after(self, games: int) -> None:
        """Let the ladders rest when everybody has so many games."""
        with writing(self.sessions) as session:
            session.execute(update(Tournament).values(target_games=games))

    def try_with(self, games: int) -> None:
        """Let players play so many trial games before they enter."""
        with writing(self.sessions) as session:
            session.execute(update(Assignment).values(trial_games=games))

    def never_rest(self) -> None:
        """Let the ladder of Comp10001-Bo go on however many games everybody has."""
        with writing(self.sessions) as session:
            session.execute(update(Tournament).where(Tournament.game == "bo").values(target_games=10**9))

    def api(self, login: str) -> "Api":
        """The API as that person."""
        token = secrets.token_urlsafe()
        with writing(self.sessions) as session:
            user = session.scalars(select(User.id).where(User.login == login)).one()
            session.add(ApiToken(user_id=user, label="test", sha256=hashlib.sha256(token.encode()).hexdigest()))
        return Api(self.address, token)

    def stop(self, with_signal: int = signal.SIGINT) -> int:
        """Stop it as a user does; the exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE_S)


@dataclass(frozen=True)
class Api:
    """A client of the API that belongs to one person."""

    address: str
    token: str

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """The response to a request."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        return requests.request(method, f"{self.address}/api/v1{path}", headers=headers, timeout=PATIENCE_S, **options)

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """The answer to a request that must succeed."""
        reply = self.request(method, path, **options)
        assert reply.ok, reply.text
        return reply.json()

    def assignment(self, game: str = "bo") -> Any:
        """The demonstration class's assignment for a game."""
        (assignment,) = (each for each in self.ask("GET", "/assignments")["assignments"] if each["game"] == game)
        return assignment

    def upload(self, source: str, enter: bool, game: str = "bo") -> requests.Response:
        """The response to an upload."""
        path = f"/assignments/{self.assignment(game)['id']}/submissions"
        return self.request("POST", path, json={"source": source, "enter": enter})

    def submit(self, source: str, enter: bool, game: str = "bo") -> Any:
        """Upload a player that is accepted."""
        reply = self.upload(source, enter, game)
        assert reply.status_code == 201, reply.text
        return reply.json()

    def graded(self, submission: Any) -> Any:
        """The submission, once it is graded, and its trial games are over if it waits for them to enter."""

        def done() -> Any:
            now = self.ask("GET", f"/submissions/{submission['id']}")
            waits = any(outcome["entering"] for outcome in now["outcomes"])
            return now if now["state"] == "done" and not waits else None

        return eventually(done, every_s=0.5)

    def leaderboard(self) -> list[Any]:
        """The rows of the leaderboard of Comp10001-Bo."""
        tournament = self.assignment()["tournament"]["id"]
        rows: list[Any] = self.ask("GET", f"/tournaments/{tournament}/leaderboard")["rows"]
        return rows

    def own_row(self) -> Any:
        """One's own line of the leaderboard, or None."""
        return next((row for row in self.leaderboard() if row["mine"]), None)


def keep_case_sets(url: str, games: Iterable[str]) -> None:
    """Store the hidden cases of these games' assignments in an installation's database, which is upgraded for it: to
    make them takes as long as to start all processes."""
    engine = connect(url)
    migrate(engine)
    with writing(sessionmaker(engine)) as session:
        for key, packed in (each for game in games for each in packed_sets(game).items()):
            if session.get(CaseSet, key) is None:
                session.add(CaseSet(key=key, cases=packed, count=len(unpack_cases(packed))))
    engine.dispose()


@contextmanager
def serving(
    data: Path, *arguments: str, demo: bool = True, prepared: Sequence[str] = ("bo",), **environment: str
) -> Iterator[Stack]:
    """Run `quadrille serve` until the site answers, and stop it in the end. The site has one process unless the
    environment says otherwise: each takes seconds of a processor to start. `prepared`: the games whose hidden cases the
    database has already; with none, the database is new, and the workers make them."""
    command = [sys.executable, "-m", "deploy.cli", "serve", "--data", str(data), "--port", "0", *arguments]
    log = data.with_suffix(".log")
    url = environment.get("QUADRILLE_DATABASE_URL", f"sqlite:///{data}/quadrille.sqlite")
    if prepared:
        load(data)  # makes the folder
        keep_case_sets(url, prepared)
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--demo"] if demo else command,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "QUADRILLE_WEB_PROCESSES": "1", **environment},
            start_new_session=True,
        )
    stack = Stack(process, data, url, log)
    try:
        eventually(lambda: "All data is in" in log.read_text() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        stack.rest_after(SOME_GAMES)
        yield stack
    finally:
        if process.poll() is None:
            stack.stop()


def environment_of(pid: int) -> list[bytes]:
    return _read(pid, "environ")


def command_of(pid: int) -> list[str]:
    return [part.decode() for part in _read(pid, "cmdline")]


def _read(pid: int, name: str) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return []
