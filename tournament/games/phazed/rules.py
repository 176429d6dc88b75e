"""Phazed as the referee plays it: the functions of the contract of a game.

Source: seed 001_6b98dfbde5aac69e, settled by RULES.md, "Phazed". README.md beside this file tells the rules.
"""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

from tournament.games.api import Guest, Request, Result
from tournament.games.phazed.groups import LAST_PHASE
from tournament.games.phazed.plays import PlayContext, judge
from tournament.games.phazed.shape import (
    BUILD,
    DISCARD,
    FROM_DECK,
    FROM_PILE,
    HIDDEN,
    PHASE,
    Play,
    check_shape,
    put_down,
)
from tournament.games.phazed.state import DISQUALIFIED, OUT, SEATS, PhazedState, end_hand, end_turn

PLAY = "phazed_play"
guest = Guest({PLAY: (6,)})


def requests(state: PhazedState) -> Sequence[Request]:
    """The seat on turn must play. The arguments are the state's own lists: copy or send them before `apply`."""
    if state.ended:
        return ()
    seat = state.seat
    top = state.pile[-1] if state.pile else None
    return (Request(seat, PLAY, (seat, state.table, state.history, state.phase_status, state.hands[seat], top)),)


def parse(state: PhazedState, seat: int, raw: Any) -> Play:
    """The play, its groups as new lists, after its shape and its legality are checked."""
    play = check_shape(raw)
    top = state.pile[-1] if state.pile else None
    judge(play, PlayContext(seat, state.table, state.begun, state.phase_status, state.hands[seat], top))
    return play


def decode(data: Any) -> Any:
    """Lists become tuples again, except the groups of a phase; what is not a play is left for `parse` to refuse."""
    if not isinstance(data, list):
        return data
    if len(data) == 2 and data[0] == PHASE and isinstance(data[1], list):
        return PHASE, tuple(data[1])
    return tuple([decode(part) for part in data])


def apply(state: PhazedState, plays: Sequence[tuple[int, Play]]) -> None:
    """Carry out the play and what follows without a choice: the end of the turn, the hand or the game."""
    ((seat, play),) = plays
    _note(state, seat, play)
    _move(state, seat, play)
    if not state.hands[seat]:
        end_hand(state, OUT)
    elif play[0] == DISCARD:
        end_turn(state)


def _note(state: PhazedState, seat: int, play: Play) -> None:
    """Add the play to the history; a turn is replaced as it grows, so that what was handed out stays as it was."""
    state.last = (seat, play)
    shown = (FROM_DECK, HIDDEN) if play[0] == FROM_DECK else play
    if state.begun:
        state.history.replace_last((seat, [*state.history.items[-1][1], shown]))
    else:
        state.history.append((seat, [shown]))
        state.begun = True


def _move(state: PhazedState, seat: int, play: Play) -> None:
    kind, content = play
    hand = state.hands[seat]
    if kind in (FROM_DECK, FROM_PILE):
        state.drawn = (state.deck if kind == FROM_DECK else state.pile).pop()
        hand.append(state.drawn)
    for card in put_down(play):
        hand.remove(card)
    if kind == PHASE:
        number, groups = content
        state.table[seat] = number, [list(group) for group in groups]
        state.phase_status[seat] = number
    elif kind == BUILD:
        card, (owner, group, index) = content
        state.table[owner][1][group].insert(index, card)
    elif kind == DISCARD:
        state.pile.append(content)


def disqualify(state: PhazedState, seat: int) -> None:
    state.ended, state.offender = DISQUALIFIED, seat


def result(state: PhazedState) -> Result:
    """Players who completed all phases come first, then fewer penalty points count; equals share a place.

    Points are the penalty points, negative. After a disqualification nobody has the first place; the offender has the
    last one and the lowest points of all.
    """
    if state.ended is None:
        raise ValueError("the game is still running")
    points = tuple([-float(score) for score in state.scores])
    if state.offender is not None:
        points = tuple([min(points) if seat == state.offender else points[seat] for seat in SEATS])
        return Result(state.ended, tuple([3 if seat == state.offender else 2 for seat in SEATS]), points)
    ranks = [(achieved != LAST_PHASE, score) for achieved, score in zip(state.phase_status, state.scores, strict=True)]
    return Result(state.ended, tuple([sorted(ranks).index(rank) + 1 for rank in ranks]), points)


def cards(state: PhazedState) -> list[str]:
    on_table = [group for _, groups in state.table for group in groups]
    return [card for pile in (state.deck, state.pile, *state.hands, *on_table) for card in pile]


def redeal(state: PhazedState, seat: int, rng: Random) -> PhazedState:
    """Shuffle what is hidden. Cards that others were seen to take from the discard pile, and still hold, stay there."""
    other = deepcopy(state)
    hidden = {player: hand for player, hand in enumerate(other.hands) if player != seat}
    unseen = other.deck
    for player, hand in hidden.items():
        known = _seen(state, player)
        unseen += (Counter(hand) - known).elements()
        hand[:] = known.elements()
    rng.shuffle(unseen)
    for player, hand in hidden.items():
        hand += [unseen.pop() for _ in range(len(state.hands[player]) - len(hand))]
    return other


def _seen(state: PhazedState, player: int) -> Counter[str]:
    """The cards of a hand that everybody knows: taken from the discard pile and not put down since."""
    seen: Counter[str] = Counter()
    for play in [play for who, plays in state.history.items if who == player for play in plays]:
        if play[0] == FROM_PILE:
            seen[play[1]] += 1
        seen -= Counter(put_down(play))
    return seen
