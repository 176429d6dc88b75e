"""Why a play is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence
from typing import Any

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, symbol
from tournament.games.text import show

RING = "234567890JQK"
VALUE_NAMES = {"0": "10", "J": "Jack", "Q": "Queen", "K": "King"}


def no_build_pile(number: int) -> IllegalPlay:
    return _no_such_pile(f"build pile {show(number)}")


def no_discard_pile(owner: int, number: int) -> IllegalPlay:
    return _no_such_pile(_discard(owner, number))


def not_held(card: str, hand: Sequence[str]) -> IllegalPlay:
    held = f"your hand is {', '.join(map(_named, hand))}" if hand else "your hand is empty"
    return IllegalPlay("not-held", f"You do not hold {_named(card)}: {held}.")


def not_top_of_stockpile(card: str, top: str) -> IllegalPlay:
    return IllegalPlay("not-top", f"{_named(card)} is not the top card of your stockpile, which is {_named(top)}.")


def not_top_of_discard(card: str, owner: int, number: int, pile: Sequence[str]) -> IllegalPlay:
    where = _discard(owner, number)
    if not pile:
        return IllegalPlay("not-top", f"You cannot take {_named(card)}: {where} is empty.")
    return IllegalPlay("not-top", f"{_named(card)} is not the top card of {where}, which is {_named(pile[-1])}.")


def same_pile(card: str, owner: int, number: int) -> IllegalPlay:
    where = _discard(owner, number)
    return IllegalPlay("same-pile", f"You took {_named(card)} from {where}: it must go to another pile.")


def could_play(play: Any) -> IllegalPlay:
    return IllegalPlay("could-play", f"You said that no play is possible, but there is one, for example {play}.")


def not_on_build(card: str, number: int, pile: Sequence[str]) -> IllegalPlay:
    if not pile:
        where = f"build pile {number}, which is empty"
        return IllegalPlay("build-start", f"{_named(card)} cannot start {where}: only a 2 or a King can.")
    top = pile[-1]
    onto = f"{_named(card)} cannot go on {_named(top)} on build pile {number}"
    fitting = f"only a {COLOUR[top]} {_either(*_neighbours(top, around=False), 'Ace')} can"
    if COLOUR[card] != COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: this pile is {COLOUR[top]}, so {fitting}.")
    ends = ". A build pile does not go round from King to 2" if {card[0], top[0]} == {"2", "K"} else ""
    return IllegalPlay("adjacent", f"{onto}: {fitting}{ends}.")


def not_on_discard(card: str, seat: int, owner: int, number: int, pile: Sequence[str]) -> IllegalPlay:
    where = _discard(owner, number)
    if card[0] == "A":
        return IllegalPlay("ace-on-discard", f"{_named(card)} cannot go on {where}: Aces are never discarded.")
    if not pile:
        return _not_starting(f"{_named(card)} cannot start {where}, which is empty", seat, owner)
    onto = f"{_named(card)} cannot go on {_named(pile[-1])} on {where}"
    top = pile[-1]
    other = "red" if COLOUR[top] == "black" else "black"
    fitting = f"only a {other} {_either(*_neighbours(top, around=True))} can, unless the card is from your hand"
    if COLOUR[card] == COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: both are {COLOUR[top]}, and {fitting}.")
    return IllegalPlay("adjacent", f"{onto}: {fitting}.")


def _not_starting(start: str, seat: int, owner: int) -> IllegalPlay:
    if seat != owner:
        return IllegalPlay("other-empty-discard", f"{start}: only player {owner} can start it.")
    return IllegalPlay("start-from-hand", f"{start}: only a card from the hand can.")


def _neighbours(card: str, around: bool) -> list[str]:
    """The values one lower and one higher; a 2 and a King are neighbours only if values go round."""
    place = RING.index(card[0])
    near = [RING[place - 1] if place or around else "", RING[(place + 1) % len(RING)] if place < 11 or around else ""]
    return [VALUE_NAMES.get(value, value) for value in near if value]


def _either(*names: str) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _no_such_pile(name: str) -> IllegalPlay:
    return IllegalPlay("no-such-pile", f"There is no {name}: players and piles are numbered 0 to 3.")


def _discard(owner: int, number: int) -> str:
    return f"discard pile {show(number)} of player {show(owner)}"


def _named(card: str) -> str:
    return f"'{card}' ({symbol(card)})"
