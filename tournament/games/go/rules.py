"""Comp10001-Go as the referee plays it: the functions that the contract of a game requires.

Source: seed 003_b5bb939de3a2bcd0; RULES.md, "Comp10001-Go", settles what the seed leaves open. README.md beside this
file explains the rules.
"""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, combinations
from random import Random
from typing import Any, TypeAlias

from sandbox.api import Log
from tournament.games.api import (
    AtHome,
    Composition,
    Guest,
    IllegalPlay,
    Offer,
    Offered,
    Option,
    Questions,
    Request,
    Result,
    one_of,
)
from tournament.games.cards import NOTATION, PACK, VALUE, code, reshuffle, symbol
from tournament.games.go.groups import COST, cost, judge, points, valid_groups
from tournament.games.go.partitions import best_score
from tournament.games.text import count, gave, malformed, no_card_of_group, returned

PLAY = "comp10001go_play"
GROUP = "comp10001go_group"
guest = Guest({PLAY: (3,), GROUP: (2,)})

Grouping: TypeAlias = list[list[str]]
Play: TypeAlias = str | Grouping
"""A card to discard, or all discards put into groups."""


SEATS = range(4)
TURNS = HAND = 10

OPTIONS: tuple[Option, ...] = (Option("hand_size", "Cards dealt to each player, and turns", HAND, 3, 13),)

GROUPED, DISQUALIFIED = "grouped", "disqualified"


@dataclass(slots=True)
class GoState:
    """`hands` are listed by the seat that holds them now, `discards` by the seat that made them, in order of time.
    `history` is what the players are given: each turn's four discards, by seat. `groupings` are listed by seat, and are
    None until all seats have grouped. `hand_size` is also the number of turns."""

    hands: list[list[str]]
    unused: list[str]
    discards: list[list[str]] = field(default_factory=lambda: [[] for _ in SEATS])
    history: Log = field(default_factory=Log)
    groupings: list[Grouping] | None = None
    offender: int | None = None
    hand_size: int = HAND

    @property
    def turn(self) -> int:
        """The number of turns that are over: 0 after the deal, `hand_size` when it is time to group."""
        return len(self.history.items)

    @property
    def ended(self) -> str | None:
        """How the game ended; None while it is running."""
        if self.offender is not None:
            return DISQUALIFIED
        return GROUPED if self.groupings else None


def deal(rng: Random, seats: int, hand_size: int = HAND) -> GoState:
    """Shuffle a pack and deal ten cards to each player; twelve are not used."""
    if seats != len(SEATS):
        raise ValueError(f"Comp10001-Go is for four players, not {seats}.")
    pack = list(PACK)
    rng.shuffle(pack)
    hands = [pack[hand_size * seat : hand_size * (seat + 1)] for seat in SEATS]
    return GoState(hands, pack[hand_size * len(SEATS) :], hand_size=hand_size)


def requests(state: GoState) -> Sequence[Request]:
    """Return requests to all four seats at once: a discard in each turn, then the grouping. The arguments are the
    state's own lists."""
    if state.ended:
        return ()
    if state.turn < state.hand_size:
        return [Request(seat, PLAY, (state.history, seat, state.hands[seat])) for seat in SEATS]
    return [Request(seat, GROUP, (state.history, seat)) for seat in SEATS]


def parse(state: GoState, seat: int, raw: Any) -> Play:
    """Return the card or the grouping after checking its shape and its legality."""
    if state.turn < state.hand_size:
        return check_discard(raw, state.hands[seat])
    return check_grouping(raw, state.discards[seat])


def decode(data: Any) -> Any:
    """Return the play unchanged: a card is a string and a grouping a list of lists, which JSON keeps."""
    return data


def apply(state: GoState, plays: Sequence[tuple[int, Any]]) -> None:
    """Carry out the four discards of a turn and pass each hand on, from player 0 to player 1 and so on; or take the
    four groupings and end the game."""
    by_seat = [play for _, play in sorted(plays)]
    if state.turn == state.hand_size:
        state.groupings = by_seat
        return
    for seat, card in enumerate(by_seat):
        state.hands[seat].remove(card)
        state.discards[seat].append(card)
    state.history.append(by_seat)
    state.hands.insert(0, state.hands.pop())


def disqualify(state: GoState, seat: int) -> None:
    state.offender = seat


def result(state: GoState) -> Result:
    """Return the result: the highest score has place 1, and equal scores share a place. A disqualified seat gets the
    lowest possible score."""
    if not state.ended:
        raise ValueError("the game is still running")
    if state.offender is not None:
        at_fault = [seat == state.offender for seat in SEATS]
        scores = [lowest_score(state.hand_size) if fault else 0 for fault in at_fault]
        return Result(state.ended, tuple(3 if fault else 2 for fault in at_fault), tuple(map(float, scores)))
    scores = [score(grouping) for grouping in state.groupings or ()]
    places = tuple(1 + sum(other > own for other in scores) for own in scores)
    return Result(state.ended, places, tuple(map(float, scores)))


