"""Why a play is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence

from tournament.games.api import IllegalPlay
from tournament.games.cards import VALUE, code, symbol
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    CYCLE,
    LAST_PHASE,
    PHASES,
    RUNS,
    SIZES,
    SUIT_OF_7,
    TOTALS,
    Group,
    Groups,
    is_group,
    naturals,
    total,
)
from tournament.games.text import show

KINDS = {
    1: "a set of three cards of the same value",
    2: "a set of seven cards of the same suit",
    3: "a set of four cards of the same value",
    4: "a run of eight cards",
    5: "a run of four cards of the same colour",
    6: "a 34-accumulation",
    7: "a 34-accumulation of cards of the same colour",
}


def draw_first(discard: str | None) -> IllegalPlay:
    pile = f", or (2, '{discard}') for the top card of the discard pile" if discard else ""
    return IllegalPlay(
        "draw-first", f"A turn begins by picking up a card: return (1, None) for one from the deck{pile}."
    )


def not_top(card: str, discard: str | None) -> IllegalPlay:
    if discard is None:
        return IllegalPlay("empty-pile", f"You cannot take {code(card)}: the discard pile is empty.")
    return IllegalPlay("not-top", f"{code(card)} is not the top card of the discard pile, which is {code(discard)}.")


def not_held(card: str, hand: Sequence[str]) -> IllegalPlay:
    held = f"your hand is {codes(hand)}"
    if card in hand:
        return IllegalPlay("not-held", f"You play {code(card)} more often than you hold it: {held}.")
    return IllegalPlay("not-held", f"You do not hold {code(card)}: {held}.")


def wrong_phase(number: int, achieved: int) -> IllegalPlay:
    if achieved == LAST_PHASE:
        return IllegalPlay("wrong-phase", f"You cannot play phase {number}: you have completed all phases.")
    return IllegalPlay("wrong-phase", f"You cannot play phase {number}: the phase you must play is {achieved + 1}.")


def no_phase(number: int, groups: Groups) -> IllegalPlay:
    kinds = PHASES[number]
    if len(groups) != len(kinds):
        return IllegalPlay(
            "not-a-phase", f"Phase {number} has {len(kinds)} group{'s'[: len(kinds) - 1]}; you gave {len(groups)}."
        )
    index = next(index for index, kind in enumerate(kinds) if not is_group(groups[index], kind))
    return IllegalPlay(
        "not-a-phase",
        f"Group {index} of phase {number} must be {KINDS[kinds[index]]}; "
        f"{codes(groups[index])} is not: {_why_not(groups[index], kinds[index])}.",
    )


def _why_not(group: Group, kind: int) -> str:
    """The reason why the group is not of that type."""
    if kind in ACCUMULATIONS:
        if total(group) != TOTALS[0]:
            return f"its total is {total(group)}"
        return "its cards are of both colours"
    if len(group) != SIZES[kind]:
        return f"it has {len(group)} card{'' if len(group) == 1 else 's'}"
    if len(naturals(group)) < 2:
        return "it has fewer than two cards that are not aces"
    if kind not in RUNS:
        return f"its cards are not all of one {'suit' if kind == SUIT_OF_7 else 'value'}"
    if len({(VALUE[card] - index) % CYCLE for index, card in enumerate(group) if card not in ACES}) > 1:
        return "the values do not follow each other in this order"
    return "its cards are of both colours"


def no_such_group(owner: int, number: int, groups: Sequence[Groups]) -> IllegalPlay:
    """`groups` are those of every player."""
    if owner not in range(len(groups)):
        there = "players are numbered 0 to 3"
    elif not groups[owner]:
        there = "that player has not played a phase in this hand"
    else:
        there = "there is only group 0" if len(groups[owner]) == 1 else "there are groups 0 and 1"
    return IllegalPlay(
        "no-such-group", f"There is no group {show(number)} of player {show(owner)} on the table: {there}."
    )


def does_not_fit(rule: str, card: str, group: Group, why: str) -> IllegalPlay:
    return IllegalPlay(rule, f"{code(card)} cannot go on {codes(group)}: {why}.")


def last_card(card: str, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "unfinished",
        f"{code(card)}, your last card, leaves {codes(group)} unfinished: its total must become {_next_total(group)}.",
    )


def unfinished(owner: int, number: int, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "unfinished",
        f"Group {number} of player {owner} stands at {total(group)}: "
        f"before your turn ends it must reach {_next_total(group)}.",
    )


def codes(cards: Group) -> str:
    return " ".join(symbol(card) for card in cards) or "empty"


def _next_total(group: Group) -> int:
    return min(later for later in TOTALS if later > total(group))
