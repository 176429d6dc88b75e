"""What a student is told about one turn of the bot in a given position.

It also runs on students' own computers (`Guest.judge`), so it needs nothing but the standard library of Python 3.9.
"""

import re
from collections.abc import Sequence
from typing import Any

_SYMBOLS = {"0": "10", "S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_CARD = re.compile("[A234567890JQK][SHDC]")
_VALUE = re.compile(r"""'[^'\\]*'|"[^"\\]*"|-?[0-9]+(\.[0-9]+)?|[A-Za-z_][\w.]*""")
_LONGEST = 120


def judged(right: Sequence[tuple[str | None, int]], got: Any) -> bool | str:
    """Return True if `got` is one of the right turns, each (play, cards drawn before it); otherwise the reason, which
    says what would have been right after that many draws."""
    if repr(got) in map(repr, right):
        return True
    play, drawn = got if type(got) is tuple and len(got) == 2 else (got, 0)
    plays = [each for each, draws in right if draws == drawn and type(drawn) is int]
    after = "" if drawn == 0 else f" after drawing {_cut(repr(drawn))}"
    if type(play) is str and not _CARD.fullmatch(play):
        return f"The bot returned {_as_written(play)}, which is not a Card."
    skips = "skipped the turn (None)" if play is None else f"returned {_drawn_card(play)}"
    if not plays:
        return f"The bot {skips}{after}, which is not a turn of this game."
    answers = "the right answer is" if len(plays) == 1 else "the right answers are"
    return f"The bot {skips}{after}; {answers} {', '.join(map(_drawn_card, plays))}."


def _drawn_card(play: Any) -> str:
    """Return a card as Python writes it, followed by how it looks: `'0H' (10♥)`; or anything else as Python writes
    it."""
    if play is None:
        return "None (to skip)"
    is_card = type(play) is str and _CARD.fullmatch(play)
    return f"{play!r} ({''.join(_SYMBOLS.get(each, each) for each in play)})" if is_card else _cut(repr(play))


def _as_written(text: str) -> str:
    """Return a value as the player's own side wrote it, in quotation marks unless it is clearly a value, since it could
    be taken for Quadrille's own words."""
    plain = text.isprintable() and len(text) <= _LONGEST and _VALUE.fullmatch(text)
    return text if plain else _cut(repr(text))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
