"""Questions Q1 and Q2: one turn of the player's bot in a given position, judged by the rules.

The student does not write the function that is called: `kotc.py` makes it from the class. It takes the hand, the top
card, the draw pile (its first card is drawn first) and the hand sizes of the others, and returns what the bot plays and
how many cards it drew before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tournament.games.api import Question, example_texts
from tournament.games.cards import PACK, symbol
from tournament.games.judges import OneOf
from tournament.games.kotc.cases import legal_cases, playing_cases
from tournament.games.text import show, written

TURN = "kotc_turn"


@dataclass(frozen=True, slots=True)
class AnyTurn(OneOf):
    """The expected value holds every right (play, cards drawn); the answer must be one of them."""

    def explain(self, expected: Sequence[Any], got: Any) -> str:
        """What would have been right after that many draws."""
        play, drawn = got if type(got) is tuple and len(got) == 2 else (got, 0)
        right = [each for each, draws in expected if draws == drawn and type(drawn) is int]
        after = "" if drawn == 0 else f" after drawing {show(drawn)}"
        if type(play) is str and play not in PACK:
            return f"The bot returned {written(play)}, which is not a Card."
        skips = "skipped the turn (None)" if play is None else f"returned {_shown(play)}"
        if not right:
            return f"The bot {skips}{after}, which is not a turn of this game."
        answers = f"only {_shown(right[0])}" if len(right) == 1 else f"any of {', '.join(map(_shown, right))}"
        return f"The bot {skips}{after}; {answers} is right."


def _shown(play: Any) -> str:
    """A card as Python writes it and as it looks, `'0H' (10♥)`; anything else as Python writes it."""
    if play is None:
        return "None (to skip)"
    return f"{show(play)} ({symbol(play)})" if type(play) is str and play in PACK else show(play)


EXAMPLES = example_texts("tournament.games.kotc")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Legal turns",
        function=TURN,
        arities=(4,),
        examples=EXAMPLES["legal"],
        hidden=legal_cases,
        accepts=AnyTurn(),
        call_s=4.0,
        method="KOTCBot.play",
    ),
    Question(
        slug="q2",
        title="Playing whenever it can",
        function=TURN,
        arities=(4,),
        examples=EXAMPLES["playing"],
        hidden=playing_cases,
        accepts=AnyTurn(),
        call_s=4.0,
        method="KOTCBot.play",
        qualifies=False,
    ),
)
