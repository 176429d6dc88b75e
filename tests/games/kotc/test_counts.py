"""How many games can follow from fixed deals: an oracle apart from the rules.

`ways` is a second, plain implementation of the whole game on strings, which shares nothing with the rules but the order
in which a shuffle is asked for. Both count the sequences of answers of a given length, drawing by choice among them.
"""

import pickle
from copy import deepcopy
from random import Random
from typing import NamedTuple

import pytest

from tests.games.kotc.tables import refusal, table
from tournament.games import kotc
from tournament.games.kotc.state import KotcState
from tournament.play.golden import golden_records
from tournament.play.replay import reapply

pytestmark = pytest.mark.slow

ANSWERS = [rank + suit for rank in "A234567890JQK" for suit in "SHDC"]


class Plain(NamedTuple):
    """A moment: cards are two letters in a string, `hands[0]` is that of the player on turn, `pile[:2]` comes next."""

    hands: tuple[str, str]
    pile: str
    under: str
    top: str  # as it lies there
    suit: str  # as it counts
    idle: int
    shuffles: Random


def split(cards: str) -> list[str]:
    return [cards[place : place + 2] for place in range(0, len(cards), 2)]


def fits(moment: Plain, card: str) -> bool:
    return card[0] == "8" or card[0] == moment.top[0] or card[1] == moment.suit


def drawn(moment: Plain) -> Plain:
    """After one card is drawn; the same if there is none."""
    if not moment.pile:
        cards, shuffles = split(moment.under), deepcopy(moment.shuffles)
        shuffles.shuffle(cards)
        moment = moment._replace(pile="".join(cards[::-1]), under="", shuffles=shuffles)
    own, other = moment.hands
    return moment._replace(hands=(own + moment.pile[:2], other), pile=moment.pile[2:])


def ways(moment: Plain, depth: int) -> int:
    """The number of sequences of `depth` answers; fewer answers if the game ends."""
    if depth == 0:
        return 1
    total = ways(drawn(moment), depth - 1) + passed_on(moment._replace(idle=moment.idle + 1), depth - 1)
    own = split(moment.hands[0])
    for card in own:
        if card[0] != "8" and fits(moment, card):
            total += laid(moment, card, card[1], depth - 1)
    eights = [card for card in own if card[0] == "8"]
    for suit in "SHDC" if eights else "":
        total += laid(moment, "8" + suit if "8" + suit in eights else eights[0], suit, depth - 1)
    return total


def laid(moment: Plain, card: str, suit: str, depth: int) -> int:
    """What can follow that card counting as that suit."""
    own = split(moment.hands[0])
    own.remove(card)
    if not own:
        return 1
    under = moment.under + moment.top
    hands = ("".join(own), moment.hands[1])
    return passed_on(moment._replace(hands=hands, under=under, top=card, suit=suit, idle=0), depth)


def passed_on(moment: Plain, depth: int) -> int:
    """What can follow once the other is on turn."""
    own, other = moment.hands
    if moment.idle >= 200:
        assert len(own) != len(other), "a new deal is not counted here"
        return 1
    moment = moment._replace(hands=(other, own))
    while not any(fits(moment, card) for card in split(moment.hands[0])):
        after = drawn(moment)
        if after.hands == moment.hands:
            return passed_on(moment._replace(idle=moment.idle + 1), depth)
        moment = after
    return ways(moment, depth)


def plain(state: KotcState) -> Plain:
    hands = ("".join(state.hands[state.seat]), "".join(state.hands[1 - state.seat]))
    under = "".join(state.discard[:-1])
    pile = "".join(state.draw[::-1])
    return Plain(hands, pile, under, state.discard[-1], state.top[1], state.idle, state.rng)


def count(state: KotcState, depth: int) -> int:
    """The same by the rules."""
    if depth == 0 or not kotc.requests(state):
        return 1
    answers = [raw for raw in (None, *ANSWERS) if not refusal(state, raw)]
    if depth == 1:
        return 1 + len(answers)
    packed = pickle.dumps(state)  # copied ten times as fast as by deepcopy
    after = pickle.loads(packed)
    kotc.answer(after, state.seat, "draw", ())
    total = count(after, depth - 1)
    for raw in answers:
        after = pickle.loads(packed)
        kotc.apply(after, [(state.seat, kotc.parse(after, state.seat, raw))])
        total += count(after, depth - 1)
    return total


@pytest.mark.parametrize(("seed", "depth", "expected"), [(1, 1, 9), (1, 3, 201), (2, 4, 181), (3, 3, 127)])
def test_sequences_from_a_deal(seed: int, depth: int, expected: int) -> None:
    state = kotc.deal(Random(seed), 2)
    assert count(state, depth) == expected
    assert ways(plain(state), depth) == expected


@pytest.mark.parametrize("name", ["mixed", "strongest", "weakest"])
def test_sequences_from_every_moment_of_a_golden_game(name: str) -> None:
    moments = [deepcopy(state) for _, state in reapply(kotc, golden_records(kotc)[name])]
    asked = [state for state in moments if kotc.requests(state)]
    assert len(asked) > 20
    for state in asked:
        assert count(state, 2) == ways(plain(state), 2)


@pytest.mark.parametrize(
    ("hands", "discard", "draw", "depth"),
    [
        ("6H 9D | 2C 3D", "6C", "", 5),
        ("8H 9D | 8S 3D 4D", "5D 6C", "", 4),
        ("8H 9D 9C | 8C 3D", "5D 2D 4S 6C", "7S", 4),
        ("KC | 8S 3D", "AC 5H 6C", "7S 7D", 5),
        ("8C 8D | 2S 8H 4D", "6H", "", 4),
    ],
)
def test_sequences_at_the_end_of_the_draw_pile(hands: str, discard: str, draw: str, depth: int) -> None:
    """Hardly any cards left: shuffles, passes and wins."""
    state = table(hands, discard, draw=draw)
    for steps in range(1, depth + 1):
        assert count(state, steps) == ways(plain(state), steps), steps


@pytest.mark.parametrize("idle", [197, 198, 199])
def test_sequences_of_a_game_that_stalls(idle: int) -> None:
    state = table("6H 9D 8H | 2C 3D", "2S", top="2C", idle=idle)
    for depth in range(1, 5):
        assert count(state, depth) == ways(plain(state), depth), depth
