"""The table of a game of King of the Cards and the steps of a turn.

Source: seed 002_9b6d95301150c1c5, "How to Play"; RULES.md, "King of the Cards", settles what the seed leaves open.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tournament.games.api import Option
from tournament.games.cards import PACK

SEATS = range(2, 5)
HAND = 8
PACKS = 1
IDLE_TURNS = 200
TURNS = 2000

OPTIONS: tuple[Option, ...] = (
    Option("hand_size", "Cards dealt to each player", HAND, 1, 12),
    Option("packs", "Packs of 52 cards", PACKS, 1, 4),
    Option("turn_limit", "Maximum turns for all players together", TURNS, 10, TURNS),
)

WON, STALLED, TURN_LIMIT, DISQUALIFIED = "won", "stalled", "turn limit", "disqualified"

FOLLOWS = {top: frozenset(card for card in PACK if card[0] in ("8", top[0]) or card[1] == top[1]) for top in PACK}
"""What may be played on each top card: cards of its rank or its suit, and every Eight."""


class KotcPosition(NamedTuple):
    """The arguments of `kotc_turn`."""

    hand: list[str]
    discard: str
    draw_pile: list[str]
    hand_sizes: list[int]

    def turns(self, may_skip: bool) -> tuple[tuple[str | None, int], ...]:
        """Return every legal turn, as (play, cards drawn before it)."""
        return tuple(
            (play, drawn)
            for drawn in range(len(self.draw_pile) + 1)
            for play in (*playable(self.hand + self.draw_pile[:drawn], self.discard), *((None,) if may_skip else ()))
        )


def playable(hand: list[str], discard: str) -> list[str]:
    """Return every legal play except skipping: cards in the order of the hand, then Eights. One Eight stands for four
    plays, one in each suit."""
    fitting = [card for card in hand if card in FOLLOWS[discard] and card[0] != "8"]
    return fitting + ["8" + suit for suit in "SHDC" if any(card[0] == "8" for card in hand)]


@dataclass(slots=True)
class KotcState:
    """The last card of `draw` is drawn next. The last card of `discard` is the top card, and `top` is that card as it
    counts: an Eight has the declared suit. `turn` counts all turns from 1 and `idle` the turns since a card was last
    played. `events` holds what happened in the last step, `asked` what happens while the seat on turn is thinking. Each
    event is (seat, action, what): `play` with a card, `skip` None, `draw`, `must draw` and `shuffle` a number of cards,
    `pass` None, `deal` the number of the deal. `fresh` is how many cards at the end of each hand are new. For the
    options see OPTIONS."""

    rng: Random
    draw: list[str]
    hands: tuple[list[str], ...]
    discard: list[str]
    top: str
    seat: int = 0
    turn: int = 1
    idle: int = 0
    deals: int = 1
    events: list[tuple[int, str, Any]] = field(default_factory=list)
    asked: list[tuple[int, str, Any]] = field(default_factory=list)
    fresh: list[int] = field(default_factory=lambda: [0 for _ in range(max(SEATS))])
    ended: str | None = None
    decided_by: int | None = None  # the seat that won or was disqualified
    hand_size: int = HAND
    packs: int = PACKS
    turn_limit: int = TURNS


def deal(rng: Random, seats: int, hand_size: int = HAND, packs: int = PACKS, turn_limit: int = TURNS) -> KotcState:
    """Shuffle and deal the pack, then draw until seat 0 can play."""
    if seats not in SEATS:
        raise ValueError(f"King of the Cards is for two to four players, not {seats}.")
    hands: tuple[list[str], ...] = tuple([] for _ in range(seats))
    state = KotcState(rng, [], hands, [], "", hand_size=hand_size, packs=packs, turn_limit=turn_limit)
    deal_hands(state)
    draw_until_playable(state)
    return state


def deal_hands(state: KotcState) -> None:
    """Deal eight cards to each seat and one to begin the discard pile; the rest are the draw pile."""
    pack = list(PACK) * state.packs
    state.rng.shuffle(pack)
    for hand in state.hands:
        hand[:] = [pack.pop() for _ in range(state.hand_size)]
    state.discard = [pack.pop()]
    state.top = state.discard[0]
    state.draw = pack
    state.idle = 0
    state.fresh = [0 for _ in state.hands]


def can_play(state: KotcState) -> bool:
    """Whether the seat on turn holds a card that fits."""
    return not FOLLOWS[state.top].isdisjoint(state.hands[state.seat])


def draw_until_playable(state: KotcState) -> bool:
    """Draw cards for the seat on turn until one fits; return False if there are not enough cards."""
    drawn = 0
    while not can_play(state):
        if draw_card(state, state.events) is None:
            break
        drawn += 1
    if drawn:
        state.events.append((state.seat, "must draw", drawn))
    return can_play(state)


def draw_card(state: KotcState, events: list[tuple[int, str, Any]]) -> str | None:
    """Move a card from the draw pile to the hand of the seat on turn and return it; None if there is none. An empty
    draw pile is first refilled with the discards under the top card."""
    if not state.draw:
        state.draw = state.discard[:-1]
        del state.discard[:-1]
        state.rng.shuffle(state.draw)
        if not state.draw:
            return None
        events.append((state.seat, "shuffle", len(state.draw)))
    card = state.draw.pop()
    state.hands[state.seat].append(card)
    state.fresh[state.seat] += 1
    return card


def play_card(state: KotcState, card: str) -> None:
    """Put a card of the seat on turn on the discard pile. An Eight counts with the suit of `card`; if the hand lacks
    that Eight, its first Eight is played."""
    seat, hand = state.seat, state.hands[state.seat]
    try:
        index = hand.index(card)
    except ValueError:
        index = next(index for index, held in enumerate(hand) if held[0] == "8")
    if index >= len(hand) - state.fresh[seat]:
        state.fresh[seat] -= 1
    state.discard.append(hand.pop(index))
    state.top = card
    state.idle = 0
    state.events.append((seat, "play", card))


def next_turn(state: KotcState) -> None:
    """Pass the turn on, and carry out what follows without a choice: draws, passed turns, a new deal, the end."""
    while True:
        state.turn += 1
        state.seat = (state.seat + 1) % len(state.hands)
        if state.idle >= IDLE_TURNS:
            _settle_stalled(state)
        if state.turn > state.turn_limit and state.ended is None:
            state.ended, state.decided_by = TURN_LIMIT, fewer_cards(state)
        if state.ended or draw_until_playable(state):
            return
        state.events.append((state.seat, "pass", None))
        state.idle += 1


def _settle_stalled(state: KotcState) -> None:
    """Settle a game in which nobody has played a card for 200 turns: the seat with the fewest cards wins; if several
    seats have the fewest, there is a new deal."""
    seat = fewer_cards(state)
    if seat is not None:
        state.ended, state.decided_by = STALLED, seat
        return
    state.deals += 1
    deal_hands(state)
    state.events.append((state.seat, "deal", state.deals))


def fewer_cards(state: KotcState) -> int | None:
    """Return the seat with fewer cards than every other seat, or None if several have the fewest."""
    sizes = [len(hand) for hand in state.hands]
    return None if sizes.count(min(sizes)) > 1 else sizes.index(min(sizes))
