"""What each part of an installation with PostgreSQL and Redis spends in a deadline night, measured on this machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import BytesIO
from itertools import count, cycle, islice
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time, sleep
from typing import Final
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import psutil
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker
from werkzeug.test import Client

from deploy.processes.celery import make_app, sender
from deploy.processes.serve import address, health_status, usable_port
from deploy.processes.site import COMPILED_AFTER_S
from deploy.settings import Settings
from grader.store.models import Assignment, Submission
from grader.store.queue import GRADING
from grader.store.uploads import Upload
from grader.submissions import work
from grader.submissions.submit import submit
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tests.bench.installation import installation, programs, wait
from tests.bench.mistakes import used_s
from tests.bench.pages import MADE_ANEW, NIGHT, STUDENTS, PageCosts, milliseconds, page_costs, sign_in
from tests.load.browser import TOKEN
from tests.load.classroom import MISTAKES, Credentials, class_of, mistake_in, upload_of
from tests.load.meter import cpu_seconds
from tests.services import postgresql_server, redis_server
from tournament import blocks
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Tournament
from tournament.work.runner import GRADE
from tournament.work.services import Services
from web.site.models import User

SIGN_IN: Final = "/sign-in"
ASKED: Final = 500  # requests over HTTP, after the site has compiled its templates:
SETTLED_S, RESTING_S = 3.0, 0.1  # it then uses less than that in so many seconds
UPLOADS, WRONG, BLOCKS, MESSAGES = 20, 1, 12, 2000
SHARE_OF_NIGHT: Final = 4  # of the requests of NIGHT, one in so many is made to see what they cost the database
STAFF_AT: Final[Mapping[str, str]] = {
    "submissions": "manage",
    "gradebook": "marks",
    "queue": "queue",
    "insight": "insight",
}


@dataclass(frozen=True, slots=True)
class Grading:
    """Seconds that an upload occupies a grading process: with a processor, its jail included, and without one."""

    cpu_s: float
    idle_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of processor time, except where a comment says otherwise."""

    pages: Mapping[str, float]  # of the site, for each page of NIGHT
    staff: Mapping[str, float]  # of the site, for each page of staff
    board: float  # of the site, for a leaderboard of 1,000 that is computed again
    sign_in: float
    upload: float  # of the site
    database_request: float  # of PostgreSQL, on average
    database_upload: float  # of PostgreSQL, until the report is stored
    grading: Mapping[str, Grading]  # by the mistake of the player; "" for a right one
    block: float  # of a playing process, its jail included, for the games of a block
    database_block: float  # of PostgreSQL
    message: float  # of Redis
    start_s: float  # from the start of a grading process to its first report, in seconds of the clock


def measured() -> Iterator[Costs | str]:
    """Measure all of it; text says how far it is, and the costs come last. Raises SandboxUnavailable."""
    with postgresql_server() as server, redis_server() as broker, installation(server.url, broker) as settings:
        yield "the pages of a class are asked for"
        database, sessions = Spent(_postmaster(server.url)), sessionmaker(connect(settings.database))
        found = page_costs(settings)
        pages = {page: cost / 1000 for page, cost in found.each.items()}
        request = _database_request(found, database)
        yield "the site is asked over HTTP"
        around = _around(settings, Client(found.site))
        accounts, site = class_of(settings.data, sessions, STUDENTS, staff=1), found.site
        staff = _staff(site, sessions, accounts[-1])
        sign_in_s, clients = _signing_in(site, accounts[1 : 1 + UPLOADS])
        upload_s = _uploading(clients, found.asked["assignment"][0][0])
        yield "players are graded, and games played"
        with open_sandbox() as sandbox, open_sandbox("trusted") as trusted:
            services = Services(sessions, lambda task: None, lambda: sandbox, lambda: trusted, "bench")
            graded, database_upload = _graded(services, database)
            block, database_block = _block(services, database)
        yield "a grading process is started, and messages are sent"
        yield Costs(
            {page: cost + around for page, cost in pages.items()},
            {page: cost + around for page, cost in staff.items()},
            pages[MADE_ANEW] - pages["leaderboard"],
            sign_in_s + around,
            upload_s + around,
            request,
            database_upload,
            graded,
            block,
            database_block,
            _message(settings, Spent(_listening(broker))),
            _start_s(settings, sessions),
        )


class Spent:
    """The processor time of a server of ours, its processes that have ended included."""

    def __init__(self, pid: int) -> None:
        self._server = psutil.Process(pid)

    def seconds(self) -> float:
        """What it has used so far."""
        own, *others = (each.cpu_times() for each in (self._server, *self._server.children()))
        return own.children_user + own.children_system + sum(each.user + each.system for each in (own, *others))


def _postmaster(url: str) -> int:
    (folder,) = parse_qs(urlsplit(url).query)["host"]
    return int(Path(folder, "data", "postmaster.pid").read_text().split()[0])


def _listening(url: str) -> int:
    """The process that listens at the port of the URL."""
    port = urlsplit(url).port
    listening = (each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN)
    return next(each.pid for each in listening if each.laddr[1:] == (port,) and each.pid)


