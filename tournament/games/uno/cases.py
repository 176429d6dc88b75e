"""Hidden cases of Q1–Q5, judged by the rules."""

from collections.abc import Iterator
from random import Random

from tournament.games.api import Case
from tournament.games.quotas import Candidate, Kind, by_quotas
from tournament.games.uno.pack import COLOURS, PACK, WILD, hand_points, match, most_frequent_colour
from tournament.games.uno.positions import UnoPosition, positions
from tournament.games.uno.rules import CHOOSE, DRAWN, PICK

MATCH_QUOTAS: dict[Kind, int] = {
    (True, "wild"): 100,
    (True, "colour"): 250,
    (True, "number"): 100,
    (True, "action"): 32,
    (True, "chosen colour"): 60,
    (False, "neither"): 350,
    (False, "chosen colour"): 100,
    (False, "draw 2 on wild draw 4"): 12,
    (False, "no colour yet"): 50,
}
POINTS_QUOTAS: dict[Kind, int] = {"empty": 1, "numbers": 250, "actions": 400, "wild": 400}
COLOUR_QUOTAS: dict[Kind, int] = {"no colour": 8, "one": 500, "tie": 500, "tie of more": 60}
PICK_QUOTAS: dict[Kind, int] = {
    "draw": 200,
    "one card, or draw": 200,
    "several cards, or draw": 250,
    "last card": 60,
    "no colour yet": 60,
    "one card, nothing to draw": 150,
    "several cards, nothing to draw": 200,
}
CHOOSE_QUOTAS: dict[Kind, int] = {"wild only": 10, "colours": 300}


@by_quotas(MATCH_QUOTAS)
def match_cases(rng: Random) -> Iterator[Candidate]:
    while True:
        card, top = rng.sample(PACK, 2)
        colour = rng.choice("RYGBW") if top[0] == WILD else top[0]
        expected = match(card, top, colour)
        yield _match_kind(card, top, colour, expected), Case((card, top, colour), expected)


def _match_kind(card: str, top: str, colour: str, expected: bool) -> Kind:
    if card[0] == WILD:
        return expected, "wild"
    if top[0] == WILD:
        if colour == WILD:
            return expected, "no colour yet"
        if not expected and card[1] == top[1]:
            return expected, "draw 2 on wild draw 4"
        return expected, "chosen colour"
    if not expected:
        return expected, "neither"
    if card[0] == colour:
        return expected, "colour"
    return expected, "number" if card[1].isdigit() else "action"


@by_quotas(POINTS_QUOTAS)
def points_cases(rng: Random) -> Iterator[Candidate]:
    for hand in _hands(rng):
        yield _points_kind(hand), Case((hand,), hand_points(hand))


@by_quotas(COLOUR_QUOTAS)
def colour_cases(rng: Random) -> Iterator[Candidate]:
    for hand in _hands(rng):
        yield _colour_kind(hand), Case((hand,), most_frequent_colour(hand))


def _hands(rng: Random) -> Iterator[list[str]]:
    """Yield hands of any size. Many have few colours, so that ties and hands with only wild cards are frequent."""
    yield []
    while True:
        colours = rng.sample("RYGBW", rng.randrange(1, 6))
        some = [card for card in PACK if card[0] in colours]
        yield rng.sample(some, rng.randrange(1, min(16, len(some)) + 1))


def _points_kind(hand: list[str]) -> Kind:
    if not hand:
        return "empty"
    if any(card[0] == WILD for card in hand):
        return "wild"
    return "actions" if any(card[1] in "SRD" for card in hand) else "numbers"


def _colour_kind(hand: list[str]) -> Kind:
    counts = [sum(card[0] == colour for card in hand) for colour in COLOURS]
    if not any(counts):
        return "no colour"
    return {1: "one", 2: "tie"}.get(counts.count(max(counts)), "tie of more")


@by_quotas(PICK_QUOTAS)
def pick_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q4. Each case expects one of its legal answers."""
    for function, position in positions(rng):
        if function == PICK:
            picks = position.picks()
            kind = _pick_kind(position, picks)
            yield kind, Case(tuple(position), picks, kind)


def _pick_kind(position: UnoPosition, picks: tuple[int, ...]) -> str:
    if picks == (DRAWN,):
        return "draw"
    if position.colour == WILD:
        return "no colour yet"
    if len(position.hand) == 1:
        return "last card"
    cards = "one card" if len(picks) - (DRAWN in picks) == 1 else "several cards"
    return f"{cards}, or draw" if DRAWN in picks else f"{cards}, nothing to draw"


@by_quotas(CHOOSE_QUOTAS)
def choose_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q5; each case expects one of the four colours."""
    for function, position in positions(rng):
        if function == CHOOSE:
            kind = "wild only" if all(card[0] == WILD for card in position.hand) else "colours"
            yield kind, Case(tuple(position), tuple(COLOURS))
