"""Determines which plays are legal, by seed 001_6b98dfbde5aac69e, "A Single Turn" and Q3, and by RULES.md where the
seed is silent.

A table is described by the arguments that the seed gives a player. About the earlier plays of a turn, all that matters
is whether there was one: the first play must be a draw, and no other play may be one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import IllegalPlay, MalformedPlay
from tournament.games.cards import COLOUR, NAMES, NOTATION, VALUE, VALUES, code
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    COLOUR_RUN_OF_4,
    CYCLE,
    KIND_NAMES,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    SIZES,
    SUIT_OF_7,
    TOTALS,
    Group,
    Groups,
    is_group,
    is_phase,
    naturals,
    run_offset,
    symbols,
    total,
)
from tournament.games.text import gave, malformed, no_card_of_group, returned, show

Play: TypeAlias = tuple[int, Any]

FROM_DECK, FROM_PILE, PHASE, BUILD, DISCARD = range(1, 6)
DRAW: Play = (FROM_DECK, None)
HIDDEN = "XX"
"""Takes the place in `turn_history` of a card drawn from the deck."""


def check_shape(raw: Any) -> Play:
    """Return the play that `raw` is, with its groups as new lists; raises MalformedPlay. A play or a group may be a
    tuple or a list; everything else must be as the seed writes it. True is not accepted for 1. The card given with a
    draw from the deck is ignored."""
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
            "Name the card to take, e.g. (2, 'JS'). You gave None, which is the value of discard while that pile is "
            f"empty: then draw from the deck with {DRAW}."
        )
    elif not is_card(content):
        raise malformed(NOTATION, gave(content))
    return kind, content


def put_down(play: Play) -> list[str]:
    """Return the cards that a play takes from the hand."""
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
        raise malformed(NOTATION, gave(card))
    if type(position) is not tuple or len(position) != 3 or any(type(number) is not int for number in position):
        raise malformed(
            "The position of a card is a tuple of three whole numbers: (player, group, index in the group)",
            gave(position),
        )


Table: TypeAlias = Sequence[tuple[int | None, list[list[str]]]]
History: TypeAlias = Sequence[tuple[int, Sequence[Play]]]


class PlayContext(NamedTuple):
    """What decides whether a seat's play is legal. `begun`: whether the seat has drawn in this turn."""

    seat: int
    table: Table
    begun: bool
    phase_status: Sequence[int]
    hand: Sequence[str]
    discard: str | None


def is_valid_play(
    play: Any,
    player_id: int,
    table: Table,
    turn_history: History,
    phase_status: Sequence[int],
    hand: Sequence[str],
    discard: str | None,
) -> bool:
    """Whether the play is valid (seed, Q3)."""
    try:
        begun = has_drawn(player_id, turn_history)
        judge(check_shape(play), PlayContext(player_id, table, begun, phase_status, hand, discard))
    except IllegalPlay:
        return False
    return True


def has_drawn(player_id: int, turn_history: History) -> bool:
    """Whether the history ends in an unfinished turn of that player, who must have drawn in it."""
    player, plays = turn_history[-1] if turn_history else (None, ())
    return player == player_id and bool(plays) and plays[-1][0] != DISCARD


def judge(play: Play, context: PlayContext) -> None:
    """Raise IllegalPlay, with the rule that is broken, unless the play is legal."""
    kind, content = play
    seat, table, begun, phase_status, hand, discard = context
    if kind in (FROM_DECK, FROM_PILE):
        if begun:
            raise IllegalPlay(
                "already-drawn",
                "You have already picked up a card in this turn; only the first play of a turn picks one up. "
                "Now play a phase (3), place a card (4) or discard one (5).",
            )
        if kind == FROM_PILE and content != discard:
            if discard is None:
                raise IllegalPlay("empty-pile", f"You cannot take {code(content)}: the discard pile is empty.")
            top = f"the top card of the discard pile, which is {code(discard)}"
            raise IllegalPlay("not-top", f"{code(content)} is not {top}.")
        return
    if not begun:
        pile = f", or (2, '{discard}') for the top card of the discard pile" if discard else ""
        how = f"return (1, None) for one from the deck{pile}"
        raise IllegalPlay("draw-first", f"A turn begins by picking up a card: {how}.")
    if kind == PHASE:
        _judge_phase(content, table[seat][0], phase_status[seat], hand)
        return
    card = content[0] if kind == BUILD else content
    if card not in hand:
        raise _not_held(card, hand)
    if kind == BUILD:
        _judge_build(card, content[1], seat, table, len(hand) == 1)
    else:
        _judge_finished(table, None)


