"""The house bots: each is stronger than the one before it, and the planner's search keeps what it promises."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.games.conftest import PlayGame
from tournament.games import phazed
from tournament.games.cards import PACK
from tournament.games.phazed.bots import planner
from tournament.games.phazed.groups import is_phase
from tournament.schedule import seatings


def test_the_bots_stand_in_the_order_of_their_strength(play_game: PlayGame) -> None:
    places: Counter[str] = Counter()
    for seed in range(5):
        for seating in seatings(tuple(range(4))):
            bots = [phazed.bots[index] for index in seating]
            record = play_game(phazed, seed, bots)
            for bot, place in zip(bots, record.places, strict=True):
                places[bot.name] += place
    worst_first = [name for name, _ in places.most_common()]
    assert worst_first == [bot.name for bot in phazed.bots]
    assert len(set(places.values())) == 4


@pytest.mark.parametrize("phase", range(1, 8))
def test_a_phase_that_the_planner_finds_is_one(phase: int) -> None:
    rng = Random(phase)
    find: Any = planner.find_phase
    found = 0
    for _ in range(600):
        hand = rng.sample([*PACK, *PACK], rng.choice([11, 20]))
        groups = find(hand, phase)
        if groups:
            found += 1
            assert is_phase(groups, phase)
            assert not Counter([card for group in groups for card in group]) - Counter(hand)
    assert found > 20
