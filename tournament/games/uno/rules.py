"""Uno as the referee plays it: the functions that the contract of a game requires.

Source: seed 004_4c68ad11bb2ee45c; RULES.md, "Uno", settles what the seed leaves open. README.md beside this file
explains the rules.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import AtHome, Guest, IllegalPlay, Offer, Questions, Request, Result, one_of
from tournament.games.cards import reshuffle
from tournament.games.text import malformed, returned, show
from tournament.games.uno.pack import COLOUR_NAMES, COLOURS, WILD, hand_points, match, name, playable
from tournament.games.uno.state import (
    DISQUALIFIED,
    UnoState,
    can_play,
    choose_colour,
    draw_cards,
    end_turn,
    pass_turn,
    play_card,
    take_penalty,
)

Play: TypeAlias = tuple[int | str, str | None]
"""What the player returned, and the card that it is about: `(3, 'R6')`, `(-2, None)`, `('G', 'WC')`."""

PICK, CHOOSE = "uno_pick_card", "uno_choose_colour"
guest = Guest({PICK: (7,), CHOOSE: (7,)})
PASSED, DRAWN = -1, -2


def requests(state: UnoState) -> Sequence[Request]:
    """Return the request to the seat on turn to pick a card, or to choose a colour for the wild card that it has just
    played."""
    if state.ended:
        return ()
    seat = state.seat
    sizes = [len(hand) for hand in state.hands]
    args = (seat, state.hands[seat], state.discard[-1], state.colour, len(state.draw), sizes, state.history)
    return (Request(seat, CHOOSE if state.choosing else PICK, args),)


def parse(state: UnoState, seat: int, raw: Any) -> Play:
    """Return the play with its card after checking its shape and its legality."""
    if state.choosing:
        return check_colour(raw), state.discard[-1]
    return check_pick(raw, state.hands[seat], state.discard[-1], state.colour, len(state.draw))


def decode(data: Any) -> Any:
    """Return what the player returned: the first part of a parsed play."""
    return data[0]


def check_colour(raw: Any) -> str:
    """Return `raw` if it is the letter of a colour. Raises MalformedPlay or IllegalPlay."""
    if type(raw) is not str:
        raise malformed("A colour is one of 'R', 'Y', 'G' and 'B'", returned(raw))
    if len(raw) != 1 or raw not in COLOURS:
        raise IllegalPlay("no-such-colour", f"There is no colour {show(raw)}: choose 'R', 'Y', 'G' or 'B'.")
    return raw


def check_pick(raw: Any, hand: Sequence[str], top: str, colour: str, draw_pile_size: int) -> Play:
    """Return the play, if `raw` is the index of a card that matches, or -2 while there are cards to draw. Raises
    MalformedPlay or IllegalPlay."""
    if type(raw) is not int:
        raise malformed("A play is a whole number: the index of a card in your hand, or -2 to draw", returned(raw))
    if raw == DRAWN:
        if not draw_pile_size:
            why = f"You cannot draw: the draw pile is empty. You must play {_a_match(hand, top, colour)}."
            raise IllegalPlay("nothing-to-draw", why)
        return raw, None
    if raw == PASSED:
        instead = "a card or return -2 to draw" if draw_pile_size else _a_match(hand, top, colour)
        raise IllegalPlay("no-pass", f"You cannot pass: play {instead}. A player who can do neither is not asked.")
    if not 0 <= raw < len(hand):
        why = f"There is no card at index {show(raw)}: your hand is {hand}, so indices go from 0 to {len(hand) - 1}."
        raise IllegalPlay("no-such-card", why)
    card = hand[raw]
    if not match(card, top, colour):
        raise _refused_card(raw, card, top, colour)
    return raw, card


def _a_match(hand: Sequence[str], top: str, colour: str) -> str:
    """Return words for a card that may be played. A player who is asked and cannot draw always holds such a card."""
    index, card = next((i, card) for i, card in enumerate(hand) if match(card, top, colour))
    return f"a card that matches, for example '{card}' at {index}"


def _refused_card(index: int, card: str, top: str, colour: str) -> IllegalPlay:
    if colour == WILD:
        why = "no colour has been chosen yet, so only 'WC' and 'WD' match"
    elif top[0] == WILD:
        why = f"the colour to follow is {COLOUR_NAMES[colour]}"
    else:
        actions = {"8": "an 8", "S": "a skip", "R": "a reverse", "D": "a draw 2"}
        why = f"it is neither {COLOUR_NAMES[colour]} nor {actions.get(top[1], f'a {top[1]}')}"
    return IllegalPlay("no-match", f"'{card}' (index {index} of your hand) cannot be played on '{top}': {why}.")


def apply(state: UnoState, plays: Sequence[tuple[int, Play]]) -> None:
    """Carry out the play and what follows without a choice: penalties, skips and passes. A drawn card that matches is
    played at once. A wild card that ends the game needs no colour."""
    ((_, (pick, _)),) = plays
    state.step_start = len(state.history.items)
    if state.choosing:
        choose_colour(state, str(pick))
    elif pick == DRAWN:
        (card,) = draw_cards(state, 1)
        if match(card, state.discard[-1], state.colour):
            play_card(state, -1)
    else:
        play_card(state, int(pick))
    if not state.hands[state.seat]:
        state.choosing = False
    if not state.choosing:
        end_turn(state)
        _skip_and_pass(state)


def _skip_and_pass(state: UnoState) -> None:
    """Play the turns of seats that have no choice: they are skipped, or can neither play nor draw."""
    while not state.ended:
        if state.skipped:
            take_penalty(state)
        elif not state.draw and not can_play(state):
            pass_turn(state)
        else:
            return
        end_turn(state)


def disqualify(state: UnoState, seat: int) -> None:
    state.ended, state.decided_by = DISQUALIFIED, seat


def result(state: UnoState) -> Result:
    """Return the result: the winner alone has place 1; the others follow, those with fewer points in their hands first,
    and equal players share a place. Points are minus the points of the hand. After a disqualification the others share
    place 2 and all points are 0."""
    if state.ended is None:
        raise ValueError("the game is still running")
    points = [hand_points(hand) for hand in state.hands]
    if state.ended == DISQUALIFIED:
        places = [2] * len(points)
        places[state.decided_by or 0] = 3
        return Result(state.ended, tuple(places), (0.0,) * len(points))
    ranks = [(seat != state.decided_by, value) for seat, value in enumerate(points)]
    return Result(
        state.ended, tuple(sorted(ranks).index(rank) + 1 for rank in ranks), tuple(float(-value) for value in points)
    )


def cards(state: UnoState) -> list[str]:
    return [*state.draw, *chain(*state.hands), *state.discard]


def redeal(state: UnoState, seat: int, rng: Random) -> UnoState:
    """Shuffle the draw pile and the others' hands. If the draw pile is empty, the player who is asked still holds a
    card that matches."""
    other = deepcopy(state)
    hidden = [other.draw, *(hand for player, hand in enumerate(other.hands) if player != seat)]
    while True:
        reshuffle(hidden, rng)
        if other.draw or other.choosing or other.ended or can_play(other):
            return other


EFFECTS = {"S": " The next player is skipped.", "R": " Turns go the other way.", "D": " The next player draws two."}


def choices(state: UnoState, seat: int) -> Sequence[Offer]:
    """Return offers of every card that matches and of drawing, or of the four colours."""
    hand, top, colour = state.hands[seat], state.discard[-1], state.colour
    if state.choosing:
        held = {each: sum(card[0] == each for card in hand) for each in COLOURS}
        return [Offer(f"Choose {COLOUR_NAMES[each].lower()}", each, f"You hold {held[each]}.") for each in COLOURS]
    cards = {hand[index]: index for index in reversed(playable(hand, top, colour))}
    found = [Offer(f"Play the {name(card)}", index, _why(card, colour)) for card, index in reversed(cards.items())]
    if state.draw:
        found.append(Offer("Draw a card", DRAWN, "If the card matches, it is played at once."))
    return found


def _why(card: str, colour: str) -> str:
    if card[0] == WILD:
        return "It always matches; you then choose a colour." + (" The next player draws four." if card == "WD" else "")
    return (
        f"It has the {'colour to follow' if card[0] == colour else 'sign of the top card'}.{EFFECTS.get(card[1], '')}"
    )


def check_at_home(state: UnoState, request: Request, questions: Questions) -> str:
    """Return a check that the answer is a colour, the index of a card that matches, or -2 while there are cards to
    draw."""
    if state.choosing:
        return one_of(COLOURS)
    matching = playable(state.hands[request.seat], state.discard[-1], state.colour)
    return one_of([*matching, *([DRAWN] if state.draw else [])])


at_home = AtHome(check_at_home)
