"""Tables for the tests, written in short: cards apart by spaces, hands apart by bars."""

from typing import Any

from tournament.games import uno
from tournament.games.uno.pack import COLOURS
from tournament.games.uno.state import UnoState


def table(hands: str, top: str = "R5", colour: str = "", *, draw: str = "", **rest: Any) -> UnoState:
    """A running game. `hands` are `R6 GD | Y1 | B2 B3`; the first card of `draw` is the next one."""
    held = tuple(hand.split() for hand in hands.split("|"))
    return UnoState(draw.split()[::-1], held, [top], colour or top[0], **rest)


def play(state: UnoState, *raws: Any) -> UnoState:
    """The state after these answers, each of whoever is asked."""
    for raw in raws:
        (request,) = uno.requests(state)
        uno.apply(state, [(request.seat, uno.parse(state, request.seat, raw))])
    return state


def first_answer(state: UnoState) -> Any:
    """The first legal answer to what is asked now, drawing last."""
    return COLOURS[0] if state.choosing else next(iter(legal(state)))


def legal(state: UnoState) -> list[int]:
    """Every legal pick, by trying them all."""
    return [raw for raw in (*range(len(state.hands[state.seat])), -2) if not refusal(state, raw)]


def refusal(state: UnoState, raw: Any) -> str:
    """The rule that refuses the answer, or nothing."""
    (request,) = uno.requests(state)
    try:
        uno.parse(state, request.seat, raw)
    except uno.rules.IllegalPlay as illegal:
        return illegal.rule
    return ""
