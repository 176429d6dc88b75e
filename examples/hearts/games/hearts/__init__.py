"""Hearts: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import house_bots
from tournament.games.text import no_answers

from .offers import choices
from .rules import apply, cards, deal, decode, disqualify, guest, options, parse, redeal, requests, result
from .view import describe, frame

slug = name = "hearts"
title = "Hearts"
summary = "For four: take no hearts and not the queen of spades, or take them all."
version = "1"
seats: tuple[int, ...] = (4,)
folder = files(__name__)
answer = no_answers(title)
bots = house_bots(
    folder,
    random_legal="Any legal card",
    low_cards="Low cards",
    ducker="Ducker",
    counter="Counter",
)
