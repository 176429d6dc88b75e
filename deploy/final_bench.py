"""What `quadrille bench final` measures: how long the final of a large class takes."""

from collections.abc import Iterator
from random import Random
from time import monotonic, perf_counter

from sqlalchemy import func, select
from sqlalchemy.orm import sessionmaker

from deploy.bench import add_assignment, installation, processes, wait
from deploy.celery import LADDER
from deploy.synthetic import GAME, add_players, add_sums, add_users, play_queued
from sandbox.figures import Figure
from tournament import finals
from tournament.db import Sessions, connect, now, reading, writing
from tournament.final import Settings
from tournament.freeze import Entrant, freeze
from tournament.models import Final, PlayedGame

ENTRIES, GAMES = 1000, 400
ROUNDS, QUICK_ROUNDS = 4, 1
WORKERS = 2
PATIENCE_S = 1200.0
WANTED_MIN = 40.0


def measure(rounds: int = ROUNDS) -> Iterator[Figure]:
    """A final of ENTRIES students, who entered the house bots' files, with GAMES games each.

    `final.rate`: games a second of its first `rounds` rounds, really played by two workers in this machine's jail, the
    planning between the rounds included. `final.planning`: planning all of its rounds, one by one, on stored games with
    made-up results. `final.publish`: working the marks out from all games. `final.minutes`: the whole final,
    extrapolated from the first three: games / rate + planning + publish.
    """
    rate = _rate(rounds)
    yield Figure("final.rate", rate, "games/s")
    planning, publishing, games = _planning()
    yield Figure("final.planning", planning, "s")
    yield Figure("final.publish", publishing, "s")
    yield Figure("final.minutes", (games / rate + planning + publishing) / 60, "min", WANTED_MIN)


def quick() -> Iterator[Figure]:
    """The same from one round that is really played."""
    return measure(QUICK_ROUNDS)


def _begin(sessions: Sessions) -> int:
    """A final that has begun; its tournament's id."""
    with writing(sessions) as session:
        players, users, at = add_players(session), add_users(session, ENTRIES), now()
        entrants = [
            Entrant(user, players[number % len(players)], f"student {number}", 1, at)
            for number, user in enumerate(users)
        ]
        settings = Settings(first_games=GAMES, most_games=GAMES)
        final = freeze(session, add_assignment(session), GAME, entrants, settings, seed=1)
        finals.start(session, final.tournament_id)
        return final.tournament_id


def _rate(rounds: int) -> float:
    """Games a second from the first result to the last of the round."""
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        tournament_id = _begin(sessions)
        with processes(settings, LADDER, WORKERS):
            wait(lambda: _games(sessions) > 0)
            first, started = _games(sessions), monotonic()
            wait(lambda: _rounds(sessions, tournament_id) > rounds, PATIENCE_S)
            return (_games(sessions) - first) / (monotonic() - started)


def _games(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def _rounds(sessions: Sessions, tournament_id: int) -> int:
    with reading(sessions) as session:
        return len(session.get_one(Final, tournament_id).rounds)


def _planning() -> tuple[float, float, int]:
    """The seconds that planning all rounds and working the marks out take, and how many games there are."""
    rng, planning = Random(1), 0.0
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        tournament_id = _begin(sessions)
        while True:
            started = perf_counter()
            with writing(sessions) as session:
                added = finals.advance(session, tournament_id)
            planning += perf_counter() - started
            if not added:
                break
            with writing(sessions) as session:
                play_queued(session, tournament_id, rng)
                add_sums(session, tournament_id)
        started = perf_counter()
        with writing(sessions) as session:
            finals.publish(session, tournament_id)
        return planning, perf_counter() - started, _games(sessions)
