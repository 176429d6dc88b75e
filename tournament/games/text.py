"""Sentences about what a player returned and about who wins."""

from collections.abc import Callable, Sequence
from typing import Any

from sandbox.visible import LONGEST_VALUE, name, show
from sandbox.visible import count as count
from tournament.games.api import IllegalPlay, MalformedPlay
from tournament.games.cards import NOTATION

KINDS = {list: "a list", bool: "a boolean", float: "a float"}
"""Types whose values are easily mistaken for values of the expected type."""


def written(text: str) -> str:
    """Return a value as the player's own side wrote it. A single string, a number or a plain name in Python stays as it
    is; anything else is put in quotation marks, so that it cannot pass for Quadrille's own words."""
    inner = text[1:-1]
    is_text = len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in inner and "\\" not in inner
    is_number = text.isascii() and text.removeprefix("-").replace(".", "", 1).isdecimal()
    if len(text) <= LONGEST_VALUE and text.isprintable() and (is_text or is_number):
        return text
    return name(text)


def who_wins(places: Sequence[int]) -> str:
    """Say who has place 1: `Player 2 wins`, `Players 0 and 2 share the win`."""
    *others, last = [str(seat) for seat, place in enumerate(places) if place == 1]
    return f"Players {', '.join(others)} and {last} share the win" if others else f"Player {last} wins"


def returned(value: Any) -> str:
    """Return the end of a sentence about a value of the wrong shape: `you returned [5, '5S'], a list`."""
    if value is None:
        return "you returned None, which is what a function returns if it ends without a return statement"
    return f"you returned {_with_kind(value)}"


def gave(part: Any) -> str:
    """Return the end of a sentence about a part of what was returned: `you gave True, a boolean`."""
    return f"you gave {_with_kind(part)}"


def malformed(what: str, instead: str) -> MalformedPlay:
    """Return the error for a wrong shape: `what` was expected, and `instead` says what was returned or given."""
    return MalformedPlay(f"{what}; {instead}.")


def no_answers(title: str) -> Callable[[Any, int, str, Sequence[Any]], Any]:
    """Return the function `answer` for a game whose players cannot ask anything (see `tournament.games.api.Game`)."""

    def answer(state: Any, seat: int, name: str, args: Sequence[Any]) -> Any:
        raise IllegalPlay("no-questions", f"A player cannot ask for {show(name)} in {title}.")

    return answer


def no_card_of_group(value: Any) -> MalformedPlay:
    """Return the error for a value in a group of cards that is not a card."""
    if type(value) not in (list, tuple):
        return malformed(NOTATION, gave(value))
    return MalformedPlay(
        f"A group is nested one level too deep: {show(value)} is in the place of a card. A group is a list of cards."
    )


def _with_kind(value: Any) -> str:
    kind = KINDS.get(type(value))
    return f"{show(value)}, {kind}" if kind else show(value)
