"""Hidden cases of Q1, Q2 and Q4: valid groups and phases, copies of these with one thing changed, and hands."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import Case
from tournament.games.cards import COLOUR, PACK, VALUE, VALUES
from tournament.games.phazed.groups import ACES, CYCLE, PHASES, TOTALS, group_types, phase_types, score
from tournament.games.phazed.positions import positions
from tournament.games.quotas import Candidate, by_quotas

TWO_PACKS = (*PACK, *PACK)
WILD = [card for card in TWO_PACKS if card in ACES]
COLOURS = ("black", "red")

GROUP_QUOTAS = {
    (1,): 100,
    (2,): 90,
    (3,): 90,
    (4,): 110,
    (5,): 110,
    (6,): 90,
    (6, 7): 70,
    (2, 6): 20,
    (2, 6, 7): 20,
    (3, 6): 10,
    (5, 6, 7): 10,
    "spoilt": 320,
    "few naturals": 60,
    "grown": 60,
}
PHASE_QUOTAS = {
    (1,): 100,
    (2,): 60,
    (3,): 80,
    (3, 6): 80,
    (4,): 100,
    (5,): 80,
    (7,): 120,
    "spoilt": 250,
    "order": 60,
    "number": 60,
    "mixed": 60,
}

Group: TypeAlias = list[str]


@by_quotas({"hand": 1000})
def score_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q4: hands from real games."""
    for position in positions(rng):
        yield "hand", Case((position.hand,), score(position.hand))


@by_quotas(GROUP_QUOTAS)
def group_cases(rng: Random) -> Iterator[Candidate]:
    while True:
        group = _MAKERS[rng.randint(1, 7)](rng)
        tries: dict[str, Group] = {
            "valid": group,
            "spoilt": _spoilt_group(group, rng),
            "few naturals": _with_wilds(group, rng),
            "grown": [*group, rng.choice([group[-1], rng.choice(WILD)])],
        }
        for name, cards in tries.items():
            if all(cards.count(card) <= 2 for card in cards):
                types = group_types(cards)
                yield tuple(types) or name, Case((cards,), types)


@by_quotas(PHASE_QUOTAS)
def phase_cases(rng: Random) -> Iterator[Candidate]:
    while True:
        number = rng.choice([*PHASES])
        phase = [_MAKERS[kind](rng) for kind in PHASES[number]]
        index = rng.randrange(len(phase))
        spoilt = [_spoilt_group(group, rng) if place == index else group for place, group in enumerate(phase)]
        mixed = [*phase[:-1], _MAKERS[rng.randint(1, 7)](rng)]
        number_of_groups = rng.choice([[*phase, phase[0]], phase[:-1] or [*phase, phase[0]]])
        tries: dict[str, Any] = {"valid": phase, "spoilt": spoilt, "mixed": mixed, "number": number_of_groups}
        if number == 7:
            tries["order"] = phase[::-1]
        for name, groups in tries.items():
            cards = [card for group in groups for card in group]
            if all(cards.count(card) <= 2 for card in cards):
                types = phase_types(groups)
                yield tuple(types) or name, Case((groups,), types)


def _spoilt_group(group: Group, rng: Random) -> Group:
    """Return the group with one card replaced, removed or moved."""
    cards = list(group)
    index = rng.randrange(len(cards))
    match rng.randrange(6):
        case 0:
            del cards[index]
        case 1:
            cards.insert(rng.randrange(len(cards)), cards.pop(index))
        case 2:
            other = rng.randrange(len(cards))
            cards[index], cards[other] = cards[other], cards[index]
        case 3:
            cards[index] = cards[index][0] + rng.choice("SHDC")
        case _:
            cards[index] = rng.choice(PACK)
    return cards


def _with_wilds(group: Group, rng: Random) -> Group:
    """Return the group with Aces in place of all its natural cards, or of all but one."""
    kept = rng.randrange(len(group))
    wild = rng.sample(WILD, len(WILD))
    return [
        card if index == kept and rng.random() < 0.8 else wild[index % len(wild)] for index, card in enumerate(group)
    ]


# Groups of every type, at most two of any card


def _make_set(size: int) -> Callable[[Random], Group]:
    def make(rng: Random) -> Group:
        value = rng.choice(VALUES[1:])
        return _with_gaps([card for card in TWO_PACKS if card[0] == value], size, rng)

    return make


def _make_suit(rng: Random) -> Group:
    suit = rng.choice("SHDC")
    return _with_gaps([card for card in TWO_PACKS if card[1] == suit and card not in ACES], 7, rng)


def _with_gaps(naturals: Group, size: int, rng: Random) -> Group:
    """Return `size` cards, of which at least two are from `naturals` and the others are Aces."""
    count = rng.choice([size, rng.randint(2, size)])
    cards = rng.sample(naturals, count) + rng.sample(WILD, size - count)
    rng.shuffle(cards)
    return cards


def _make_run(size: int) -> Callable[[Random], Group]:
    def make(rng: Random) -> Group:
        start = rng.randrange(CYCLE)
        suits = rng.choice(["SC", "HD"]) if size == 4 else "SHDC"
        cards = [VALUES[(start + step) % CYCLE + 1] + rng.choice(suits) for step in range(size)]
        for index in rng.sample(range(size), rng.choice([0, 1, 2, size - 2])):
            cards[index] = rng.choice(PACK[::13])
        return cards

    return make


def _make_accumulation(one_colour: bool) -> Callable[[Random], Group]:
    def make(rng: Random) -> Group:
        colour = rng.choice(COLOURS)
        pack = [card for card in TWO_PACKS if not one_colour or COLOUR[card] == colour]
        rng.shuffle(pack)
        cards: Group = []
        left = TOTALS[0]
        for card in pack:
            if VALUE[card] <= left:
                cards.append(card)
                left -= VALUE[card]
        return cards

    return make


def _make_rare(rng: Random) -> Group:
    """Return a group of several types at once: three Jacks and an Ace, seven cards of a suit with a total of 34, or 7 8
    9 10."""
    match rng.randrange(3):
        case 0:
            cards = [*rng.sample([card for card in TWO_PACKS if card[0] == "J"], 3), rng.choice(WILD)]
            rng.shuffle(cards)
            return cards
        case 1:
            suits = rng.choice(["SC", "HD"])
            return [value + rng.choice(suits) for value in "7890"]
        case _:
            suit = rng.choice("SHDC")
            low = [card for card in TWO_PACKS if card[1] == suit and 2 <= VALUE[card] <= 9] + WILD
            for _ in range(50):
                cards = rng.sample(low, 7)
                if sum(VALUE[card] for card in cards) == TOTALS[0]:
                    break
            return cards


_MAKERS: dict[int, Callable[[Random], Group]] = {
    1: _make_set(3),
    2: _make_suit,
    3: _make_set(4),
    4: _make_run(8),
    5: _make_run(4),
    6: _make_accumulation(one_colour=False),
    7: lambda rng: rng.choice([_make_rare, _make_accumulation(one_colour=True)])(rng),
}
