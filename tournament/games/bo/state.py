"""The table of a game of Comp10001-Bo, and what happens on it without a player's choice."""

from dataclasses import dataclass, field
from random import Random

from sandbox.api import Log
from tournament.games.api import Option
from tournament.games.bo.plays import COMPLETES_BUILD, PILES, SEATS, legal_plays
from tournament.games.cards import PACK

STOCKPILE = 8
HAND = 5
PACKS = 2
PLAYS_A_TURN = 5
TURNS_EACH = 20

OPTIONS: tuple[Option, ...] = (
    Option("stockpile_size", "Cards in each stockpile", STOCKPILE, 1, 15),
    Option("hand_size", "Cards in a full hand", HAND, 1, 10),
    Option("packs", "Packs of 52 cards", PACKS, 2, 4),
    Option("turn_limit", "Maximum turns per player", TURNS_EACH, 1, 50),
)

WON, ABANDONED, TURN_LIMIT, DISQUALIFIED = "won", "abandoned", "turn limit", "disqualified"


def _piles() -> tuple[list[str], ...]:
    return tuple([] for _ in PILES)


@dataclass(slots=True)
class BoState:
    """The last card of each list is its top card. `turn` counts the turns of all seats from 0, up to `turn_limit` for
    each seat; `plays` counts the plays of this turn. Tuples of piles are never replaced, so that a request can hand
    them out without copying."""

    rng: Random
    draw: list[str]
    stockpiles: tuple[list[str], ...] = field(default_factory=_piles)
    hands: tuple[list[str], ...] = field(default_factory=_piles)
    discards: tuple[tuple[list[str], ...], ...] = field(default_factory=lambda: tuple(_piles() for _ in SEATS))
    builds: tuple[list[str], ...] = field(default_factory=_piles)
    history: Log = field(default_factory=Log)
    turn: int = 0
    plays: int = 0
    ended: str | None = None
    decided_by: int | None = None  # the seat that won or was disqualified
    hand_size: int = HAND
    turn_limit: int = TURNS_EACH

    @property
    def seat(self) -> int:
        """The seat whose turn it is."""
        return self.turn % len(SEATS)


def deal(
    rng: Random,
    seats: int,
    stockpile_size: int = STOCKPILE,
    hand_size: int = HAND,
    packs: int = PACKS,
    turn_limit: int = TURNS_EACH,
) -> BoState:
    """Shuffle the packs and deal eight cards to each stockpile and five to the hand of the first player (section
    2.2)."""
    if seats != len(SEATS):
        raise ValueError(f"Comp10001-Bo is for four players, not {seats}.")
    draw = [*PACK] * packs
    rng.shuffle(draw)
    state = BoState(rng, draw, hand_size=hand_size, turn_limit=turn_limit)
    for pile in state.stockpiles:
        pile.extend(draw[-stockpile_size:])
        del draw[-stockpile_size:]
    refill(state, state.hands[0])
    return state


def refill(state: BoState, hand: list[str]) -> None:
    """Fill the hand up to its full size, usually five cards, as far as the draw pile allows."""
    while len(hand) < state.hand_size and state.draw:
        hand.append(state.draw.pop())


def place_on_build(state: BoState, card: str, number: int) -> None:
    """Put the card on the build pile; a completed pile is shuffled into the draw pile at once."""
    pile = state.builds[number]
    pile.append(card)
    if len(pile) > 1 and card in COMPLETES_BUILD:
        state.draw.extend(pile)
        pile.clear()
        state.rng.shuffle(state.draw)


def end_turn(state: BoState) -> None:
    """Pass the turn to the next seat, which draws cards; or end the game at the turn limit."""
    state.turn += 1
    state.plays = 0
    if state.turn == state.turn_limit * len(SEATS):
        state.ended = TURN_LIMIT
    else:
        refill(state, state.hands[state.seat])


def is_stuck(state: BoState) -> bool:
    """Whether the draw pile is empty and none of the four players has any play (section 2.1)."""
    return not state.draw and not any(
        True
        for seat in SEATS
        for _ in legal_plays(seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds)
    )
