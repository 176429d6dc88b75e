"""`quadrille bench games`, or a game's name: the rules, the referee and whole games."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from random import Random
from time import perf_counter
from typing import TypeVar

from deploy.measure.figures import Figure
from sandbox.api import Limits
from sandbox.choose import open_sandbox
from tournament.games import GAMES, find_game
from tournament.games.cards import PACK
from tournament.games.go.groups import points, valid_groups
from tournament.games.go.partitions import best_partitions
from tournament.games.go.state import TURNS, Grouping
from tournament.games.judges import Unordered
from tournament.play.local import PlayerSpec, house_bot, play_files
from tournament.play.record import Record
from tournament.play.replay import reapply

SEED = 1
GAMES_A_RUN = 40
REPEATS = 3
PAIRED_S = 5.0
HANDS, HAND_REPEATS = 5, 40

PATIENT = Limits(wall_factor=100.0)

T = TypeVar("T")


def measure(slug: str = "bo") -> Iterator[Figure]:
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


def measure_games() -> Iterator[Figure]:
    """The figures of `measure` for each game. Raises SandboxUnavailable."""
    for slug in GAMES:
        yield from measure(slug)


def partitions() -> Iterator[Figure]:
    """`go.partitions`: hands of ten cards a second for which `best_partitions` finds all best groupings, beside trying
    all 115,975 groupings of each hand with the points of every group remembered."""
    rng = Random(SEED)
    hands = [rng.sample(PACK, TURNS) for _ in range(HANDS)]
    slow_s, slow = _timed(lambda: [try_all(hand) for hand in hands])
    fast = [_timed(lambda: [best_partitions(hand) for hand in hands]) for _ in range(HAND_REPEATS)]
    if not all(map(Unordered(levels=3), slow, fast[0][1])):
        raise AssertionError("the two ways to find the best groupings disagree")
    yield Figure("go.partitions", HANDS / min(seconds for seconds, _ in fast), "hands/s", HANDS / slow_s)


def try_all(cards: Sequence[str]) -> list[Grouping]:
    """All best groupings, found by trying every grouping."""

    @cache
    def known_points(*group: str) -> int:
        return points(group)

    scored = [(sum(known_points(*group) for group in grouping), grouping) for grouping in every_grouping(cards)]
    best = max(score for score, _ in scored)
    return [grouping for score, grouping in scored if score == best and valid_groups(grouping)]


def every_grouping(cards: Sequence[str]) -> Iterator[Grouping]:
    """All ways to put the cards into groups: 1, 1, 2, 5, 15 … ways for 0, 1, 2, 3, 4 … cards."""
    if not cards:
        yield []
        return
    first, *rest = cards
    for grouping in every_grouping(rest):
        yield [[first], *grouping]
        for number, group in enumerate(grouping):
            yield [*grouping[:number], [first, *group], *grouping[number + 1 :]]


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    """The seconds that it took, and what it returned."""
    start = perf_counter()
    result = act()
    return perf_counter() - start, result
