"""`quadrille bench replay`: how smoothly a long game is played on a screen as large as a phone's."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from statistics import median
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from deploy.measure.figures import Figure, percentile
from deploy.measure.installation import add_assignment, add_user, installation, programs, wait
from deploy.processes.serve import address, answers, usable_port
from tournament.games import find_game
from tournament.ladder import sharing
from tournament.play.golden import golden_records
from tournament.store.database import connect, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, PlayedGame, Seat, Tournament

GAME, NAME = "phazed", "mixed"
"""The golden game that is shown: 547 plays."""

ROUNDS = 4
SECONDS = 5.0
WARM_UP_S = 1.0
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "is_mobile": True, "has_touch": True}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
EMPTY = "<!doctype html><div id=dot style='width:1em;height:1em;background:green'></div>"
MOVE = "dot.animate([{transform: 'none'}, {transform: 'translateX(20em)'}], {duration: 350, iterations: Infinity})"
GAPS = """seconds => new Promise(resolve => {
    const gaps = [], end = performance.now() + 1000 * seconds;
    let before = null;
    requestAnimationFrame(function next(now) {
        if (before !== null) gaps.push(now - before);
        before = now;
        now < end ? requestAnimationFrame(next) : resolve(gaps);
    });
})"""


def measure() -> Iterator[Figure | str]:
    """`replay.frames`: frames a second while the longest golden game is played at its highest speed, beside a page on
    which one square moves. `replay.gap`: the time between two frames, the 99th percentile. Nothing where Playwright or
    Chromium is missing."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None or find_spec("playwright") is None:
        yield "left out: Playwright or Chromium is not installed"
        return
    with _shared_game() as url:
        replay, empty = _gaps(url, program)
    yield Figure("replay.frames", _rate(replay), "frames/s", _rate(empty))
    yield Figure("replay.gap", _slow(replay), "ms", _slow(empty))


def _rate(rounds: list[list[float]]) -> float:
    return median(1000 * len(gaps) / sum(gaps) for gaps in rounds)


def _slow(rounds: list[list[float]]) -> float:
    return median(percentile(gaps, 99) for gaps in rounds)


def _gaps(url: str, program: str) -> tuple[list[list[float]], list[list[float]]]:
    """The times between frames of both pages, in milliseconds, measured in turn."""
    from playwright.sync_api import sync_playwright  # of the development installation

    replay, empty = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        phone: dict[str, Any] = dict(PHONE)
        for _ in range(ROUNDS):
            page = browser.new_page(**phone)
            page.goto(url)
            page.wait_for_selector("[data-timeline] polyline")
            page.get_by_label("Speed").select_option("8")
            page.get_by_role("button", name="Play", exact=True).click()
            page.evaluate(GAPS, WARM_UP_S)
            replay.append(page.evaluate(GAPS, SECONDS))
            page.close()
            page = browser.new_page(**phone)
            page.set_content(EMPTY)
            page.evaluate(MOVE)
            page.evaluate(GAPS, WARM_UP_S)
            empty.append(page.evaluate(GAPS, SECONDS))
            page.close()
        browser.close()
    return replay, empty


@contextmanager
def _shared_game() -> Iterator[str]:
    """The address of the game's replay on a site of its own."""
    with installation() as made:
        free = made.model_copy(update={"port": 0})
        settings = free.model_copy(update={"port": usable_port(free)})
        with writing(sessionmaker(connect(settings.database))) as session:
            token = _store(session)
        with programs(settings, ["web"]):
            wait(lambda: answers(settings))
            yield f"{address(settings)}/shared-games/{token}/"


def _store(session: Session) -> str:
    """Store the game as one of house bots on a ladder, and share it; the token of its address."""
    add_assignment(session, GAME)
    record = golden_records(find_game(GAME))[NAME]
    tournament = session.scalars(select(Tournament.id)).one()
    bots = session.scalars(select(Entry.id).where(Entry.bot.is_not(None)).limit(len(record.seats))).all()
    block = Block(tournament_id=tournament, seed=record.seed, entries=list(bots), state=JobState.DONE)
    session.add(block)
    session.flush()
    game = PlayedGame(block_id=block.id, seating=0, tournament_id=tournament, ended=record.ended)
    game.plays, game.record = len(record.plays), record.pack()
    for seat, bot in enumerate(bots):
        place, points = record.places[seat], record.points[seat]
        game.seats.append(Seat(seat=seat, entry_id=bot, place=place, points=points, counts=True))
    session.add(game)
    session.flush()
    return sharing.share(session, game, by=add_user(session, 0))
