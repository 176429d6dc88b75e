"""Uno: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import Guest, house_bots
from tournament.games.uno.questions import QUESTIONS
from tournament.games.uno.rules import (
    CHOOSE,
    PICK,
    answer,
    apply,
    cards,
    decode,
    disqualify,
    parse,
    redeal,
    requests,
    result,
)
from tournament.games.uno.state import deal
from tournament.games.uno.view import describe, frame

__all__ = [
    "answer",
    "apply",
    "bots",
    "cards",
    "deal",
    "decode",
    "describe",
    "disqualify",
    "folder",
    "frame",
    "guest",
    "parse",
    "questions",
    "redeal",
    "requests",
    "result",
    "seats",
    "slug",
    "summary",
    "title",
    "version",
]

slug = "uno"
title = "Uno"
summary = "For two to five: match the colour, the number or the action, and be the first to empty your hand."
version = "1"
seats: tuple[int, ...] = (4, 2, 3, 5)
folder = files(__name__)
guest = Guest({PICK: (7,), CHOOSE: (7,)})
questions = QUESTIONS
bots = house_bots(
    folder,
    random_legal="Any legal play",
    first_match="First match",
    wild_last="Wild cards last",
    watcher="Watcher",
)
