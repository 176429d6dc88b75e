"""Which plays are legal: seed 001_6b98dfbde5aac69e, "A Single Turn" and Q3, with RULES.md where it is silent.

A table is described by the arguments that the seed gives a player. Of the earlier plays of a turn it matters only
whether there was one: the first play must be a draw, and no other may be.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, NAMES, VALUE, VALUES, code
from tournament.games.phazed import messages
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    COLOUR_RUN_OF_4,
    CYCLE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    SUIT_OF_7,
    TOTALS,
    Group,
    is_phase,
    naturals,
    run_offset,
    total,
)
from tournament.games.phazed.messages import does_not_fit
from tournament.games.phazed.shape import BUILD, DISCARD, FROM_DECK, FROM_PILE, PHASE, Play, check_shape
from tournament.games.text import show

Table: TypeAlias = Sequence[tuple[int | None, list[list[str]]]]
History: TypeAlias = Sequence[tuple[int, Sequence[Play]]]


class PlayContext(NamedTuple):
    """What decides whether a play of a seat is legal. `begun`: whether the seat has drawn in this turn."""

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
    """Whether the history ends during a turn of that player, who has therefore drawn."""
    player, plays = turn_history[-1] if turn_history else (None, ())
    return player == player_id and bool(plays) and plays[-1][0] != DISCARD


def judge(play: Play, context: PlayContext) -> None:
    """Raise IllegalPlay with the rule that the play breaks."""
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
            raise messages.not_top(content, discard)
        return
    if not begun:
        raise messages.draw_first(discard)
    if kind == PHASE:
        _judge_phase(content, table[seat][0], phase_status[seat], hand)
        return
    card = content[0] if kind == BUILD else content
    if card not in hand:
        raise messages.not_held(card, hand)
    if kind == BUILD:
        _judge_build(card, content[1], seat, table, len(hand) == 1)
    else:
        _judge_finished(table, None)


def _judge_phase(content: tuple[int, list[list[str]]], played: int | None, achieved: int, hand: Sequence[str]) -> None:
    number, groups = content
    if played is not None:
        why = f"You have already played phase {played} in this hand: you may play only one phase in each hand."
        raise IllegalPlay("phase-played", why)
    if number != achieved + 1:
        raise messages.wrong_phase(number, achieved)
    missing = Counter([card for group in groups for card in group]) - Counter(hand)
    if missing:
        raise messages.not_held(next(iter(missing)), hand)
    if not is_phase(groups, number):
        raise messages.no_phase(number, groups)


def _judge_build(card: str, position: tuple[int, int, int], seat: int, table: Table, is_last: bool) -> None:
    owner, number, index = position
    if table[seat][0] is None:
        why = f"You cannot place {code(card)} on the table yet: you have not played your phase in this hand."
        raise IllegalPlay("phase-first", why)
    if owner not in range(len(table)) or number not in range(len(table[owner][1])):
        raise messages.no_such_group(owner, number, [groups for _, groups in table])
    phase, groups = table[owner]
    kind = PHASES[phase or 0][number]
    check_build(kind, groups[number], card, index)
    if is_last:
        if kind in ACCUMULATIONS and is_unfinished([*groups[number], card]):
            raise messages.last_card(card, groups[number])
        _judge_finished(table, (owner, number))


def _judge_finished(table: Table, skipped: tuple[int, int] | None) -> None:
    """Raise IllegalPlay if any accumulation but the skipped one is between totals."""
    for owner, (phase, groups) in enumerate(table):
        if phase in (3, 6):
            for number, group in enumerate(groups):
                if (owner, number) != skipped and is_unfinished(group):
                    raise messages.unfinished(owner, number, group)


# Which cards fit on a group on the table, and where: the seed's "Playing Cards on Groups"


def check_build(kind: int, group: Group, card: str, index: int) -> None:
    """Raise IllegalPlay unless the card may be inserted before that index of the group of that type."""
    if not 0 <= index <= len(group):
        why = f"it takes a card at index 0 to {len(group)}, not at {show(index)}"
        raise does_not_fit("no-such-index", card, group, why)
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
    """The value that continues the run there: 2 to 13."""
    offset = run_offset(run)
    return (offset - 1 if at_start else offset + len(run)) % CYCLE + 2


def _check_accumulation(group: Group, card: str, one_colour: bool) -> None:
    before = total(group)
    if one_colour:
        _check_colour(group, card, COLOUR[group[0]])
    if before == TOTALS[-1]:
        raise does_not_fit("accumulation-full", card, group, f"{before} is the highest total")
    after, limit = before + VALUE[card], NEXT_TOTAL[before]
    if after > limit:
        why = f"that would make {after}, but after {before} the next total is {limit}"
        raise does_not_fit("too-much", card, group, why)


def _check_run(group: Group, card: str, index: int, one_colour: bool) -> None:
    if len(group) >= CYCLE:
        raise does_not_fit("run-full", card, group, "this run has all twelve values already")
    if index not in (0, len(group)):
        why = f"a run takes cards only at its ends, here at index 0 or {len(group)}, not at {index}"
        raise does_not_fit("not-an-end", card, group, why)
    if card in ACES:
        return
    wanted = run_end(group, index == 0)
    if VALUE[card] != wanted:
        why = f"at the {'end' if index else 'start'} of this run only a {NAMES[VALUES[wanted - 1]]} or an ace fits"
        raise does_not_fit("out-of-order", card, group, why)
    if one_colour:
        _check_colour(group, card, COLOUR[naturals(group)[0]])


def _check_colour(group: Group, card: str, colour: str) -> None:
    if COLOUR[card] != colour:
        raise does_not_fit("wrong-colour", card, group, f"the cards of this group are {colour}")


def _check_set(group: Group, card: str, kind: int) -> None:
    letter = 1 if kind == SUIT_OF_7 else 0
    wanted = naturals(group)[0][letter]
    if card[letter] != wanted:
        rule, cards = ("wrong-suit", NAMES[wanted]) if letter else ("wrong-value", f"cards of value {NAMES[wanted]}")
        raise does_not_fit(rule, card, group, f"this set takes only {cards} and aces")
