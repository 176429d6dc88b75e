"""What a play looks like: seed 001_6b98dfbde5aac69e, Q3 and Q5."""

from typing import Any, TypeAlias

from tournament.games.api import MalformedPlay
from tournament.games.cards import COLOUR, NOTATION
from tournament.games.phazed.groups import PHASES
from tournament.games.text import gave, malformed, no_card_of_group, returned

Play: TypeAlias = tuple[int, Any]

FROM_DECK, FROM_PILE, PHASE, BUILD, DISCARD = range(1, 6)
DRAW: Play = (FROM_DECK, None)
HIDDEN = "XX"
"""Stands in `turn_history` for a card drawn from the deck."""


def check_shape(raw: Any) -> Play:
    """The play that `raw` is, its groups as new lists; raises MalformedPlay if it does not have the shape of one.

    A play may be a tuple or a list, and so may a group. Everything else is as the seed writes it, and True is not 1.
    The content of a draw from the deck is ignored.
    """
    if type(raw) not in (list, tuple) or len(raw) != 2:
        raise malformed("A play is a pair: (play_type, content)", returned(raw))
    kind, content = raw
    if type(kind) is not int or not FROM_DECK <= kind <= DISCARD:
        raise malformed("The first part of a play, its type, is a whole number from 1 to 5", gave(kind))
    if kind == FROM_DECK:
        return DRAW
    if kind == PHASE:
        return kind, _check_phase(content)
    if kind == BUILD:
        _check_build(content)
    elif kind == FROM_PILE and content is None:
        raise MalformedPlay(
            "Name the card to take, as in (2, 'JS'). You gave None, which is the value of discard while that pile is "
            f"empty: then draw from the deck with {DRAW}."
        )
    elif not is_card(content):
        raise _not_a_card(content)
    return kind, content


def put_down(play: Play) -> list[str]:
    """The cards that a play takes from the hand."""
    kind, content = play
    if kind == PHASE:
        return [card for group in content[1] for card in group]
    return [content[0] if kind == BUILD else content] if kind in (BUILD, DISCARD) else []


def is_card(value: Any) -> bool:
    """Whether the value is a card as the seed writes it."""
    return type(value) is str and value in COLOUR


def _check_phase(content: Any) -> tuple[int, list[list[str]]]:
    if type(content) is not tuple or len(content) != 2:
        raise malformed("A phase is written as a tuple of two: (phase number, list of groups)", gave(content))
    number, groups = content
    if type(number) is not int or number not in PHASES:
        raise malformed("The number of a phase is a whole number from 1 to 7", gave(number))
    if type(groups) not in (list, tuple) or any(type(group) not in (list, tuple) for group in groups):
        raise malformed("The groups of a phase are written as a list of lists of cards", gave(groups))
    for group in groups:
        for card in group:
            if not is_card(card):
                raise no_card_of_group(card)
    return number, [list(group) for group in groups]


def _check_build(content: Any) -> None:
    if type(content) is not tuple or len(content) != 2:
        raise malformed("A card placed on a group is written as in ('AD', (1, 0, 3))", gave(content))
    card, position = content
    if not is_card(card):
        raise _not_a_card(card)
    if type(position) is not tuple or len(position) != 3 or any(type(number) is not int for number in position):
        raise malformed(
            "The position of a card is a tuple of three whole numbers: (player, group, index in the group)",
            gave(position),
        )


def _not_a_card(value: Any) -> MalformedPlay:
    return malformed(NOTATION, gave(value))