def lowest_score(cards: int) -> int:
    """Return the lowest score that this many cards can have: the most expensive cards, each counted on its own."""
    return -cost(sorted(PACK, key=COST.__getitem__)[-cards:])


def score(grouping: Grouping) -> int:
    return sum(map(points, grouping))


def cards(state: GoState) -> list[str]:
    return list(chain(state.unused, *state.hands, *state.discards))


def redeal(state: GoState, seat: int, rng: Random) -> GoState:
    """Shuffle the cards that the seat has never held. The seat knows the hands that it passed on, which the seats after
    it hold now."""
    other = deepcopy(state)
    unseen = [other.hands[(seat + steps) % len(SEATS)] for steps in SEATS if steps > state.turn]
    reshuffle([other.unused, *unseen], rng)
    return other


def choices(state: GoState, seat: int) -> Sequence[Offered]:
    """Return offers of each card of the hand to discard or, at the end, one composition that puts all discards into
    groups."""
    discards = state.discards[seat]
    if state.turn < state.hand_size:
        worth = {card: count(best_score([*discards, card]), "point").replace("-", "−") for card in state.hands[seat]}
        return [
            Offer(f"Discard {symbol(card)}", card, f"In the best grouping, your discards are then worth {points}.")
            for card, points in worth.items()
        ]
    why = (
        "Cards with the same number make a group: cards of one value, or a run of three or more whose colours "
        "alternate. A card alone costs its value, an Ace 20."
    )
    names = [f"Group {each}" for each in range(1, len(discards) + 1)]
    return [Composition("Play these groups", discards, names, _without_empty, why, range(len(discards)))]


def _without_empty(parts: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(group) for group in parts if group]


_GROUPING = """\
groups = [  # every group of two cards or more that these discards can make
{groups}]
self.assertIn(type(result), (list, tuple))
self.assertEqual(sorted(card for group in result for card in group), {discards})
for group in result:
    self.assertIn(type(group), (list, tuple))
    self.assertTrue(len(group) == 1 or sorted(group) in groups, f"{{group}} is not a group")"""


def check_at_home(state: GoState, request: Request, questions: Questions) -> str:
    """Return a check that the answer is a card of the hand, or a valid grouping of all discards. It lists the valid
    groups, not their rules."""
    if state.turn < state.hand_size:
        return one_of(state.hands[request.seat])
    discards = sorted(state.discards[request.seat])
    subsets = chain.from_iterable(combinations(discards, size) for size in range(2, len(discards) + 1))
    groups = "".join(f"    {list(group)},\n" for group in subsets if valid_groups([group]))
    return _GROUPING.format(groups=groups, discards=discards)


at_home = AtHome(check_at_home)


def check_discard(raw: Any, hand: Sequence[str]) -> str:
    """Return the card that `raw` names; raises MalformedPlay or IllegalPlay."""
    if type(raw) is not str or raw not in VALUE:
        raise malformed(NOTATION, returned(raw))
    if raw not in hand:
        raise IllegalPlay("not-held", f"You do not hold {code(raw)}: your hand is {_listed(hand)}.")
    return raw


def check_grouping(raw: Any, discards: Sequence[str]) -> Grouping:
    """Return the grouping, as new lists, if it puts exactly the `discards` into valid groups. Raises MalformedPlay or
    IllegalPlay."""
    grouping = _check_shape(raw)
    _check_cards([card for group in grouping for card in group], discards)
    for group in grouping:
        judge(group)
    return grouping


def _check_shape(raw: Any) -> Grouping:
    if type(raw) is not list and type(raw) is not tuple:
        raise malformed("A grouping is a list of lists of cards, such as [['2C', '2H'], ['KD']]", returned(raw))
    for group in raw:
        if type(group) is not list and type(group) is not tuple:
            raise malformed("Each group is a list of cards, even if it has only one card, such as ['KD']", gave(group))
        for card in group:
            if type(card) is not str or card not in VALUE:
                raise no_card_of_group(card)
    return [list(group) for group in raw]


def _check_cards(used: Sequence[str], discards: Sequence[str]) -> None:
    for card, times in Counter(used).items():
        if card not in discards:
            why = f"{code(card)} is in your groups, but you did not discard it"
            raise IllegalPlay("not-yours", f"{why}; you discarded {_listed(discards)}.")
        if times > 1:
            raise IllegalPlay("used-twice", f"{code(card)} is in your groups more than once; you discarded it once.")
    if missing := [card for card in discards if card not in used]:
        are = f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'}"
        why = f"{are} not in any of your groups: each of your ten discards must be in one."
        raise IllegalPlay("left-out", why)


def _listed(cards: Sequence[str]) -> str:
    return ", ".join(map(code, cards))
