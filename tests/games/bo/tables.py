"""Tables for the tests, written in short: cards apart by spaces, piles by their number."""

from collections.abc import Mapping
from random import Random

from tournament.games.bo.state import BoState

FULL_STOCKPILE = "3H 4H 5H 6H 7H 8H 9H"


def table(
    hand: str = "",
    *,
    seat: int = 0,
    tops: str = "9C 0D 3H KD",
    left: int = 8,
    discards: Mapping[tuple[int, int], str] | None = None,
    builds: Mapping[int, str] | None = None,
    draw: str = "",
    plays: int = 0,
) -> BoState:
    """A game in its first round with `seat` on turn, holding `hand`; the others hold nothing.

    `tops` are the top cards of the stockpiles and `left` their sizes; `plays` were made in this turn.
    """
    state = BoState(Random(0), draw.split(), turn=seat, plays=plays)
    state.hands[seat].extend(hand.split())
    for stockpile, top in zip(state.stockpiles, tops.split(), strict=True):
        stockpile.extend([*FULL_STOCKPILE.split()[: left - 1], top])
    for (owner, number), pile in (discards or {}).items():
        state.discards[owner][number].extend(pile.split())
    for number, pile in (builds or {}).items():
        state.builds[number].extend(pile.split())
    return state
