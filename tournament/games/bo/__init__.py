"""Comp10001-Bo: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import house_bots
from tournament.games.bo import bots as _bots  # imported now, so that a later import cannot replace `bots` below
from tournament.games.bo.rules import (
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
from tournament.games.bo.state import OPTIONS, deal
from tournament.games.bo.view import describe, frame
from tournament.games.text import no_answers

slug = name = "bo"
title = "Comp10001-Bo"
summary = "A variant of Skip-Bo for four: be the first to empty your stockpile onto the piles in the middle."
version = "1"
seats: tuple[int, ...] = (4,)
folder = files(__name__)
answer = no_answers(title)
options = OPTIONS
bots = house_bots(
    folder,
    random_legal="Any legal play",
    builder="Builder",
    stockpile_first="Stockpile first",
    planner="Planner",
)
