"""Uno: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import house_bots
from tournament.games.text import no_answers
from tournament.games.uno import bots as _bots  # imported now, so that a later import cannot replace `bots` below
from tournament.games.uno.rules import (
    apply,
    at_home,
    cards,
    choices,
    decode,
    disqualify,
    guest,
    parse,
    redeal,
    requests,
    result,
)
from tournament.games.uno.state import OPTIONS, deal
from tournament.games.uno.view import describe, frame

slug = name = "uno"
title = "Uno"
summary = "For two to five players: match the colour, the number or the action, and be the first to empty your hand."
version = "1"
seats: tuple[int, ...] = (4, 2, 3, 5)
folder = files(__name__)
answer = no_answers(title)
options = OPTIONS
bots = house_bots(
    folder,
    random_legal="Any legal play",
    first_match="First match",
    wild_last="Wild cards last",
    watcher="Watcher",
)
