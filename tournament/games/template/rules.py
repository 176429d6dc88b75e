"""The rules. The state can be of any type; only the functions below look inside."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tournament.games.api import Guest, IllegalPlay, MalformedPlay, Offer, Request, Result
from tournament.games.cards import PACK, VALUE, name, reshuffle
from tournament.games.text import show

guest = Guest({"newgame_play": (2,)})


@dataclass(slots=True)
class State:
    """`needed`: how many tricks win the game. `led`: the card to beat, or None if `seat` leads. `tricks`: how many each
    seat has won."""

    hands: list[list[str]]
    stock: list[str]
    needed: int
    seat: int = 0
    led: str | None = None
    taken: list[str] = field(default_factory=list)
    tricks: list[int] = field(default_factory=lambda: [0, 0])
    ended: str = ""
    offender: int | None = None


def deal(rng: Random, seats: int, tricks: int = 2) -> State:
    """Deal a new game with the given options."""
    pack, size = list(PACK), 2 * tricks - 1
    rng.shuffle(pack)
    return State([pack[:size], pack[size : 2 * size]], pack[2 * size :], tricks)


def requests(state: State) -> Sequence[Request]:
    """Return who must answer which call now."""
    if state.ended:
        return ()
    return (Request(state.seat, "newgame_play", (list(state.hands[state.seat]), state.led)),)


def parse(state: State, seat: int, raw: Any) -> str:
    """Return the card that was played. `raw` may be anything at all."""
    if type(raw) is not str:
        raise MalformedPlay(f"A play is a card like '4S', but {show(raw)} was returned.")
    if raw not in state.hands[seat]:
        raise IllegalPlay("not-held", f"The card {show(raw)} is not in the hand.")
    return raw


def decode(data: Any) -> Any:
    """Return the play that `parse` accepts; JSON does not change a card."""
    return data


def apply(state: State, plays: Sequence[tuple[int, Any]]) -> None:
    """Carry out a play."""
    ((seat, card),) = plays
    state.hands[seat].remove(card)
    state.taken.append(card)
    if state.led is None:
        state.led, state.seat = card, 1 - seat
        return
    winner = seat if VALUE[card] > VALUE[state.led] else 1 - seat
    state.tricks[winner] += 1
    state.led, state.seat = None, winner
    if state.tricks[winner] == state.needed:
        state.ended = "won"


def disqualify(state: State, seat: int) -> None:
    """End the game by disqualifying `seat`."""
    state.ended, state.offender = "disqualified", seat


def result(state: State) -> Result:
    """Return how the game ended."""
    if not state.ended:
        raise ValueError("the game is still running")
    if state.offender is not None:
        places = tuple(3 if seat == state.offender else 2 for seat in range(2))
        return Result(state.ended, places, (0.0, 0.0))
    places = tuple(1 if tricks == state.needed else 2 for tricks in state.tricks)
    return Result(state.ended, places, tuple(float(tricks) for tricks in state.tricks))


def cards(state: State) -> list[str]:
    """Return every card, wherever it lies."""
    return [*state.hands[0], *state.hands[1], *state.stock, *state.taken]


def redeal(state: State, seat: int, rng: Random) -> State:
    """Return a state that looks the same to `seat`, with everything shuffled that it cannot see."""
    other = deepcopy(state)
    reshuffle([other.hands[1 - seat], other.stock], rng)
    return other


def choices(state: State, seat: int) -> Sequence[Offer]:
    """Return the plays offered to a person who plays by hand."""
    why = "You lead." if state.led is None else f"The card to beat is the {name(state.led)}."
    return [Offer(f"Play the {name(card)}", card, why) for card in state.hands[seat]]
