"""Whether a game of Phazed can come to a position, as its arguments tell it."""

from collections import Counter
from random import Random
from typing import Any

from tournament.games.phazed import rules
from tournament.games.phazed.plays import DISCARD, DRAW, FROM_DECK, FROM_PILE, PlayContext, check_shape, judge
from tournament.games.phazed.state import DEALT, SEATS, TURNS, PhazedState, in_order

DECK = 104 - 4 * DEALT - 1


def check_reachable(args: Any) -> None:
    """Fails unless the turns lead to the table, and the hand is one that the player can have after them."""
    player, table, history, status, hand, discard = args
    follow_turns(player, table, history, status, discard)
    check_hand(player, table, history, hand, discard)
    draws = sum(play[0] == FROM_DECK for _, plays in history for play in plays)
    assert len(history) <= TURNS
    assert draws <= DECK


def follow_turns(player: int, table: Any, history: Any, status: Any, discard: str | None) -> None:
    """The plays are legal one after the other, whoever holds what is needed, and the table is what they lead to."""
    played = [phase is not None for phase, _ in table]
    state = PhazedState(Random(0), ["2C"] * 200, hand_no=0)
    state.phase_status = [done - each for done, each in zip(status, played, strict=True)]
    state.table = [(None, []) for _ in SEATS]
    state.seat = history[0][0] if history else player
    state.pile, state.hands = [first_card(history, discard)], [["2C"] for _ in SEATS]
    for seat, plays in history:
        assert seat == state.seat
        for shown in plays:
            play = DRAW if shown[0] == FROM_DECK else check_shape(shown)
            state.hands = [["2C"] * 12 for _ in SEATS]
            state.hands[seat] += put_down(play)
            top = state.pile[-1] if state.pile else None
            judge(play, PlayContext(seat, state.table, state.begun, state.phase_status, state.hands[seat], top))
            rules.apply(state, [(seat, play)])
    (request,) = rules.requests(state)
    assert (request.args[0], list(request.args[1]), list(request.args[2].items)) == (player, table, history)
    assert (list(request.args[3]), request.args[5]) == (status, discard)


def first_card(history: Any, discard: str | None) -> str:
    """The card that was turned up, or any that it may have been."""
    depth = 0
    for _, plays in history:
        for kind, content in plays:
            if kind == FROM_PILE and depth == 0:
                return str(content)
            depth += (kind == DISCARD) - (kind == FROM_PILE)
    return discard if depth == 0 and discard else "2C"


def check_hand(player: int, table: Any, history: Any, hand: list[str], discard: str | None) -> None:
    own = [list(plays) for seat, plays in history if seat == player]
    known = held_openly(own)
    drawn = sum(play[0] == FROM_DECK for plays in own for play in plays)
    taken = sum(play[0] == FROM_PILE for plays in own for play in plays)
    put = sum(len(put_down(play)) for plays in own for play in plays)
    assert len(hand) == DEALT + drawn + taken - put > 0
    assert not Counter(known) - Counter(hand), "what it was seen to take and has not put down is there"
    in_sight = [*hand, *(card for _, groups in table for group in groups for card in group), *pile_of(history, discard)]
    in_sight += [card for seat in SEATS if seat != player for card in held_openly(plays_of(history, seat))]
    assert max(Counter(in_sight).values()) <= 2
    dealt = next(size for size in range(len(hand), -1, -1) if hand[:size] == in_order(hand[:size]))
    late = Counter(hand[dealt:]) - Counter(known)
    assert late.total() <= drawn, "cards out of order were drawn"
    # A drawn card comes last, and may fit the order of the dealt ones by chance
    assert len(hand) - len(known) - DEALT + owed(own) <= drawn, "more are left of those dealt than it can have"


def owed(own: list[Any]) -> int:
    """How many cards that were dealt it must have put down, for it had drawn too few by then."""
    balance = most = 0
    known: list[str] = []
    for plays in own:
        for play in plays:
            balance -= play[0] == FROM_DECK
            known += [play[1]] if play[0] == FROM_PILE else []
            for card in put_down(play):
                if card in known:
                    known.remove(card)
                else:
                    balance += 1
        most = max(most, balance)
    return most


def plays_of(history: Any, seat: int) -> list[Any]:
    return [list(plays) for player, plays in history if player == seat]


def held_openly(own: list[Any]) -> list[str]:
    """The cards that everybody has seen it take, and that it has not put down."""
    known: list[str] = []
    for plays in own:
        for play in plays:
            known += [play[1]] if play[0] == FROM_PILE else []
            for card in put_down(play):
                if card in known:
                    known.remove(card)
    return known


def pile_of(history: Any, discard: str | None) -> list[str]:
    pile: list[str] = []
    for _, plays in history:
        for kind, content in plays:
            if kind == DISCARD:
                pile.append(content)
            elif kind == FROM_PILE and pile:
                pile.pop()
    return pile or ([discard] if discard else [])


def put_down(play: Any) -> list[str]:
    """The cards that leave the hand."""
    kind, content = play
    if kind == 3:
        return [card for group in content[1] for card in group]
    return [content[0] if kind == 4 else content] if kind in (4, 5) else []
