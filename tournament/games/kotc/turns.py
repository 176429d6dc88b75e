"""What a student is told about one turn of the bot in a given position."""

from collections.abc import Sequence
from typing import Any

from tournament.games.cards import PACK, symbol
from tournament.games.judges import key
from tournament.games.text import show, written


def judged(right: Sequence[tuple[str | None, int]], got: Any) -> bool | str:
    """True if a turn, (play, cards drawn before it), is among those that are right; otherwise the reason: what would
    have been right after that many draws."""
    if key(got) in map(key, right):
        return True
    play, drawn = got if type(got) is tuple and len(got) == 2 else (got, 0)
    plays = [each for each, draws in right if draws == drawn and type(drawn) is int]
    after = "" if drawn == 0 else f" after drawing {show(drawn)}"
    if type(play) is str and play not in PACK:
        return f"The bot returned {written(play)}, which is not a Card."
    skips = "skipped the turn (None)" if play is None else f"returned {_shown(play)}"
    if not plays:
        return f"The bot {skips}{after}, which is not a turn of this game."
    answers = f"only {_shown(plays[0])}" if len(plays) == 1 else f"any of {', '.join(map(_shown, plays))}"
    return f"The bot {skips}{after}; {answers} is right."


def _shown(play: Any) -> str:
    """A card as Python writes it and as it looks, `'0H' (10♥)`; anything else as Python writes it."""
    if play is None:
        return "None (to skip)"
    return f"{show(play)} ({symbol(play)})" if type(play) is str and play in PACK else show(play)
