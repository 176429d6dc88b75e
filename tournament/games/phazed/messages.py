"""Why a play is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence

from tournament.games.api import IllegalPlay
from tournament.games.cards import NAMES, VALUE, VALUES, code, symbol
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    CYCLE,
    LAST_PHASE,
    PHASES,
    RUNS,
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
SIZES = {1: 3, 2: 7, 3: 4, 4: 8, 5: 4}
"""How many cards make a group of that type, but for accumulations."""


def already_drawn() -> IllegalPlay:
    return IllegalPlay(
        "already-drawn",
        "You have already picked up a card in this turn: only its first play may. "
        "Now play a phase (3), place a card (4) or discard one (5).",
    )


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


def phase_played(played: int) -> IllegalPlay:
    return IllegalPlay("phase-played", f"You have already played phase {played} in this hand: one phase a hand.")


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
    """What keeps the group from being of that type."""
    if kind in ACCUMULATIONS:
        if total(group) != TOTALS[0]:
            return f"its cards come to {total(group)}"
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


def phase_first(card: str) -> IllegalPlay:
    return IllegalPlay(
        "phase-first", f"You cannot place {code(card)} on the table yet: you have not played your phase in this hand."
    )


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


def no_such_index(card: str, group: Group, index: int) -> IllegalPlay:
    return IllegalPlay(
        "no-such-index",
        f"{code(card)} cannot go to index {show(index)}: the group {codes(group)} takes a card at 0 to {len(group)}.",
    )


def not_an_end(card: str, group: Group, index: int) -> IllegalPlay:
    return IllegalPlay(
        "not-an-end",
        f"{code(card)} cannot go to index {index}: a run is built on at its ends only, here at 0 or {len(group)}.",
    )


def run_full(card: str, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "run-full", f"{code(card)} cannot go on the run {codes(group)}: it has all twelve values already."
    )


def out_of_order(card: str, group: Group, index: int, wanted: int) -> IllegalPlay:
    end = "start" if index == 0 else "end"
    value = NAMES[VALUES[wanted - 1]]
    return IllegalPlay(
        "out-of-order", f"{code(card)} cannot go at the {end} of the run {codes(group)}: only a {value} or an ace can."
    )


def wrong_value(card: str, group: Group) -> IllegalPlay:
    value = NAMES[naturals(group)[0][0]]
    return IllegalPlay(
        "wrong-value", f"{code(card)} cannot go on the set {codes(group)}: its cards are of value {value} or aces."
    )


def wrong_suit(card: str, group: Group) -> IllegalPlay:
    suit = NAMES[naturals(group)[0][1]]
    return IllegalPlay("wrong-suit", f"{code(card)} cannot go on the set {codes(group)}: its cards are {suit} or aces.")


def wrong_colour(card: str, group: Group, colour: str) -> IllegalPlay:
    return IllegalPlay(
        "wrong-colour", f"{code(card)} cannot go on {codes(group)}: the cards of this group are {colour}."
    )


def accumulation_full(card: str, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "accumulation-full", f"{code(card)} cannot go on {codes(group)}: {TOTALS[-1]} is the last total there is."
    )


def too_much(card: str, group: Group, before: int, after: int, limit: int) -> IllegalPlay:
    return IllegalPlay(
        "too-much",
        f"{code(card)} on {codes(group)} would make {after}: from {before} the accumulation must next come to {limit}.",
    )


def last_card(card: str, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "unfinished",
        f"{code(card)}, your last card, leaves {codes(group)} unfinished: it must bring it to {_next_total(group)}.",
    )


def unfinished(owner: int, number: int, group: Group) -> IllegalPlay:
    return IllegalPlay(
        "unfinished",
        f"Group {number} of player {owner} stands at {total(group)}: "
        f"before your turn ends it must come to {_next_total(group)}.",
    )


def codes(cards: Group) -> str:
    return " ".join(symbol(card) for card in cards) or "empty"


def _next_total(group: Group) -> int:
    return min(later for later in TOTALS if later > total(group))
