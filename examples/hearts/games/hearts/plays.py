"""The rules of Hearts on plain data: which cards may be played, who takes a trick, what a hand scores.

The hidden cases of the assignment import this module too.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tournament.games.api import IllegalPlay
from tournament.games.cards import NAMES, NOTATION, PACK, code
from tournament.games.text import gave, malformed, returned

RANKS = "234567890JQKA"
FIRST, QUEEN = "2C", "QS"
PASSED = 3
ALL_POINTS = 26

RANK = {card: RANKS.index(card[0]) for card in PACK}
"""0 for a two … 12 for an ace."""

POINTS = {card: 13 if card == QUEEN else int(card[1] == "H") for card in PACK}

_ORDER = {card: ("CDSH".index(card[1]), RANK[card]) for card in PACK}
_OWN = {card: card for card in PACK}  # a player's text becomes the pack's own


def in_order(cards: Iterable[str]) -> list[str]:
    """The cards as they are held: clubs, diamonds, spades, hearts, each from the two to the ace."""
    return sorted(cards, key=_ORDER.__getitem__)


def legal_cards(hand: Sequence[str], trick: Sequence[str], first_trick: bool, hearts_broken: bool) -> list[str]:
    """The cards of the hand that may be played now, in its order. `trick` holds the cards that lie there already."""
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if not POINTS[card]] if first_trick else []
        return following or harmless or list(hand)
    if first_trick:
        return [card for card in hand if card == FIRST]
    plain = [] if hearts_broken else [card for card in hand if card[1] != "H"]
    return plain or list(hand)


def trick_winner(trick: Sequence[str], leader: int) -> int:
    """The seat that takes the four cards, the first of which `leader` played."""
    followed = [card for card in trick if card[1] == trick[0][1]]
    return (leader + trick.index(max(followed, key=RANK.__getitem__))) % len(trick)


def hand_scores(taken: Sequence[Sequence[str]], subtract: bool = False) -> list[int]:
    """What each seat scores for the cards that it took in a hand.

    If one has taken all the points, each of the others scores 26; with `subtract`, that one scores −26 instead.
    """
    scores = [sum(POINTS[card] for card in cards) for cards in taken]
    if ALL_POINTS not in scores:
        return scores
    return [-score if subtract else ALL_POINTS - score for score in scores]


def check_pass(raw: Any, hand: Sequence[str]) -> list[str]:
    """The three cards, if `raw` is a list (or tuple) of three different cards of the hand."""
    if type(raw) not in (list, tuple):
        raise malformed("hearts_pass returns a list of three cards", returned(raw))
    for card in raw:
        if type(card) is not str or card not in _OWN:
            raise malformed(NOTATION, gave(card))
    if len(raw) != PASSED:
        raise IllegalPlay("three-cards", f"Pass exactly three cards; you passed {len(raw)}.")
    for card in raw:
        if card not in hand:
            raise IllegalPlay("not-held", f"You passed {code(card)}, which is not in your hand.")
    if len(set(raw)) != PASSED:
        twice = next(card for card in raw if list(raw).count(card) > 1)
        raise IllegalPlay("twice", f"You passed {code(twice)} more than once: pass three different cards.")
    return [_OWN[card] for card in raw]


def check_play(raw: Any, hand: Sequence[str], trick: Sequence[str], first_trick: bool, hearts_broken: bool) -> str:
    """The card, if `raw` is a card of the hand that may be played now."""
    if type(raw) is not str:
        raise malformed("hearts_play returns one card", returned(raw))
    if raw not in _OWN:
        raise malformed(NOTATION, returned(raw))
    if raw not in hand:
        raise IllegalPlay("not-held", f"You played {code(raw)}, which is not in your hand.")
    legal = legal_cards(hand, trick, first_trick, hearts_broken)
    if raw not in legal:
        raise _refusal(raw, trick, first_trick, legal[0])
    return _OWN[raw]


def _refusal(card: str, trick: Sequence[str], first_trick: bool, instead: str) -> IllegalPlay:
    """Why a card of the hand may not be played; `instead` is one that may."""
    allowed = f"for example {code(instead)}"
    if not trick and first_trick:
        return IllegalPlay("first-card", f"The first card of a hand is {code(FIRST)}; you played {code(card)}.")
    if not trick:
        why = f"You led {code(card)}, but no heart has been played yet in this hand: lead another suit, {allowed}."
        return IllegalPlay("hearts-not-broken", why)
    led = NAMES[trick[0][1]]
    if instead[1] == trick[0][1]:
        why = f"You played {code(card)}, but {led} were led and you hold some: follow suit, {allowed}."
        return IllegalPlay("follow-suit", why)
    why = f"You played {code(card)} to the first trick, where no points may be played: discard another card, {allowed}."
    return IllegalPlay("first-trick", why)
