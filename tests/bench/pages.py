"""The processor time of a request, beside a bare Flask page that makes one query.

The site answers in this process, without a server around it. Its class has a ladder with games, and a graded upload.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from random import Random
from statistics import mean, median
from time import process_time
from typing import Any, TypeAlias

from flask import Flask
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.test import Client

from deploy.processes.site import COLLECTED_AFTER, make_site
from deploy.settings import Settings
from grader.store.models import Assignment
from grader.store.uploads import Upload
from grader.submissions import work
from grader.submissions.submit import submit
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure
from tests.bench.installation import installation
from tests.load.browser import ASSET, TOKEN
from tests.load.classroom import Credentials, class_of, player_of
from tournament import blocks
from tournament.ladder.rerate import recompute_standings
from tournament.ladder.schedule import Candidate, Meetings, next_tables
from tournament.play.table import seatings
from tournament.store.database import Sessions, connect, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, PlayedGame, Seat, Tournament
from tournament.work.services import Services
from web.overview.entry_history import ENTRY
from web.replay import frames
from web.site.models import Course, User

STUDENTS = 1000
SEATS = 4
NEVER = 10**9
GAMES = 20_000
BLOCKS = 3  # of games that are really played: some are three times as long as others
REPEATS, WARM = 60, 15

NIGHT_STUDENTS, NIGHT_MINUTES = 60, 5
NIGHT: Mapping[str, int] = {
    "file of a page": 658,
    "assignment": 453,
    "leaderboard": 339,
    "entry": 183,
    "submission refresh": 163,
    "submission refresh, unchanged": 45,
    "home": 154,
    "game": 52,
    "game again": 127,
    "film": 52,
    "film again": 127,
    "entry card": 28,
    "entry card, unchanged": 20,
    "report": 24,
}
"""How often each was asked for in a load test with `--students 60 --minutes 5`, of a class of 1,000 whose ladder had
20,000 games, as it counts them; “again” is an address that was asked for before. Signing in and uploading are left out.
To count again: `make loadtest ARGS=--json`, `times_ms`."""

MADE_ANEW = "leaderboard, made again"
"""Not in the mix: for a class of 1,000 each process of the site does it every 5 seconds, however many look."""

AFTER_GAMES = "entry, after new games"
"""Not in the mix: what is kept of an entry's page lasts until it has new games, or the ratings are fitted again."""

NEW = ("game", "film")
"""What nobody has asked for before: nothing of it is kept. The cards that replays share are kept from other games."""


RECORD = bytes(200)
"""Stands for a game's record, which nothing here reads."""

FINISHES = ("1234", "2143", "3412", "4321", "1324", "2211")


