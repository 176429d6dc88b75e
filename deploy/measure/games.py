"""What `quadrille bench` measures of the rules, the referee and whole games."""

import json
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from deploy.measure.figures import Figure
from sandbox.api import Limits, Sandbox
from sandbox.choose import open_sandbox
from tournament.games import GAMES, find_game
from tournament.games.api import Game
from tournament.play.local import PlayerSpec, house_bot, play_files
from tournament.play.record import Record
from tournament.play.replay import reapply

SEED = 1
GAMES_A_RUN = 40
REPEATS = 3
PAIRED_S = 5.0

PATIENT = Limits(wall_factor=100.0)


def measure(slug: str = "bo") -> Iterator[Figure]:
    """`SLUG.engine`: recorded games re-applied by the rules and the referee, in plays a second, beside reading their
    JSON. `SLUG.sandboxed`: games a second of house bots in this machine's jail, beside the same games without one, in
    turn for some seconds; of these pairs that of the median ratio, since a shared machine changes its speed in between.

    Raises SandboxUnavailable.
    """
    game = find_game(slug)
    bots = [house_bot(game, bot.name) for bot in game.bots][: game.seats[0]]
    jailed = [PlayerSpec(bot.label, bot.source, filename=bot.filename) for bot in bots]
    with open_sandbox("trusted") as trusted, open_sandbox() as jail:
        records = _games(game, bots, jail, trusted, GAMES_A_RUN)
        yield _engine(game, records)
        pairs: list[tuple[float, float]] = []
        until = perf_counter() + PAIRED_S
        while len(pairs) < REPEATS or perf_counter() < until:
            pairs.append((_seconds(game, bots, jail, trusted), _seconds(game, jailed, jail, trusted)))
    open_s, jailed_s = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
    yield Figure(f"{slug}.sandboxed", GAMES_A_RUN / jailed_s, "games/s", GAMES_A_RUN / open_s)


def measure_games() -> Iterator[Figure]:
    """For each game the figures of `measure`. Raises SandboxUnavailable."""
    for slug in GAMES:
        yield from measure(slug)


def _games(game: Game[Any], players: Sequence[PlayerSpec], jail: Sandbox, trusted: Sandbox, games: int) -> list[Record]:
    return list(play_files(game, players, games, SEED, jail, trusted, PATIENT))


def _seconds(game: Game[Any], players: Sequence[PlayerSpec], jail: Sandbox, trusted: Sandbox) -> float:
    start = perf_counter()
    _games(game, players, jail, trusted, GAMES_A_RUN)
    return perf_counter() - start


def _engine(game: Game[Any], records: Sequence[Record]) -> Figure:
    plays = sum(len(record.plays) for record in records)
    texts = [json.dumps(record.to_json()) for record in records]
    replays, readings = [], []
    for _ in range(REPEATS):
        start = perf_counter()
        for record in records:
            for _ in reapply(game, record):
                pass
        replays.append(perf_counter() - start)
        start = perf_counter()
        for text in texts:
            Record.from_json(json.loads(text))
        readings.append(perf_counter() - start)
    return Figure(f"{game.slug}.engine", plays / min(replays), "plays/s", plays / min(readings))
