"""Which plays are legal: seed 001_6b98dfbde5aac69e, "A Single Turn" and Q3, with RULES.md where it is silent.

A table is described by the arguments that the seed gives a player. Of the earlier plays of a turn it matters only
whether there was one: the first play must be a draw, and no other may be.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import code
from tournament.games.phazed import messages
from tournament.games.phazed.building import check_build, is_unfinished
from tournament.games.phazed.groups import ACCUMULATIONS, PHASES, is_phase
from tournament.games.phazed.shape import BUILD, DISCARD, FROM_DECK, FROM_PILE, PHASE, Play, check_shape

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
