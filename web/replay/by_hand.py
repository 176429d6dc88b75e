"""A game by hand, ready to be shown: the table as the person's seat sees it, what the others did, and what is offered.

Nothing else of the record is shown while the game goes on: neither its seed nor anybody's hidden cards.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tournament.games.api import Composition, IllegalPlay, MalformedPlay, Offer, Offered, offers
from tournament.games.cards import COLOUR
from tournament.games.options import parse_name
from tournament.games.text import show
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.referee import conclude
from tournament.play.replay import Frame, unroll
from tournament.practice.hand_table import GIVEN_UP, PERSON, awaits, position
from tournament.store.tables import HandGame

LONGEST_VALUE = 1000
"""Characters of a value that a person types."""

ALL_SHOWN = 14
"""How many offers are shown at once; if there are more, only those of a group that is opened."""

NOT_A_VALUE = "This is not a value as Python writes it, such as '7H', 3, (1, None) or [['2C', '2H'], ['KD']]."


@dataclass(frozen=True, slots=True)
class OfferGroup:
    """Offers that stand together, each with its number."""

    title: str
    offers: Sequence[tuple[int, Offer]]


def view_of(row: HandGame) -> dict[str, Any]:
    """What the templates show of a game."""
    record, seat = Record.unpack(row.record), row.seat
    game = find_game(record.game)
    state = position(game, record)
    if record.faults and row.ended != GIVEN_UP:
        conclude(game, state, record.faults)
    offered = offers(game, state, seat) if row.on_turn else ()
    example = next((each for each in offered if isinstance(each, Offer) and not each.question), None)
    return {
        "number": sum(not isinstance(play, dict) for _, play in record.plays),
        "frame": Frame(len(record.plays), "", game.frame(state, seat)),
        "names": ["you" if label == PERSON else label for label in record.seats],
        "drawing": f"games/{parse_name(record.game).package}/replay.html",
        "table": game,
        "happened": _since_own_play(row, record),
        "groups": _groups(offered),
        "compositions": [(number, each) for number, each in enumerate(offered) if isinstance(each, Composition)],
        "is_face": COLOUR.__contains__,
        "all_shown": len(offered) <= ALL_SHOWN,
        "example": repr(example.play) if example else "",
        "on_turn": row.on_turn and awaits(game, state, seat),
        "can_take_back": row.practice and row.on_turn and any(who == seat for who, _ in record.plays),
        "won": record.ended and row.place == 1,
    }


def _since_own_play(row: HandGame, record: Record) -> list[str]:
    """What the others played since the person's last play; of an ended game nothing, since it has a replay."""
    if row.ended:
        return []
    captions: list[str] = []
    for frame in unroll(find_game(record.game), record, row.seat, wanted=()):
        if row.seat in frame.seats:
            captions = []
        if frame.seats and frame.seats != (row.seat,):
            captions.append(frame.caption)
    return captions[-30:]


def _groups(offered: Sequence[Offered]) -> list[OfferGroup]:
    numbered = [(number, each) for number, each in enumerate(offered) if isinstance(each, Offer)]
    return [OfferGroup(title, list(group)) for title, group in groupby(numbered, key=lambda pair: pair[1].group)]


def chosen(row: HandGame, form: Mapping[str, str]) -> Offer:
    """What the person has chosen or typed. Raises IllegalPlay."""
    if form.get("do") == "type":
        return Offer("", typed(form.get("value", "")))
    record = Record.unpack(row.record)
    game = find_game(record.game)
    offered = offers(game, position(game, record), row.seat)
    try:
        offer = offered[int(form.get("offer", ""))]
    except (ValueError, IndexError):
        raise MalformedPlay("Choose one of the plays that are offered.") from None
    return Offer("", _composed(offer, form)) if isinstance(offer, Composition) else offer


def _composed(offer: Composition, form: Mapping[str, str]) -> Any:
    """What a player would return for the cards as the form sorts them into parts."""
    parts: list[list[str]] = [[] for _ in offer.parts]
    for number, card in enumerate(offer.cards):
        part = form.get(f"card-{number}", "")
        if part in map(str, range(len(parts))):
            parts[int(part)].append(card)
    return offer.make(parts)


def typed(text: str) -> Any:
    """The value that somebody typed as Python writes it. Raises IllegalPlay."""
    if len(text) > LONGEST_VALUE:
        raise MalformedPlay(f"A play is not longer than {LONGEST_VALUE:,} characters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that it raises for other texts
        raise MalformedPlay(f"{NOT_A_VALUE} You typed {show(text)}.") from None


def refusal(error: IllegalPlay) -> dict[str, str]:
    """A refused play, for the template."""
    return {"message": error.message, "rule": error.rule}
