"""Words that say why the bot's turn is wrong."""

from collections.abc import Sequence
from typing import Any

from tournament.games.api import CaseWords, IllegalPlay, MalformedPlay
from tournament.games.kotc.rules import check_play


def case_words(function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """Return words for the rule that the card breaks. `got` is a turn: the play and the cards drawn before it."""
    if function != "kotc_turn" or not (isinstance(got, tuple) and len(got) == 2 and type(got[1]) is int):
        return CaseWords()
    hand, discard, draw_pile, _ = args
    try:
        check_play(got[0], [*hand, *draw_pile[: max(got[1], 0)]], discard)
    except MalformedPlay:  # the judge has already explained this
        return CaseWords()
    except IllegalPlay as illegal:
        return CaseWords(why=illegal.message)
    return CaseWords()
