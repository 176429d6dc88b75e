"""Comp10001-Go: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import house_bots
from tournament.games.go import bots as _bots  # imported now, so that a later import cannot replace `bots` below
from tournament.games.go.rules import (
    OPTIONS,
    apply,
    at_home,
    cards,
    choices,
    deal,
    decode,
    disqualify,
    guest,
    parse,
    redeal,
    requests,
    result,
)
from tournament.games.go.view import describe, frame
from tournament.games.text import no_answers

slug = name = "go"
title = "Comp10001-Go"
summary = "A variant of Sushi Go for four players, who discard ten cards simultaneously to make the best groups."
version = "1"
seats: tuple[int, ...] = (4,)
folder = files(__name__)
answer = no_answers(title)
options = OPTIONS
bots = house_bots(
    folder,
    random_card="Any card",
    pairs="Pairs",
    collector="Collector",
    planner="Planner",
)
