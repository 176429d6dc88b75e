"""The house bots: each is stronger than the one before it, and the planner's search keeps what it promises."""

from collections import Counter
from itertools import chain, product
from random import Random
from typing import Any

import pytest

from tests.games.conftest import PlayGame
from tournament.games import phazed
from tournament.games.cards import PACK
from tournament.games.phazed.bots import planner
from tournament.games.phazed.groups import is_phase
from tournament.play.table import seatings

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def tables(play_game: PlayGame) -> list[list[tuple[str, int]]]:
    """Each bot with its place: 16 games of the four weakest, then as many of the four strongest."""
    found = []
    for bots, seed in product((phazed.bots[:4], phazed.bots[1:]), range(4)):
        for seating in seatings(bots):
            record = play_game(phazed, seed, seating)
            found.append([(bot.name, place) for bot, place in zip(seating, record.places, strict=True)])
    return found


@pytest.mark.parametrize("half", [slice(16), slice(16, None)], ids=["weakest", "strongest"])
def test_the_bots_stand_in_the_order_of_their_strength(tables: list[list[tuple[str, int]]], half: slice) -> None:
    places: Counter[str] = Counter()
    for name, place in chain(*tables[half]):
        places[name] += place
    assert len(set(places.values())) == 4
    assert [name for name, _ in places.most_common()] == [bot.name for bot in phazed.bots if bot.name in places]


def test_between_the_novice_and_the_collector_a_bot_wins_some_games(tables: list[list[tuple[str, int]]]) -> None:
    wins = Counter(name for name, place in chain(*tables[:16]) if place == 1)
    assert wins["novice"] == wins["random_legal"] == 0
    assert 2 <= wins["matcher"] <= 6
    assert wins["matcher"] + wins["collector"] == 16


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
