"""Why a play is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, code
from tournament.games.text import show

RING = "234567890JQK"
VALUE_NAMES = {"0": "10", "J": "Jack", "Q": "Queen", "K": "King"}


def no_such_pile(name: str) -> IllegalPlay:
    return IllegalPlay("no-such-pile", f"There is no {name}: players and piles are numbered 0 to 3.")


def discard_pile(place: tuple[int, int]) -> str:
    owner, number = place
    return f"discard pile {show(number)} of player {show(owner)}"


def not_held(card: str, hand: Sequence[str]) -> IllegalPlay:
    held = f"your hand is {', '.join(map(code, hand))}" if hand else "your hand is empty"
    return IllegalPlay("not-held", f"You do not hold {code(card)}: {held}.")


def not_top_of_discard(card: str, place: tuple[int, int], pile: Sequence[str]) -> IllegalPlay:
    where = discard_pile(place)
    if not pile:
        return IllegalPlay("not-top", f"You cannot take {code(card)}: {where} is empty.")
    return IllegalPlay("not-top", f"{code(card)} is not the top card of {where}, which is {code(pile[-1])}.")


def not_on_build(card: str, number: int, pile: Sequence[str]) -> IllegalPlay:
    if not pile:
        where = f"build pile {number}, which is empty"
        return IllegalPlay("build-start", f"{code(card)} cannot start {where}: only a 2 or a King can.")
    top = pile[-1]
    onto = f"{code(card)} cannot go on {code(top)} on build pile {number}"
    fitting = f"only a {COLOUR[top]} {_either(*_neighbours(top, around=False), 'Ace')} can"
    if COLOUR[card] != COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: this pile is {COLOUR[top]}, so {fitting}.")
    ends = ". A build pile does not wrap round from King to 2" if {card[0], top[0]} == {"2", "K"} else ""
    return IllegalPlay("adjacent", f"{onto}: {fitting}{ends}.")


def not_on_discard(card: str, seat: int, place: tuple[int, int], pile: Sequence[str]) -> IllegalPlay:
    where = discard_pile(place)
    if card[0] == "A":
        return IllegalPlay("ace-on-discard", f"{code(card)} cannot go on {where}: Aces are never discarded.")
    if not pile:
        start = f"{code(card)} cannot start {where}, which is empty"
        if seat != place[0]:
            return IllegalPlay("other-empty-discard", f"{start}: only player {place[0]} can start it.")
        return IllegalPlay("start-from-hand", f"{start}: only a card from the hand can.")
    onto = f"{code(card)} cannot go on {code(pile[-1])} on {where}"
    top = pile[-1]
    other = "red" if COLOUR[top] == "black" else "black"
    fitting = f"only a {other} {_either(*_neighbours(top, around=True))} can, unless the card is from your hand"
    if COLOUR[card] == COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: both are {COLOUR[top]}, and {fitting}.")
    return IllegalPlay("adjacent", f"{onto}: {fitting}.")


def _neighbours(card: str, around: bool) -> list[str]:
    """The values one lower and one higher; a 2 and a King are neighbours only if values wrap round."""
    place = RING.index(card[0])
    lower = RING[place - 1] if place or around else ""
    higher = RING[(place + 1) % len(RING)] if place < 11 or around else ""
    return [VALUE_NAMES.get(value, value) for value in (lower, higher) if value]


def _either(*names: str) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