def _not_held(card: str, hand: Sequence[str]) -> IllegalPlay:
    held = f"your hand is {symbols(hand)}"
    if card in hand:
        return IllegalPlay("not-held", f"You play {code(card)} more often than you hold it: {held}.")
    return IllegalPlay("not-held", f"You do not hold {code(card)}: {held}.")


def _judge_phase(content: tuple[int, list[list[str]]], played: int | None, achieved: int, hand: Sequence[str]) -> None:
    number, groups = content
    if played is not None:
        why = f"You have already played phase {played} in this hand: you may play only one phase in each hand."
        raise IllegalPlay("phase-played", why)
    if number != achieved + 1:
        done = achieved == LAST_PHASE
        why = "you have completed all phases" if done else f"the phase you must play is {achieved + 1}"
        raise IllegalPlay("wrong-phase", f"You cannot play phase {number}: {why}.")
    missing = Counter([card for group in groups for card in group]) - Counter(hand)
    if missing:
        raise _not_held(next(iter(missing)), hand)
    if not is_phase(groups, number):
        raise _no_phase(number, groups)


def _no_phase(number: int, groups: Groups) -> IllegalPlay:
    kinds = PHASES[number]
    if len(groups) != len(kinds):
        return IllegalPlay(
            "not-a-phase", f"Phase {number} has {len(kinds)} group{'s'[: len(kinds) - 1]}; you gave {len(groups)}."
        )
    index = next(index for index, kind in enumerate(kinds) if not is_group(groups[index], kind))
    return IllegalPlay(
        "not-a-phase",
        f"Group {index} of phase {number} must be {KIND_NAMES[kinds[index]]}; "
        f"{symbols(groups[index])} is not: {_why_no_group(groups[index], kinds[index])}.",
    )


def _why_no_group(group: Group, kind: int) -> str:
    """Return the reason why the group is not of that type."""
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


def _judge_build(card: str, position: tuple[int, int, int], seat: int, table: Table, is_last: bool) -> None:
    owner, number, index = position
    if table[seat][0] is None:
        why = f"You cannot place {code(card)} on the table yet: you have not played your phase in this hand."
        raise IllegalPlay("phase-first", why)
    if owner not in range(len(table)) or number not in range(len(table[owner][1])):
        raise _no_such_group(owner, number, table)
    phase, groups = table[owner]
    kind = PHASES[phase or 0][number]
    check_build(kind, groups[number], card, index)
    if is_last:
        if kind in ACCUMULATIONS and is_unfinished([*groups[number], card]):
            why = f"your last card, leaves {symbols(groups[number])} unfinished"
            due = NEXT_TOTAL[total(groups[number])]
            raise IllegalPlay("unfinished", f"{code(card)}, {why}: its total must become {due}.")
        _judge_finished(table, (owner, number))


def _no_such_group(owner: int, number: int, table: Table) -> IllegalPlay:
    if owner not in range(len(table)):
        there = "players are numbered 0 to 3"
    elif not table[owner][1]:
        there = "that player has not played a phase in this hand"
    else:
        there = "there is only group 0" if len(table[owner][1]) == 1 else "there are groups 0 and 1"
    which = f"There is no group {show(number)} of player {show(owner)} on the table"
    return IllegalPlay("no-such-group", f"{which}: {there}.")


