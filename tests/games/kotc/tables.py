"""Tables for the tests, written in short: cards apart by spaces, hands apart by a bar."""

from random import Random
from typing import Any

from tournament.games import kotc
from tournament.games.api import IllegalPlay
from tournament.games.kotc.state import KotcState


def table(hands: str, discard: str = "6C", *, draw: str = "", top: str = "", **rest: Any) -> KotcState:
    """A running game. `hands` are `6H 9C | AD`; the last card of `discard` lies on top and counts as `top`; the first
    card of `draw` is the next one."""
    held = tuple(hand.split() for hand in hands.split("|"))
    pile = discard.split()
    return KotcState(Random(1), draw.split()[::-1], held, pile, top or pile[-1], **rest)


def play(state: KotcState, *raws: Any) -> KotcState:
    """The state after these answers, each of whoever is asked; `draw` is a card drawn before the answer."""
    for raw in raws:
        (request,) = kotc.requests(state)
        if raw == "draw":
            kotc.answer(state, request.seat, "draw", ())
        else:
            kotc.apply(state, [(request.seat, kotc.parse(state, request.seat, raw))])
    return state


def refusal(state: KotcState, raw: Any) -> str:
    """The rule that refuses the answer, or nothing."""
    (request,) = kotc.requests(state)
    try:
        kotc.parse(state, request.seat, raw)
    except IllegalPlay as illegal:
        return illegal.rule
    return ""
