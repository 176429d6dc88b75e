"""Whether a game of Uno can come to a position, as its arguments tell it: its history leads to the rest."""

from collections import Counter
from typing import Any

from tournament.games.uno.pack import PACK
from tournament.games.uno.state import HAND, TURNS


def check_reachable(args: Any) -> None:
    """Fails unless the history leads to the sizes of the hands and of the draw pile, the top card and its colour."""
    player, hand, top, colour, left, sizes, history = args
    held, played, chosen = [HAND for _ in sizes], [], ""
    for seat, action, what in history:
        if action == "play":
            held[seat] -= 1
            played.append(what)
            chosen = what[0]
        elif action == "draw":
            held[seat] += what
        elif action == "colour":
            chosen = what
    assert sizes == held
    assert len(hand) == held[player]
    assert left == len(PACK) - 1 - sum(held) - len(played)
    assert left >= 0
    assert (top, colour) == (played[-1], chosen) if played else colour == top[0]
    assert not Counter([*hand, *(played or [top])]) - Counter(PACK)
    assert sum(action in ("play", "skip", "pass") for _, action, _ in history) < TURNS