Asked: TypeAlias = Mapping[str, tuple[Sequence[str], Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class PageCosts:
    """Milliseconds of processor time for each page, and for the least that a page with a query costs. `client` is
    signed in as a student; `asked` has the addresses and headers of each page."""

    each: Mapping[str, float]
    bare: float
    site: Flask
    client: Client
    asked: Asked


def measure() -> Iterator[Figure | str]:
    """`pages.request`: the mean of a deadline night; `pages.<page>`: each page by itself. In ms of processor time."""
    with installation() as settings:
        yield f"a class of {STUDENTS:,} is made up, with {GAMES:,} games, and its pages are asked for"
        found = page_costs(settings)
    yield Figure(
        "pages.request",
        sum(found.each[page] * share for page, share in NIGHT.items()) / sum(NIGHT.values()),
        "ms",
        found.bare,
    )
    for page, cost in found.each.items():
        yield Figure(f"pages.{page.replace(',', '').replace(' ', '_')}", cost, "ms", found.bare)


def page_costs(settings: Settings) -> PageCosts:
    """What the pages of a large class cost, which is created in the installation."""
    sessions = sessionmaker(connect(settings.database))
    account = class_of(settings.data, sessions, STUDENTS)[0]
    addresses, games = _work(sessions, account)
    client = Client(site := make_site(settings))
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER, 10, 10)  # as the site does
    sign_in(client, account)

    def forget_replays() -> None:
        for shelf in (frames.FILMS, frames.SCENES, frames.RECORDS):
            site.extensions.pop(f"quadrille-{shelf.name}", None)

    forget: dict[str, Callable[[], object]] = {
        **dict.fromkeys(NEW, forget_replays),
        MADE_ANEW: lambda: site.extensions.pop("quadrille-boards", None),
        AFTER_GAMES: lambda: site.extensions.pop(f"quadrille-{ENTRY.name}", None),
    }
    asked = _asked(client, addresses, games)
    costs = {page: milliseconds(client, *each, forget.get(page)) for page, each in asked.items()}
    return PageCosts(costs, milliseconds(bare_page(settings), ["/"], {}), site, client, asked)


def _work(sessions: Sessions, account: Credentials) -> tuple[Mapping[str, str], Sequence[str]]:
    """Fill the ladder, grade an upload of the student, and play games of theirs; the addresses of all that, and of the
    games."""
    with writing(sessions) as session:
        tournament = session.scalars(select(Tournament).where(Tournament.kind == "ladder").limit(1)).one()
        assignment = session.scalars(select(Assignment)).one()
        author = session.scalars(select(User.id).where(User.login == account.login)).one()
        tournament.target_games = NEVER
        ladder, kind = tournament.id, tournament.kind
        _add_games(session, tournament, GAMES)
        upload = Upload(author, account.login, "player.py", player_of(account.login), wants_entry=False)
        submission = submit(session, lambda task: None, assignment, upload).id
        course = session.get_one(Course, assignment.course_id).slug
        addresses = {"assignment": f"/courses/{course}/{assignment.slug}/", "leaderboard": f"/tournaments/{ladder}/"}
    with open_sandbox() as sandbox, open_sandbox("trusted") as trusted:
        services = Services(sessions, lambda task: None, lambda: sandbox, lambda: trusted, "bench")
        if not work.grade_next(services):
            raise SandboxError("there was no upload to grade")
        for _ in range(BLOCKS):
            blocks.pair_one(services, ladder)
            blocks.play_due_block(services, kind)
    with writing(sessions) as session:  # and one that waits
        assignment = session.scalars(select(Assignment)).one()
        waiting = submit(session, lambda task: None, assignment, replace(upload, source=player_of("waiting"))).id
    with reading(sessions) as session:
        played = session.execute(
            select(Seat.entry_id, Seat.game_id)
            .where(Seat.game_id > GAMES, Seat.seat == 0)
            .order_by(Seat.game_id.desc())
        ).all()
    addresses |= {"report": f"/submissions/{submission}/", "waiting": f"/submissions/{waiting}/"}
    return addresses | {"entry": f"/entries/{played[0][0]}/"}, [f"/games/{game}/plays/0" for _, game in played]


def _add_games(session: Session, tournament: Tournament, games: int) -> None:
    """Add that many games with random results, seated as a ladder seats, and make the standings from them."""
    rng = Random(1)
    ids = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament.id).order_by(Entry.id)).all()
    candidates = [Candidate(id_, 0, id_) for id_ in ids]
    tables = next_tables(candidates, (SEATS,), games // SEATS, NEVER, Meetings(ids), rng)
    session.add_all(Block(tournament_id=tournament.id, seed=rng.getrandbits(53), entries=list(each)) for each in tables)
    session.flush()
    _play_queued(session, tournament.id, rng)
    recompute_standings(session, tournament)


def _play_queued(session: Session, tournament_id: int, rng: Random) -> None:
    """Give every waiting block random results. The standings stay as they are."""
    waiting = select(Block.id, Block.entries).where(
        Block.tournament_id == tournament_id, Block.state == JobState.QUEUED
    )
    game = (session.scalar(select(func.max(PlayedGame.id))) or 0) + 1
    blocks: list[dict[str, Any]] = []
    games: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    for id_, table in session.execute(waiting.order_by(Block.id)).all():
        finish = [rng.choice(FINISHES) for _ in range(len(table))]
        done = {"state": JobState.DONE, "attempts": 1, "finished_at": now()}
        blocks.append({"id": id_, **done, "finish": "".join(finish)})
        for seating, places in enumerate(finish):
            where = {"id": game, "block_id": id_, "seating": seating, "tournament_id": tournament_id}
            games.append({**where, "ended": "win", "plays": 120, "record": RECORD})
            for seat, entry in enumerate(seatings(table)[seating]):
                place = int(places[table.index(entry)])
                result = {"place": place, "points": SEATS - place, "counts": True}
                seats.append({"game_id": game, "seat": seat, "entry_id": entry, "block_id": id_, **result})
            game += 1
    if blocks:
        session.execute(update(Block), blocks)
        session.execute(insert(PlayedGame), games)
        session.execute(insert(Seat), seats)
        if session.get_bind().dialect.name == "postgresql":  # it numbers games on from those
            session.execute(text(f"SELECT setval(pg_get_serial_sequence('game', 'id'), {game - 1})"))


def sign_in(client: Client, account: Credentials) -> None:
    """Sign in to the site."""
    token = TOKEN.search(client.get("/sign-in").text)
    fields = {"csrf_token": token[1] if token else "", "login": account.login, "password": account.password}
    if client.post("/sign-in", data=fields).status_code != 303:
        raise SandboxError("the student could not sign in")


def bare_page(settings: Settings) -> Client:
    """The least that a page with a query costs."""
    app = Flask("bare")
    sessions = sessionmaker(connect(settings.database))

    @app.get("/")
    def page() -> str:
        with reading(sessions) as session:
            return f"<!doctype html><title>Bare</title><p>{session.scalar(select(User.name).limit(1))}"

    return Client(app)


def _asked(client: Client, at: Mapping[str, str], games: Sequence[str]) -> Asked:
    """The addresses and the headers of each page of NIGHT."""
    file = ASSET.search(client.get("/").text)
    card, live = f"{at['assignment']}entry", f"{at['waiting']}live"
    films = [f"{game}?part=film" for game in games]
    pages: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
        name: ([at[name]], {}) for name in ("assignment", "leaderboard", "entry", "report")
    }
    return pages | {
        MADE_ANEW: ([at["leaderboard"]], {}),
        AFTER_GAMES: ([at["entry"]], {}),
        "home": (["/"], {}),
        "file of a page": ([file[1] if file else ""], {}),
        "submission refresh": ([live], {}),
        "submission refresh, unchanged": ([live], _known(client, live)),
        "entry card": ([card], {}),
        "entry card, unchanged": ([card], _known(client, card)),
        **dict.fromkeys(("game", "game again"), (games, {})),
        **dict.fromkeys(("film", "film again"), (films, {})),
    }


def _known(client: Client, path: str) -> Mapping[str, str]:
    """The headers of a browser that has the present answer."""
    return {"If-None-Match": client.get(path).headers["ETag"]}


def milliseconds(
    client: Client, paths: Sequence[str], headers: Mapping[str, str], forget: Callable[[], object] | None = None
) -> float:
    """The processor time of a request: the median for each address, and the mean of those. With `forget`, each time as
    if it were the first."""
    times: dict[str, list[float]] = {path: [] for path in paths}
    for number, path in enumerate(islice(cycle(paths), WARM + REPEATS)):
        if forget:
            forget()
        began = process_time()
        answer = client.get(path, headers={"Accept-Encoding": "gzip", **headers})
        if number >= WARM:
            times[path].append(1000 * (process_time() - began))
        if answer.status_code not in (200, 304):
            raise SandboxError(f"{path} was answered with {answer.status}")
    return mean(map(median, times.values()))
