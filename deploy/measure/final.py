"""What `quadrille bench final` measures: how long the final of a large class takes."""

from collections.abc import Generator, Iterator
from random import Random
from time import monotonic, perf_counter, sleep

from sqlalchemy.orm import sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.installation import add_assignment, installation, processes, wait
from deploy.measure.synthetic import GAME, SEATS, add_players, add_sums, add_users, last_id, play_queued
from deploy.processes.celery import LADDER
from sandbox.api import SandboxError
from tournament.final import lifecycle as finals
from tournament.final.freeze import Entrant, FinalPlan, freeze
from tournament.final.settings import FinalSettings
from tournament.store.database import Sessions, connect, now, reading, writing
from tournament.store.tables import Block, Final, FinalPhase, PlayedGame

ENTRIES, GAMES = 1000, 400
WORKERS = 2
WANTED_MIN = 40.0

QUICK_S = 8.0
QUICK_ROUNDS = 4

LOOK_S = 2.0
PATIENCE_S = 120.0
"""A final that has stored no game for so long stands still."""


def measure() -> Iterator[Figure | str]:
    """The final of ENTRIES students, who entered the house bots' files, with GAMES games each.

    `final.planning`: drawing all of its rounds, one after the other, on stored games with made-up results.
    `final.minutes`: the final itself, really played by WORKERS workers in this machine's jail, from the start of the
    workers to the published marks; `final.rate`, `final.publish`: its games a second, and how long working the marks
    out from all of them took.
    """
    planning, _ = yield from _planned()
    yield Figure("final.planning", planning, "s")
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        tournament_id, started = _begin(sessions), monotonic()
        with processes(settings, LADDER, WORKERS):
            yield from _played(sessions, tournament_id)
            played = monotonic() - started
        publishing = perf_counter()
        with writing(sessions) as session:
            finals.publish(session, tournament_id)
        publishing = perf_counter() - publishing
        yield Figure("final.rate", _games(sessions) / played, "games/s")
    yield Figure("final.publish", publishing, "s")
    yield Figure("final.minutes", (played + publishing) / 60, "min", WANTED_MIN)


def quick() -> Iterator[Figure | str]:
    """What QUICK_S seconds of play and QUICK_ROUNDS drawn rounds tell of that final. `final.rate`: games a second
    within a round; `final.planning_extrapolated` and, of all of it, `final.minutes_extrapolated`: as if the whole went
    on like this part."""
    planning, rounds = yield from _planned(QUICK_ROUNDS)
    planning *= GAMES / SEATS / rounds
    rate = yield from _rate()
    yield Figure("final.rate", rate, "games/s")
    yield Figure("final.planning_extrapolated", planning, "s")
    yield Figure("final.minutes_extrapolated", (_all_games() / rate + planning) / 60, "min", WANTED_MIN)


def _all_games() -> int:
    return ENTRIES * GAMES // SEATS


def _begin(sessions: Sessions) -> int:
    """A final that has begun; its tournament's id."""
    with writing(sessions) as session:
        players, users, at = add_players(session), add_users(session, ENTRIES), now()
        entrants = [
            Entrant(user, players[number % len(players)], f"student {number}", 1, at)
            for number, user in enumerate(users)
        ]
        settings = FinalSettings(first_games=GAMES, most_games=GAMES, fault_limit=GAMES)
        final = freeze(session, add_assignment(session), FinalPlan(GAME, entrants, settings, seed=1))
        finals.start(session, final.tournament_id)
        return final.tournament_id


def _played(sessions: Sessions, tournament_id: int) -> Iterator[str]:
    """Wait until the final is over. Raises SandboxError if it stands still."""
    yield "the workers start"
    wait(lambda: _games(sessions) > 0)
    started, stored, moved = monotonic(), 0, monotonic()
    while not _over(sessions, tournament_id):
        before, stored = stored, _games(sessions)
        moved = monotonic() if stored > before else moved
        if monotonic() - moved > PATIENCE_S:
            raise SandboxError(f"no game of the final was stored for {PATIENCE_S:g} s, after {stored:,} games")
        yield _told(stored, monotonic() - started)
        sleep(LOOK_S)


def _told(stored: int, seconds: float) -> str:
    said = f"{stored:,} of {_all_games():,} games"
    if seconds < 2 * LOOK_S:
        return said
    left = max(0, _all_games() - stored) * seconds / stored
    return f"{said}, {stored / seconds:.1f} a second, about {left / 60:.1f} min left at this rate"


def _rate() -> Generator[str, None, float]:
    """Games a second of the first QUICK_S seconds after the first result."""
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        _begin(sessions)
        with processes(settings, LADDER, WORKERS):
            yield "the workers start"
            wait(lambda: _games(sessions) > 0)
            first, started = _games(sessions), monotonic()
            yield f"games are played for {QUICK_S:g} s"
            sleep(QUICK_S)
            wait(lambda: _games(sessions) > first)
            return (_games(sessions) - first) / (monotonic() - started)


def _games(sessions: Sessions) -> int:
    """How many are stored; there are no others, and counting them would take time from those who play."""
    with reading(sessions) as session:
        return last_id(session, PlayedGame.id)


def _over(sessions: Sessions, tournament_id: int) -> bool:
    with reading(sessions) as session:
        return session.get_one(Final, tournament_id).phase is FinalPhase.FINISHED


def _planned(most: int | None = None) -> Generator[str, None, tuple[float, int]]:
    """The seconds that drawing all rounds, or the first so many, takes; and how many they are."""
    rng, planning, rounds = Random(1), 0.0, 0
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        tournament_id = _begin(sessions)
        while rounds != most:
            with reading(sessions) as session:
                former = last_id(session, Block.id)
            started = perf_counter()
            with reading(sessions) as session:
                drawn = finals.draw(session, tournament_id)
            with writing(sessions) as session:
                added = finals.queue(drawn, session) if drawn else 0
            planning += perf_counter() - started
            if not added:
                break
            rounds += 1
            yield f"round {rounds} is drawn, {planning:.1f} s in all so far; its results are made up"
            with writing(sessions) as session:
                play_queued(session, tournament_id, rng)
                add_sums(session, tournament_id, former)
        return planning, rounds