def _judge_finished(table: Table, skipped: tuple[int, int] | None) -> None:
    """Raise IllegalPlay if any accumulation except the `skipped` one is between totals."""
    for owner, (phase, groups) in enumerate(table):
        if phase in (3, 6):
            for number, group in enumerate(groups):
                if (owner, number) != skipped and is_unfinished(group):
                    stands = f"Group {number} of player {owner} stands at {total(group)}"
                    due = f"before your turn ends it must reach {NEXT_TOTAL[total(group)]}"
                    raise IllegalPlay("unfinished", f"{stands}: {due}.")


# Which cards fit on a group on the table, and where: the seed's "Playing Cards on Groups"


def check_build(kind: int, group: Group, card: str, index: int) -> None:
    """Raise IllegalPlay unless the card may be inserted before that index of the group, whose type is `kind`."""
    if not 0 <= index <= len(group):
        why = f"it takes a card at index 0 to {len(group)}, not at {show(index)}"
        raise _does_not_fit("no-such-index", card, group, why)
    if kind in ACCUMULATIONS:
        _check_accumulation(group, card, kind == COLOUR_ACCUMULATION)
    elif kind in RUNS:
        _check_run(group, card, index, kind == COLOUR_RUN_OF_4)
    elif card not in ACES:
        _check_set(group, card, kind)


def is_unfinished(accumulation: Group) -> bool:
    """Whether an accumulation is between two totals."""
    return total(accumulation) not in TOTALS


def run_end(run: Sequence[str], at_start: bool) -> int:
    """Return the value, from 2 to 13, that continues the run at that end."""
    offset = run_offset(run)
    return (offset - 1 if at_start else offset + len(run)) % CYCLE + 2


def _does_not_fit(rule: str, card: str, group: Group, why: str) -> IllegalPlay:
    return IllegalPlay(rule, f"{code(card)} cannot go on {symbols(group)}: {why}.")


def _check_accumulation(group: Group, card: str, one_colour: bool) -> None:
    before = total(group)
    if one_colour:
        _check_colour(group, card, COLOUR[group[0]])
    if before == TOTALS[-1]:
        raise _does_not_fit("accumulation-full", card, group, f"{before} is the highest total")
    after, limit = before + VALUE[card], NEXT_TOTAL[before]
    if after > limit:
        why = f"that would make {after}, but after {before} the next total is {limit}"
        raise _does_not_fit("too-much", card, group, why)


def _check_run(group: Group, card: str, index: int, one_colour: bool) -> None:
    if len(group) >= CYCLE:
        raise _does_not_fit("run-full", card, group, "this run has all twelve values already")
    if index not in (0, len(group)):
        why = f"a run takes cards only at its ends, here at index 0 or {len(group)}, not at {index}"
        raise _does_not_fit("not-an-end", card, group, why)
    if card in ACES:
        return
    wanted = run_end(group, index == 0)
    if VALUE[card] != wanted:
        why = f"at the {'end' if index else 'start'} of this run only a {NAMES[VALUES[wanted - 1]]} or an ace fits"
        raise _does_not_fit("out-of-order", card, group, why)
    if one_colour:
        _check_colour(group, card, COLOUR[naturals(group)[0]])


def _check_colour(group: Group, card: str, colour: str) -> None:
    if COLOUR[card] != colour:
        raise _does_not_fit("wrong-colour", card, group, f"the cards of this group are {colour}")


def _check_set(group: Group, card: str, kind: int) -> None:
    letter = 1 if kind == SUIT_OF_7 else 0
    wanted = naturals(group)[0][letter]
    if card[letter] != wanted:
        rule, cards = ("wrong-suit", NAMES[wanted]) if letter else ("wrong-value", f"cards of value {NAMES[wanted]}")
        raise _does_not_fit(rule, card, group, f"this set takes only {cards} and aces")
