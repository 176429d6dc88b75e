"""Hidden cases of Q1: tables of the sister game, valid or with one thing changed, judged by its rules.

No case contains an empty group, or a card more than twice: the game has two packs.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from tournament.games.api import Case, IllegalPlay
from tournament.games.cards import COLOUR, PACK, SUITS, VALUE, VALUES
from tournament.games.go import huxxy
from tournament.games.quotas import Candidate, Kind, by_quotas

Group: TypeAlias = list[str]

TABLE_QUOTAS: dict[Kind, int] = {
    (True, "kind of 3"): 60,
    (True, "kind of 4"): 60,
    (True, "larger kind"): 110,
    (True, "run"): 140,
    (True, "several"): 180,
    (False, "too-few"): 80,
    (False, "suit-twice"): 60,
    (False, "suit-missing"): 90,
    (False, "same-value"): 80,
    (False, "gap"): 80,
    (False, "wraps"): 50,
    (False, "colours"): 110,
}
PACKS = 2
SUITS_OF = {"red": "HD", "black": "SC"}


@by_quotas(TABLE_QUOTAS)
def table_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q1. If a group is refused, the title is the reason."""
    while True:
        groups = [rng.choice((_kind_group, _run_group))(rng) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4)))]
        spoiled = rng.randrange(len(groups) * 2)
        if spoiled < len(groups):
            groups[spoiled] = rng.choice(SPOILERS)(groups[spoiled], rng)
        kind, title = _judged_table(groups)
        if max(Counter(card for group in groups for card in group).values()) <= PACKS:
            yield kind, Case((groups,), huxxy.valid_table(groups), title)


def _judged_table(groups: list[Group]) -> tuple[Kind, str]:
    try:
        kinds = [huxxy.judge(group) for group in groups]
    except IllegalPlay as illegal:
        wraps = illegal.rule == "gap" and any({"A", "K"} <= {card[0] for card in group} for group in groups)
        return (False, "wraps" if wraps else illegal.rule), illegal.message
    if len(groups) > 1:
        return (True, "several"), ""
    sizes = {3: "kind of 3", 4: "kind of 4"}
    return (True, "run" if kinds == ["run"] else sizes.get(len(groups[0]), "larger kind")), ""


def _kind_group(rng: Random) -> Group:
    size = rng.choice((3, 3, 4, 4, 5, 5, 6, 7, 8))
    suits = [*rng.sample(SUITS, min(size, 4)), *rng.sample(SUITS, max(size - 4, 0))]
    value = rng.choice(VALUES)
    return _shuffled([value + suit for suit in suits], rng)


def _run_group(rng: Random) -> Group:
    size = min(rng.choice((3, 3, 3, 4, 4, 5, 6)), len(VALUES))
    return _shuffled(_sequence(rng.randrange(len(VALUES) - size + 1), size, rng), rng)


def _sequence(start: int, size: int, rng: Random) -> Group:
    """Return cards with consecutive values, where the Ace follows the King, in alternating colours."""
    colours = rng.choice((("red", "black"), ("black", "red")))
    values = [VALUES[(start + step) % len(VALUES)] for step in range(size)]
    return [value + rng.choice(SUITS_OF[colours[step % 2]]) for step, value in enumerate(values)]


def _shuffled(group: Group, rng: Random) -> Group:
    return rng.sample(group, len(group)) if rng.random() < 0.7 else group


# Ways to change a group; most make it invalid


def _drop(group: Group, rng: Random) -> Group:
    out = rng.choice(group)
    return [card for card in group if card != out] or group


def _change_value(group: Group, rng: Random) -> Group:
    near = rng.choice((-2, -1, 1, 2))
    return _with_card_changed(group, lambda card: VALUES[(VALUE[card] - 1 + near) % 13] + card[1], rng)


def _repeat_value(group: Group, rng: Random) -> Group:
    twin = rng.choice([card for card in PACK if card[0] == rng.choice(group)[0]] or group)
    return _shuffled([*group, twin], rng)


def _same_colour_suits(group: Group, rng: Random) -> Group:
    """Return the same values in suits of one colour, as if colours did not matter."""
    colour = COLOUR[group[0]]
    return [card[0] + rng.choice(SUITS_OF[colour]) for card in group]


def _wrap(group: Group, rng: Random) -> Group:
    size = max(len(group), 3)
    return _shuffled(_sequence(rng.randrange(len(VALUES) - size + 1, len(VALUES) - 1), size, rng), rng)


def _two_copies(group: Group, rng: Random) -> Group:
    """Return cards of the group's first value, some of them twice, in only two or three suits."""
    cards = [group[0][0] + suit for suit in rng.sample(SUITS, rng.choice((2, 3)))]
    return _shuffled([*cards, *rng.sample(cards, rng.randrange(1, len(cards) + 1))], rng)


def _with_card_changed(group: Group, change: Callable[[str], str], rng: Random) -> Group:
    at = rng.randrange(len(group))
    return [*group[:at], change(group[at]), *group[at + 1 :]]


SPOILERS: tuple[Callable[[Group, Random], Group], ...] = (
    lambda group, rng: group[: rng.choice((1, 2, 2))],
    _drop,
    lambda group, rng: _with_card_changed(group, lambda card: card[0] + rng.choice(SUITS), rng),
    _change_value,
    lambda group, rng: [*group, rng.choice(group)],
    _repeat_value,
    _same_colour_suits,
    _wrap,
    _two_copies,
)
