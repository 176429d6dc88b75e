"""King of the Cards as the referee plays it: the functions that the contract of a game requires.

Source: seed 002_9b6d95301150c1c5; RULES.md, "King of the Cards", settles what the seed leaves open. README.md beside
this file explains the rules.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import IllegalPlay, MalformedPlay, Offer, Questions, Request, Result, one_of
from tournament.games.cards import NAMES, PACK, name, reshuffle, symbol
from tournament.games.kotc.state import (
    DISQUALIFIED,
    FOLLOWS,
    WON,
    KotcPosition,
    KotcState,
    can_play,
    draw_card,
    next_turn,
    play_card,
)
from tournament.games.text import show, written

Play: TypeAlias = str | None
"""The card played, where an Eight has the declared suit; None for a skipped turn."""

PLAY = "kotc_play"
_CODES = frozenset(PACK)
_ON_TURN = ("draw", "handSizes", "discardSize", "drawSize")


def requests(state: KotcState) -> Sequence[Request]:
    """Return the request to the seat on turn to play; the seat always has a card that fits."""
    if state.ended:
        return ()
    return (Request(state.seat, PLAY, (state.hands[state.seat], state.top)),)


def parse(state: KotcState, seat: int, raw: Any) -> Play:
    """Return the card after checking that it is in the hand and fits, or None for a skipped turn."""
    return check_play(raw, state.hands[seat], state.top)


def check_play(raw: Any, hand: Sequence[str], top: str) -> Play:
    """Return the play, if `raw` is a card of the hand that may be played on `top`, or None or False, which skip the
    turn. Raises MalformedPlay or IllegalPlay."""
    if raw is None or raw is False:
        return None
    if type(raw) is not str or raw not in _CODES:
        returned = written(raw) if type(raw) is str else show(raw)
        raise MalformedPlay(f"Your method play must return a Card, or None to skip the turn; it returned {returned}.")
    if raw not in hand and (raw[0] != "8" or all(card[0] != "8" for card in hand)):
        lacking = "an Eight, but there is none" if raw[0] == "8" else f"the {name(raw)}, but it is not"
        held = " ".join(map(symbol, hand))
        raise IllegalPlay("not-held", f"You played {lacking} in your hand; you hold {held}.")
    if raw not in FOLLOWS[top]:
        raise IllegalPlay("no-match", _no_match(raw, top))
    return raw


def _no_match(card: str, top: str) -> str:
    rank, suit = NAMES[top[0]], NAMES[top[1]]
    article = "an" if top[0] in "A8" else "a"
    if top[0] == "8":
        return f"The {name(card)} cannot be played on an Eight that counts as {suit}: only {suit} and Eights can."
    return (
        f"The {name(card)} cannot be played on the {name(top)}: it is not one of the {suit}, "
        f"not {article} {rank} and not an Eight."
    )


def decode(data: Any) -> Any:
    """Return the play unchanged: JSON keeps it."""
    return data


def apply(state: KotcState, plays: Sequence[tuple[int, Play]]) -> None:
    """Carry out the play, and what follows until somebody can play again."""
    ((seat, card),) = plays
    state.events, state.asked = state.asked, []
    state.fresh = [0 for _ in state.hands]
    if state.events:
        state.fresh[seat] = sum(what for _, action, what in state.events if action == "draw")
    if card is None:
        state.idle += 1
        state.events.append((seat, "skip", None))
    else:
        play_card(state, card)
        if not state.hands[seat]:
            state.ended, state.decided_by = WON, seat
            return
    next_turn(state)


def disqualify(state: KotcState, seat: int) -> None:
    state.events, state.asked = state.asked, []
    state.ended, state.decided_by = DISQUALIFIED, seat


def result(state: KotcState) -> Result:
    """Return the result: the winner has place 1, and the others follow, those with fewer cards first; equal players
    share a place. Without a winner all have place 2. Points are minus the number of cards left in the hand. After a
    disqualification the others share place 2, the offender has place 3, and all have 0 points."""
    if state.ended is None:
        raise ValueError("the game is still running")
    seats = range(len(state.hands))
    if state.ended == DISQUALIFIED:
        return Result(state.ended, tuple(3 if seat == state.decided_by else 2 for seat in seats), (0.0,) * len(seats))
    sizes = [len(hand) for hand in state.hands]
    ranks = [(seat != state.decided_by, size) for seat, size in enumerate(sizes)]
    places = tuple(2 if state.decided_by is None else sorted(ranks).index(rank) + 1 for rank in ranks)
    return Result(state.ended, places, tuple(float(-size) for size in sizes))


def answer(state: KotcState, seat: int, name: str, args: Sequence[Any]) -> Any:
    """Return what the arena tells the seat on turn, or the card that this seat draws (None if no card is left)."""
    if args or name not in _ON_TURN:
        raise IllegalPlay(
            "no-such-question", f"A bot cannot ask for {show(name)}; it can ask for {', '.join(_ON_TURN)}."
        )
    if name == "handSizes":
        return [len(hand) for hand in (*state.hands[seat + 1 :], *state.hands[:seat])]
    if name == "discardSize":
        return len(state.discard)
    if name == "drawSize":
        return len(state.draw)
    card = draw_card(state, state.asked)
    if card:
        state.asked.append((seat, "draw", 1))
    return card


def cards(state: KotcState) -> list[str]:
    return [*state.draw, *chain(*state.hands), *state.discard]


def redeal(state: KotcState, seat: int, rng: Random) -> KotcState:
    """Shuffle the draw pile and the other hands. The seat on turn still holds a card that fits."""
    other = deepcopy(state)
    hidden = [other.draw, *(hand for player, hand in enumerate(other.hands) if player != seat)]
    while True:
        reshuffle(hidden, rng)
        if other.ended or can_play(other):
            return other


SUITS = "CDHS"


def choices(state: KotcState, seat: int) -> Sequence[Offer]:
    """Return offers of every card that fits, with Eights once for each suit; of the question to draw; and of
    skipping."""
    hand, top = state.hands[seat], state.top
    found = [
        Offer(f"Play the {name(card)}", card, f"It has the {'rank' if card[0] == top[0] else 'suit'} of the top card.")
        for card in dict.fromkeys(hand)
        if card[0] != "8" and card in FOLLOWS[top]
    ]
    if any(card[0] == "8" for card in hand):
        why = "An Eight always fits."
        found += [Offer(f"Play an Eight and declare {NAMES[suit]}", f"8{suit}", why) for suit in SUITS]
    if state.draw or len(state.discard) > 1:
        found.append(Offer("Draw a card", question="draw", why="Draw as often as you like; then play or skip."))
    return [*found, Offer("Skip the turn", None, "You keep your cards, and it is the next player’s turn.")]


def call_at_home(state: KotcState, request: Request, questions: Questions) -> str:
    """Return the call for one turn of the bot. It reveals only those cards of the draw pile that the bot drew."""
    hand, top = request.args
    others, discards, left = (
        answer(state, request.seat, each, ()) for each in ("handSizes", "discardSize", "drawSize")
    )
    return f"kotc_play(bot, {hand}, {top!r}, {_cards_drawn(questions)}, {others}, {discards}, {left})"


def check_at_home(state: KotcState, request: Request, questions: Questions) -> str:
    """Return a check that the answer is None or a card that fits, from the hand or from the cards drawn before."""
    hand, top = request.args
    turns = KotcPosition(list(hand), top, _cards_drawn(questions), []).turns(may_skip=True)
    return "result = (result, len(bot.drawn))  # the card, and how many were drawn before\n" + one_of(turns)


def _cards_drawn(questions: Questions) -> list[str]:
    return [card for name, _, card in questions if name == "draw" and card is not None]
