"""Comp10001-Bo as the referee plays it: the functions that the contract of a game requires.

Source: seed 000_aec286271704704a; RULES.md, "Comp10001-Bo", settles what the seed leaves open. README.md beside this
file explains the rules.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from random import Random
from typing import Any

from tournament.games.api import AtHome, Guest, Offer, Questions, Request, Result, one_of
from tournament.games.bo.plays import (
    COMPLETES_BUILD,
    ENDS_TURN,
    FROM_DISCARD,
    FROM_HAND,
    FROM_STOCKPILE,
    NO_PLAY,
    PASS,
    SEATS,
    TO_BUILD,
    Play,
    check_shape,
    judge,
    legal_plays,
    match_discard,
)
from tournament.games.bo.state import (
    ABANDONED,
    DISQUALIFIED,
    PLAYS_A_TURN,
    WON,
    BoState,
    end_turn,
    is_stuck,
    place_on_build,
    refill,
)
from tournament.games.cards import reshuffle, symbol

PLAY = "comp10001bo_play"
guest = Guest({PLAY: (6,)})


def requests(state: BoState) -> Sequence[Request]:
    """Return the request to the seat on turn to play. The arguments are the state's own lists: copy or send them before
    `apply`."""
    if state.ended:
        return ()
    seat = state.seat
    tops = tuple([(pile[-1], len(pile)) for pile in state.stockpiles])
    return (Request(seat, PLAY, (seat, state.hands[seat], tops, state.discards, state.builds, state.history)),)


def parse(state: BoState, seat: int, raw: Any) -> Play:
    """Return the play after checking its shape and its legality."""
    play = check_shape(raw)
    judge(play, seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds)
    return play


def decode(data: Any) -> Any:
    """Turn lists back into tuples, at every level."""
    if isinstance(data, list):
        return tuple([decode(part) if isinstance(part, list) else part for part in data])
    return data


def apply(state: BoState, plays: Sequence[tuple[int, Play]]) -> None:
    """Carry out the play and what follows without a choice: completed piles, refills, the end of the turn or game."""
    ((seat, play),) = plays
    state.history.append((seat, play))
    state.plays += 1
    ends_turn = _move_card(state, seat, play)
    if not state.stockpiles[seat]:
        state.ended, state.decided_by = WON, seat
        return
    if ends_turn or state.plays == PLAYS_A_TURN:
        end_turn(state)
    elif not state.hands[seat]:
        refill(state, state.hands[seat])
    if not state.ended and is_stuck(state):
        state.ended = ABANDONED


def _move_card(state: BoState, seat: int, play: Play) -> bool:
    """Move the card; return whether that ends the turn."""
    kind, source, (where, pile) = play
    if kind == PASS:
        return True
    card = _take_card(state, seat, kind, source)
    if where == TO_BUILD:
        place_on_build(state, card, pile)
        return False
    owner, number = pile
    target = state.discards[owner][number]
    value = match_discard(card, target, seat, owner, kind == FROM_HAND)
    target.append(card)
    return value == ENDS_TURN


def _take_card(state: BoState, seat: int, kind: int, source: Any) -> str:
    if kind == FROM_HAND:
        state.hands[seat].remove(source)
        return str(source)
    if kind == FROM_STOCKPILE:
        return state.stockpiles[seat].pop()
    owner, number = source[1]
    pile: list[str] = state.discards[owner][number]
    return pile.pop()


def disqualify(state: BoState, seat: int) -> None:
    state.ended, state.decided_by = DISQUALIFIED, seat


def result(state: BoState) -> Result:
    """Return the result: place 1 and a point for the player who emptied the stockpile; all others share place 2
    (section 2.3), as does everybody if nobody won. A disqualified seat has place 3."""
    if state.ended is None:
        raise ValueError("the game is still running")
    places = [2] * len(SEATS)
    if state.decided_by is not None:
        places[state.decided_by] = 1 if state.ended == WON else 3
    return Result(state.ended, tuple(places), tuple(float(place == 1) for place in places))


def cards(state: BoState) -> list[str]:
    owned = (*state.stockpiles, *state.hands, *state.builds)
    return [card for pile in (state.draw, *owned, *chain(*state.discards)) for card in pile]


def redeal(state: BoState, seat: int, rng: Random) -> BoState:
    other = deepcopy(state)
    hidden = [other.draw, *(hand for player, hand in enumerate(other.hands) if player != seat)]
    covered = [pile[:-1] for pile in other.stockpiles]
    reshuffle([*hidden, *covered], rng)
    for pile, below in zip(other.stockpiles, covered, strict=True):
        pile[:-1] = below
    return other


def choices(state: BoState, seat: int) -> Sequence[Offer]:
    """Return offers of every legal play, grouped by card, build piles first; or, if there is none, the offer to say
    so."""
    found = list(legal_plays(seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds))
    if not found:
        return [Offer("Say that no play is possible", NO_PLAY, "No card fits anywhere; your turn ends.")]
    return [_offer_of(state, seat, play) for play in found]


def _offer_of(state: BoState, seat: int, play: Play) -> Offer:
    kind, source, (where, pile) = play
    card = source[0] if kind == FROM_DISCARD else source
    if kind == FROM_DISCARD:
        origin = f"from {_pile_name(seat, source[1])}"
    else:
        origin = "from your hand" if kind == FROM_HAND else "from your stockpile"
    target, why = _onto_build(state, card, pile) if where == TO_BUILD else _onto_discard(state, seat, play, card)
    if state.plays + 1 == PLAYS_A_TURN:
        why = f"{why} This is the fifth and last play of your turn."
    return Offer(f"Play {symbol(card)} onto {target}", play, why, f"{symbol(card)} {origin}")


def _onto_build(state: BoState, card: str, number: int) -> tuple[str, str]:
    """Return the name of the build pile, and why the card fits there."""
    pile, target = state.builds[number], f"build pile {number}"
    if not pile:
        return target, "A 2 or a King starts an empty build pile."
    fits = "an Ace fits any value" if card[0] == "A" else "one higher or lower"
    why = f"On {symbol(pile[-1])}: the same colour, and {fits}."
    if card in COMPLETES_BUILD:
        why += " It completes the pile, which goes back into the draw pile."
    return target, why


def _onto_discard(state: BoState, seat: int, play: Play, card: str) -> tuple[str, str]:
    """Return the name of the discard pile, why the card may go there, and what happens after the play."""
    owner, number = play[2][1]
    pile = state.discards[owner][number]
    on = f"On {symbol(pile[-1])}" if pile else "It starts this pile"
    if match_discard(card, pile, seat, owner, play[0] == FROM_HAND) == ENDS_TURN:
        return _pile_name(seat, (owner, number)), f"{on}: this ends your turn."
    return _pile_name(seat, (owner, number)), f"{on}: the other colour, and one higher or lower. Your turn continues."


def _pile_name(seat: int, place: tuple[int, int]) -> str:
    owner, number = place
    return f"{'your' if owner == seat else f'player {owner}’s'} discard pile {number}"


def check_at_home(state: BoState, request: Request, questions: Questions) -> str:
    """Return a check that the answer is one of the possible plays, or says that there is none."""
    seat = request.seat
    plays = legal_plays(seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds)
    return one_of(list(plays) or [NO_PLAY])


at_home = AtHome(check_at_home)
