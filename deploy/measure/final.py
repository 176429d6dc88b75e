"""`quadrille bench final`: how long the final of a large class takes."""

from collections.abc import Generator, Iterator
from random import Random
from time import monotonic, perf_counter, sleep

from sqlalchemy.orm import sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.installation import add_assignment, games_a_second, installation, programs, stored_games, wait
from deploy.measure.synthetic import GAME, SEATS, add_players, add_sums, add_users, last_id, play_queued
from deploy.processes.celery import LADDER
from sandbox.api import SandboxError
from tournament.final import lifecycle as finals
from tournament.final.freeze import Entrant, FinalPlan, freeze
from tournament.final.settings import FinalSettings
from tournament.store.database import Sessions, connect, now, reading, writing
from tournament.store.tables import Block, Final, FinalPhase

ENTRIES, GAMES = 1000, 400
WORKERS = (["worker", LADDER], ["worker", LADDER], ["scheduler"])
WANTED_MIN = 40.0

QUICK_S = 8.0
QUICK_ROUNDS = 4

LOOK_S = 2.0
PATIENCE_S = 120.0
"""A final that has stored no game for this long has stopped."""


def measure() -> Iterator[Figure | str]:
    """The final of ENTRIES students, who entered the house bots' files, with GAMES games each.

    `final.planning`: the time to draw all rounds, one after the other, on stored games with made-up results.
    `final.minutes`: the final itself, really played by two workers in this machine's jail, from the start of the
    workers to the published marks. `final.rate`: its games a second. `final.publish`: the time to compute the marks.
    """
    planning, _ = yield from _planned()
    yield Figure("final.planning", planning, "s")
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        tournament_id, started = _begin(sessions), monotonic()
        with programs(settings, *WORKERS):
            yield from _played(sessions, tournament_id)
            played = monotonic() - started
        publishing = perf_counter()
        with writing(sessions) as session:
            finals.publish(session, tournament_id)
        publishing = perf_counter() - publishing
        yield Figure("final.rate", stored_games(sessions) / played, "games/s")
    yield Figure("final.publish", publishing, "s")
    yield Figure("final.minutes", (played + publishing) / 60, "min", WANTED_MIN)


def quick() -> Iterator[Figure | str]:
    """An estimate from QUICK_S seconds of play and QUICK_ROUNDS drawn rounds. `final.rate`: games a second within a
    round. `final.planning_extrapolated` and `final.minutes_extrapolated`: as if the whole final went on like this."""
    planning, rounds = yield from _planned(QUICK_ROUNDS)
    planning *= GAMES / SEATS / rounds
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        _begin(sessions)
        with programs(settings, *WORKERS):
            yield f"games are played for {QUICK_S:g} s"
            rate = games_a_second(sessions, QUICK_S)
    yield Figure("final.rate", rate, "games/s")
    yield Figure("final.planning_extrapolated", planning, "s")
    yield Figure("final.minutes_extrapolated", (_all_games() / rate + planning) / 60, "min", WANTED_MIN)


def _all_games() -> int:
    return ENTRIES * GAMES // SEATS


def _begin(sessions: Sessions) -> int:
    """Freeze and start a final; return its tournament's id."""
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
    """Wait until the final is over. Raises SandboxError if it stops before."""
    yield "the workers start"
    wait(lambda: stored_games(sessions) > 0)
    started, stored, moved = monotonic(), 0, monotonic()
    while not _over(sessions, tournament_id):
        before, stored = stored, stored_games(sessions)
        moved = monotonic() if stored > before else moved
        if monotonic() - moved > PATIENCE_S:
            raise SandboxError(f"no game of the final was stored for {PATIENCE_S:g} s, after {stored:,} games")
        seconds = max(monotonic() - started, LOOK_S)
        left = max(0, _all_games() - stored) * seconds / stored
        yield (
            f"{stored:,} of {_all_games():,} games, {stored / seconds:.1f} a second, "
            f"about {left / 60:.1f} min left at this rate"
        )
        sleep(LOOK_S)


def _over(sessions: Sessions, tournament_id: int) -> bool:
    with reading(sessions) as session:
        return session.get_one(Final, tournament_id).phase is FinalPhase.FINISHED


def _planned(most: int | None = None) -> Generator[str, None, tuple[float, int]]:
    """The seconds that it takes to draw all rounds, or the first `most`, and their number."""
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
