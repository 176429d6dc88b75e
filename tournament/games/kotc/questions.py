"""Questions Q1 and Q2: one turn of the player's bot in a given position, judged by the rules.

The student does not write the function that is called: `kotc.py` makes it from the class. It takes the hand, the top
card, the draw pile (its first card is drawn first) and the hand sizes of the others, and returns what the bot plays and
how many cards it drew before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tournament.games.api import Question, example_texts
from tournament.games.judges import OneOf
from tournament.games.kotc.cases import legal_cases, playing_cases
from tournament.games.kotc.turns import judged

TURN = "kotc_turn"


@dataclass(frozen=True, slots=True)
class AnyTurn(OneOf):
    """The expected value holds every right (play, cards drawn); the answer must be one of them."""

    def explain(self, expected: Sequence[Any], got: Any) -> str:
        """What would have been right after that many draws."""
        return str(judged(expected, got))


EXAMPLES = example_texts("tournament.games.kotc")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Legal turns",
        function=TURN,
        arities=(4,),
        examples=EXAMPLES["q1"],
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
        examples=EXAMPLES["q2"],
        hidden=playing_cases,
        accepts=AnyTurn(),
        call_s=4.0,
        method="KOTCBot.play",
        qualifies=False,
    ),
)
