"""The table of a game of Uno and the steps of a turn, for both the tournament and the console game.

Source: seed 004_4c68ad11bb2ee45c, "Program Flow"; RULES.md, "Uno", settles what the seed leaves open.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from sandbox.api import Log
from tournament.games.api import Option
from tournament.games.uno.pack import COLOUR, PACK, WILD, hand_points, match

SEATS = range(2, 6)
HAND = 7
PACKS = 1
TURNS = 100

OPTIONS: tuple[Option, ...] = (
    Option("hand_size", "Cards dealt to each player", HAND, 1, 12),
    Option("packs", "Packs of 72 cards", PACKS, 1, 3),
    Option("turn_limit", "Maximum turns for all players together", TURNS, 10, 500),
)

WON, ALL_PASSED, TURN_LIMIT, DISQUALIFIED = "won", "all passed", "turn limit", "disqualified"


@dataclass(slots=True)
class UnoState:
    """The last card of `draw` is drawn next; the last card of `discard` is the top card. `skipped` and `to_draw` are
    the penalty with which the turn of `seat` begins. `choosing`: the seat has yet to choose a colour for the wild card
    on top. `history` holds `(seat, action, what)`: `play` with a card, `colour` a letter, `draw` a number of cards,
    `skip` None, `pass` None. `step_start` is the length of the history before the last play."""

    draw: list[str]
    hands: tuple[list[str], ...]
    discard: list[str]
    colour: str
    max_turns: int = TURNS
    turn: int = 1
    seat: int = 0
    direction: int = 1
    skipped: bool = False
    to_draw: int = 0
    choosing: bool = False
    passes: int = 0
    history: Log = field(default_factory=Log)
    step_start: int = 0
    ended: str | None = None
    decided_by: int | None = None  # the seat that won or was disqualified


def deal(rng: Random, seats: int, hand_size: int = HAND, packs: int = PACKS, turn_limit: int = TURNS) -> UnoState:
    pack = list(PACK) * packs
    rng.shuffle(pack)
    return deal_in_order(pack, seats, turn_limit, hand_size)


def deal_in_order(pack: Sequence[str], seats: int, max_turns: int = TURNS, hand_size: int = HAND) -> UnoState:
    """Deal seven cards to each seat in turn, then the first discard, which affects nobody. If that is a wild card, the
    colour is `W`, so that only wild cards match. The rest is the draw pile."""
    if seats not in SEATS:
        raise ValueError(f"Uno is for two to five players, not {seats}.")
    dealt = seats * hand_size
    hands = tuple([list(pack[start : start + hand_size]) for start in range(0, dealt, hand_size)])
    first, *rest = pack[dealt:]
    return UnoState(rest[::-1], hands, [first], first[0], max_turns)


def take_penalty(state: UnoState) -> None:
    """Carry out the penalty of a turn: draw the cards that the last player imposed, as far as the pile allows, and
    record the skip."""
    if state.to_draw:
        draw_cards(state, state.to_draw)
    if state.skipped:
        state.history.append((state.seat, "skip", None))
    state.skipped, state.to_draw = False, 0


def draw_cards(state: UnoState, number: int) -> list[str]:
    """Move up to `number` cards from the draw pile to the end of the hand of the seat on turn; return them."""
    drawn = state.draw[: -number - 1 : -1]
    del state.draw[len(state.draw) - len(drawn) :]
    state.hands[state.seat].extend(drawn)
    if drawn:
        state.history.append((state.seat, "draw", len(drawn)))
        state.passes = 0
    return drawn


def play_card(state: UnoState, index: int) -> str:
    """Put a card of the seat on turn on the discard pile, with its effect on the next turn; return the card."""
    card = state.hands[state.seat].pop(index)
    state.discard.append(card)
    state.history.append((state.seat, "play", card))
    state.colour = COLOUR[card]
    state.passes = 0
    if card[0] == WILD:
        state.choosing = True
        if card == "WD":
            state.skipped, state.to_draw = True, 4
    elif card[1] == "S":
        state.skipped = True
    elif card[1] == "D":
        state.skipped, state.to_draw = True, 2
    elif card[1] == "R":
        state.direction = -state.direction
        state.skipped = len(state.hands) == 2
    return card


def choose_colour(state: UnoState, colour: str) -> None:
    """Set the colour of the wild card on top."""
    state.colour = colour
    state.choosing = False
    state.history.append((state.seat, "colour", colour))


def pass_turn(state: UnoState) -> None:
    """Record that the seat on turn passes: it has no card to play and none to draw."""
    state.passes += 1
    state.history.append((state.seat, "pass", None))


def can_play(state: UnoState) -> bool:
    """Whether the seat on turn holds a card that matches."""
    top, colour = state.discard[-1], state.colour
    return any(match(card, top, colour) for card in state.hands[state.seat])


def end_turn(state: UnoState) -> None:
    """End the game if a hand is empty, all have passed or the turn limit is reached; otherwise pass the turn to the
    next seat."""
    if not state.hands[state.seat]:
        state.ended, state.decided_by = WON, state.seat
    elif state.passes == len(state.hands):
        state.ended, state.decided_by = ALL_PASSED, lowest_seat(state)
    elif state.turn == state.max_turns:
        state.ended, state.decided_by = TURN_LIMIT, lowest_seat(state)
    else:
        state.turn += 1
        state.seat = (state.seat + state.direction) % len(state.hands)


def lowest_seat(state: UnoState) -> int:
    """Return the seat whose hand has the fewest points; the first one if there are several."""
    return min(range(len(state.hands)), key=lambda seat: hand_points(state.hands[seat]))