def _database_request(found: PageCosts, database: Spent) -> float:
    before, asked = database.seconds(), 0
    for page, number in NIGHT.items():
        paths, headers = found.asked[page]
        for path in islice(cycle(paths), 1 + number // SHARE_OF_NIGHT):
            found.client.get(path, headers=dict(headers))
            asked += 1
    return (database.seconds() - before) / asked


def _around(settings: Settings, stranger: Client) -> float:
    """What the server around the site adds to a request."""
    inside = milliseconds(stranger, [SIGN_IN], {}) / 1000
    settings = settings.model_copy(update={"port": usable_port(settings.model_copy(update={"port": 0}))})
    with programs(settings, ["web"]):
        wait(lambda: health_status(settings, 2) == HTTPStatus.OK)
        (site,) = (each for each in psutil.Process().children() if "web" in each.cmdline())

        def spent(pause_s: float = 0.0) -> float:
            before = cpu_seconds(site)
            sleep(pause_s)
            for _ in range(0 if pause_s else ASKED):
                with urlopen(f"{address(settings)}{SIGN_IN}") as answer:
                    answer.read()
            return cpu_seconds(site) - before

        sleep(COMPILED_AFTER_S)
        wait(lambda: spent(SETTLED_S) < RESTING_S)
        return max(0.0, spent() / ASKED - inside)


def _staff(site: Flask, sessions: Sessions, account: Credentials) -> Mapping[str, float]:
    with reading(sessions) as session:
        assignment = session.scalars(select(Assignment.id)).one()
    client = Client(site)
    sign_in(client, account)
    paths = {page: [f"/assignments/{assignment}/{where}/"] for page, where in STAFF_AT.items()}
    return {page: milliseconds(client, path, {}) / 1000 for page, path in paths.items()}


def _signing_in(site: Flask, accounts: Sequence[Credentials]) -> tuple[float, Sequence[Client]]:
    """What it costs to sign in, and the clients that have."""
    clients = [Client(site) for _ in accounts]
    before = process_time()
    for client, account in zip(clients, accounts, strict=True):
        sign_in(client, account)
    return (process_time() - before) / len(accounts), clients


def _uploading(clients: Sequence[Client], assignment: str) -> float:
    """What the site spends on an upload of a right player."""
    spent = []
    for number, client in enumerate(clients):
        token = TOKEN.search(client.get(assignment).text)
        words = next(f"{number} {each}" for each in count() if not mistake_in(f"{number} {each}"))
        file = BytesIO(upload_of(words)), "player.py"
        fields = {"csrf_token": token[1] if token else "", "mode": "test", "file": file}
        before = process_time()
        if client.post(f"{assignment}submissions", data=fields).status_code != HTTPStatus.SEE_OTHER:
            raise SandboxError("a player could not be uploaded")
        spent.append(process_time() - before)
    return mean(spent)


def _graded(services: Services, database: Spent) -> tuple[Mapping[str, Grading], float]:
    """What grading costs, for each mistake, and what the database spends on a right player."""
    grade = partial(work.grade_next, services)
    while grade():  # what waits from before, which also opens the jail
        pass
    found = dict[str, Grading]()
    before = database.seconds()
    found[""] = _graded_with(services, grade, "", UPLOADS)
    in_database = (database.seconds() - before) / UPLOADS
    return found | {each: _graded_with(services, grade, each, WRONG) for each in set(MISTAKES.values())}, in_database


def _graded_with(services: Services, grade: Callable[[], object], mistake: str, number: int) -> Grading:
    every = (f"costs {each}" for each in count())
    with writing(services.sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        authors = session.scalars(select(User).where(User.login.startswith("load")).limit(number)).all()
        for author, words in zip(authors, filter(lambda each: mistake_in(each) == mistake, every), strict=False):
            upload = Upload(author.id, author.login, "player.py", upload_of(words), wants_entry=False)
            submit(session, lambda task: None, assignment, upload)
    began, before = perf_counter(), used_s()
    for _ in range(number):
        if not grade():
            raise SandboxError("there was no upload to grade")
    cpu_s = (used_s() - before) / number
    return Grading(cpu_s, max(0.0, (perf_counter() - began) / number - cpu_s) if "sleep" in mistake else 0.0)


def _block(services: Services, database: Spent) -> tuple[float, float]:
    """What a block of games costs its playing process, and the database."""
    with reading(services.sessions) as session:
        tournament = session.scalars(select(Tournament).where(Tournament.kind == "ladder").limit(1)).one()
    before, stored = used_s(), database.seconds()
    for _ in range(BLOCKS):
        blocks.pair_one(services, tournament.id)
        blocks.play_due_block(services, tournament.kind)
    return (used_s() - before) / BLOCKS, (database.seconds() - stored) / BLOCKS


def _message(settings: Settings, broker: Spent) -> float:
    send, before = sender(make_app(settings)), broker.seconds()
    for _ in range(MESSAGES):
        send(GRADE)
    return (broker.seconds() - before) / MESSAGES


def _start_s(settings: Settings, sessions: Sessions) -> float:
    """How long a grading process takes from its start to its first report."""
    with writing(sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        author = session.scalars(select(User).where(User.login.startswith("load")).limit(1)).one()
        upload = Upload(author.id, author.login, "player.py", upload_of("the first"), wants_entry=False)
        first = submit(session, lambda task: None, assignment, upload).id

    def graded() -> bool:
        with reading(sessions) as session:
            return session.get_one(Submission, first).state is JobState.DONE

    began = perf_counter()
    with programs(settings, ["worker", GRADING]):
        wait(graded)
        return perf_counter() - began
