"""The house bots play at their own table, every deal in the four seatings: each is stronger than the one before."""

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tournament.games import uno
from tournament.games.uno.bots import first_match, random_legal, watcher, wild_last

pytestmark = pytest.mark.full

BOTS = {"random_legal": random_legal, "first_match": first_match, "wild_last": wild_last, "watcher": watcher}
SEATINGS = [(0, 1, 2, 3), (1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0)]
DEALS = 150


def winner(seed: int, bots: list[Any]) -> int:
    state = uno.deal(Random(seed), len(bots))
    while requests := uno.requests(state):
        (request,) = requests
        *args, history = request.args
        args[1] = list(args[1])
        raw = getattr(bots[request.seat], request.function)(*args, history.items)
        uno.apply(state, [(request.seat, uno.parse(state, request.seat, raw))])
    return uno.result(state).places.index(1)


def test_each_bot_wins_more_often_than_the_one_before() -> None:
    random_legal.random.seed(1)
    ranked = list(BOTS.values())
    assert [bot.name for bot in uno.bots] == list(BOTS)
    wins: Counter[int] = Counter()
    for seed in range(DEALS):
        for seating in SEATINGS:
            wins[seating[winner(seed, [ranked[bot] for bot in seating])]] += 1
    games = DEALS * len(SEATINGS)
    rates = [wins[bot] / games for bot in range(4)]
    assert all(stronger > weaker + 0.02 for weaker, stronger in pairwise(rates)), rates
