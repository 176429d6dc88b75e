"""Which discards and groupings are legal: seed 003_b5bb939de3a2bcd0, Part 3, with RULES.md where it is silent."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tournament.games.api import IllegalPlay
from tournament.games.cards import NOTATION, VALUE, code
from tournament.games.go.groups import judge
from tournament.games.go.messages import left_out, listed
from tournament.games.go.state import Grouping
from tournament.games.text import gave, malformed, no_card_of_group, returned


def check_discard(raw: Any, hand: Sequence[str]) -> str:
    """The card that `raw` names; raises MalformedPlay or IllegalPlay."""
    if type(raw) is not str or raw not in VALUE:
        raise malformed(NOTATION, returned(raw))
    if raw not in hand:
        raise IllegalPlay("not-held", f"You do not hold {code(raw)}: your hand is {listed(hand)}.")
    return raw


def check_grouping(raw: Any, discards: Sequence[str]) -> Grouping:
    """The grouping as new lists, if it puts exactly `discards` into valid groups.

    Raises MalformedPlay or IllegalPlay.
    """
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
    for card, count in Counter(used).items():
        if card not in discards:
            why = f"{code(card)} is in your groups, but you did not discard it"
            raise IllegalPlay("not-yours", f"{why}; you discarded {listed(discards)}.")
        if count > 1:
            raise IllegalPlay("used-twice", f"{code(card)} is in your groups more than once; you discarded it once.")
    if missing := [card for card in discards if card not in used]:
        raise left_out(missing)
