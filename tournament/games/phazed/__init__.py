"""Phazed: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import house_bots
from tournament.games.phazed import bots as _bots  # imported now, so that a later import cannot replace `bots` below
from tournament.games.phazed.rules import (
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
from tournament.games.phazed.state import OPTIONS, deal
from tournament.games.phazed.view import describe, frame
from tournament.games.text import no_answers

slug = name = "phazed"
title = "Phazed"
summary = "A rummy game for four in up to twenty hands: complete seven phases first, with few points left in hand."
version = "2"
seats: tuple[int, ...] = (4,)
folder = files(__name__)
answer = no_answers(title)
options = OPTIONS
bots = house_bots(
    folder,
    random_legal="Any legal play",
    novice="Novice",
    matcher="Matcher",
    collector="Collector",
    planner="Planner",
)
