"""New Game: the module itself is the game. See `tournament.games.api.Game` for what each name must do."""

from importlib.resources import files

from tournament.games.api import Option, house_bots
from tournament.games.text import no_answers

from .rules import apply, cards, choices, deal, decode, disqualify, guest, parse, redeal, requests, result
from .view import describe, frame

slug = name = "newgame"
title = "New Game"
summary = "Three tricks for two: the higher card takes the trick."
version = "1"
seats: tuple[int, ...] = (2,)
folder = files(__name__)
options: tuple[Option, ...] = (Option("tricks", "Tricks needed to win", default=2, minimum=1, maximum=13),)
answer = no_answers(title)
bots = house_bots(folder, lowest="Lowest", first="First", highest="Highest", thrifty="Thrifty")
