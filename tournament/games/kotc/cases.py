"""The hidden cases: positions of every kind, each with all legal turns."""

from collections.abc import Iterator
from random import Random

from tournament.games.api import Case
from tournament.games.kotc.positions import positions
from tournament.games.kotc.state import KotcPosition, playable
from tournament.games.quotas import Candidate, by_quotas

_QUOTAS = {
    "only an Eight": 120,
    "one card fits": 220,
    "only the rank fits": 120,
    "on an Eight": 150,
    "last card": 60,
    "many cards": 80,
    "several cards fit": 350,
}


@by_quotas(_QUOTAS)
def legal_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases with positions in which the bot may also skip the turn."""
    return _position_cases(rng, may_skip=True)


@by_quotas(_QUOTAS)
def playing_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases with positions in which the bot must play a card."""
    return _position_cases(rng, may_skip=False)


def _position_cases(rng: Random, may_skip: bool) -> Iterator[Candidate]:
    for position in positions(rng):
        kind = _kind_of_position(position)
        yield kind, Case(tuple(position), position.turns(may_skip), kind)


def _kind_of_position(position: KotcPosition) -> str:
    fitting = [card for card in playable(position.hand, position.discard) if card[0] != "8"]
    if len(position.hand) == 1:
        return "last card"
    if not fitting:
        return "only an Eight"
    if len(position.hand) > 15:
        return "many cards"
    if position.discard[0] == "8":
        return "on an Eight"
    if len(fitting) == 1:
        return "one card fits"
    return "several cards fit" if any(card[1] == position.discard[1] for card in fitting) else "only the rank fits"
