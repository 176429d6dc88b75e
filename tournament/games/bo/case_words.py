"""Words that say what cases of Q1 and Q2 are about."""

from collections.abc import Sequence
from typing import Any

from tournament.games.api import CaseWords
from tournament.games.cards import symbol


def case_words(function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """Return words for the card and the pile of the case."""
    match function, args:
        case "comp10001bo_match_build", [card, pile]:
            return CaseWords(f"{symbol(card)} onto {_pile('a build pile', pile)}")
        case "comp10001bo_match_discard", [card, pile, player, owner, *from_hand]:
            whose = "their own discard pile" if player == owner else "another player's discard pile"
            where = " from the hand" if not from_hand or from_hand[0] else ""
            return CaseWords(f"{symbol(card)}{where} onto {_pile(whose, pile)}")
    return CaseWords()


def _pile(name: str, pile: Sequence[str]) -> str:
    return f"{name} with {symbol(pile[-1])} on top" if pile else f"{name} that is empty"
