"""A game: its rules, the referee and whole games."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import TypeVar

from sandbox.api import Limits
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import reapply
from tournament.play.table import PlayerSpec, house_bot, play_files

SEED = 1
GAMES_A_RUN = 40
REPEATS = 3
PAIRED_S = 5.0

PATIENT = Limits(wall_factor=100.0)

T = TypeVar("T")


def measure(slug: str) -> Iterator[Figure]:
    """`SLUG.engine`: plays a second when the rules and the referee re-apply recorded games, beside reading the games'
    JSON. `SLUG.sandboxed`: games a second of house bots in this machine's jail, beside the same games without a jail.
    The two take turns for some seconds, and the pair with the median ratio counts: a shared machine changes its speed.

    Raises SandboxUnavailable.
    """
    game = find_game(slug)
    bots = [house_bot(game, bot.name) for bot in game.bots][: game.seats[0]]
    jailed_bots = [PlayerSpec(bot.label, bot.source, filename=bot.filename) for bot in bots]
    with open_sandbox("trusted") as trusted, open_sandbox() as jail:

        def games(players: Sequence[PlayerSpec]) -> list[Record]:
            return list(play_files(game, players, GAMES_A_RUN, SEED, jail, trusted, PATIENT))

        records = games(bots)
        plays = sum(len(record.plays) for record in records)
        texts = [json.dumps(record.to_json()) for record in records]
        replays = (_timed(lambda: [deque(reapply(game, record), 0) for record in records]) for _ in range(REPEATS))
        readings = (_timed(lambda: [Record.from_json(json.loads(text)) for text in texts]) for _ in range(REPEATS))
        replay_s, read_s = (min(seconds for seconds, _ in runs) for runs in (replays, readings))
        yield Figure(f"{slug}.engine", plays / replay_s, "plays/s", plays / read_s)
        pairs: list[tuple[float, float]] = []
        until = perf_counter() + PAIRED_S
        while len(pairs) < REPEATS or perf_counter() < until:
            pairs.append((_timed(partial(games, bots))[0], _timed(partial(games, jailed_bots))[0]))
    open_s, jailed_s = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
    yield Figure(f"{slug}.sandboxed", GAMES_A_RUN / jailed_s, "games/s", GAMES_A_RUN / open_s)


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    """The seconds that it took, and what it returned."""
    start = perf_counter()
    result = act()
    return perf_counter() - start, result
