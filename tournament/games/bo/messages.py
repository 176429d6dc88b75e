"""Why a play is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence
from typing import Any

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, symbol
from tournament.games.text import show


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
    if COLOUR[card] != COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: the cards of a build pile are all {COLOUR[top]}.")
    return IllegalPlay("adjacent", f"{onto}: only an Ace or a card one higher or one lower can.")


def not_on_discard(card: str, seat: int, owner: int, number: int, pile: Sequence[str]) -> IllegalPlay:
    where = _discard(owner, number)
    if card[0] == "A":
        return IllegalPlay("ace-on-discard", f"{_named(card)} cannot go on {where}: Aces are never discarded.")
    if not pile:
        return _not_starting(f"{_named(card)} cannot start {where}, which is empty", seat, owner)
    onto = f"{_named(card)} cannot go on {_named(pile[-1])} on {where}"
    if COLOUR[card] == COLOUR[pile[-1]]:
        return IllegalPlay("colour", f"{onto}: red and black alternate, unless the card is from your hand.")
    return IllegalPlay("adjacent", f"{onto}: the values must be neighbours, unless the card is from your hand.")


def _not_starting(start: str, seat: int, owner: int) -> IllegalPlay:
    if seat != owner:
        return IllegalPlay("other-empty-discard", f"{start}: only player {owner} can start it.")
    return IllegalPlay("start-from-hand", f"{start}: only a card from the hand can.")


def _no_such_pile(name: str) -> IllegalPlay:
    return IllegalPlay("no-such-pile", f"There is no {name}: players and piles are numbered 0 to 3.")


def _discard(owner: int, number: int) -> str:
    return f"discard pile {show(number)} of player {show(owner)}"


def _named(card: str) -> str:
    return f"'{card}' ({symbol(card)})"
