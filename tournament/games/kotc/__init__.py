"""King of the Cards: the module itself is the game (see `tournament.games.api.Game`)."""

from importlib.resources import files

from tournament.games.api import AtHome, Guest, house_bots
from tournament.games.kotc.rules import (
    PLAY,
    answer,
    apply,
    call_at_home,
    cards,
    check_at_home,
    choices,
    decode,
    disqualify,
    parse,
    redeal,
    requests,
    result,
)
from tournament.games.kotc.state import OPTIONS, deal
from tournament.games.kotc.view import describe, frame

slug = name = "kotc"
title = "King of the Cards"
summary = "For two players: crazy eights between bots that are written as classes; the first to empty their hand wins."
version = "1"
seats: tuple[int, ...] = (2, 3, 4)
folder = files(__name__)
guest = Guest(
    {PLAY: (2,)},
    {"kotc": (folder / "kotc.py").read_text(encoding="utf-8")},
    "kotc_play, kotc_turn = __import__('kotc').functions(globals())",
    (folder / "turns.py").read_text(encoding="utf-8"),
    typed=dict.fromkeys((PLAY, "kotc_turn"), "kotc.turn({KOTCBot}, "),
)
at_home = AtHome(check_at_home, call_at_home, (folder / "home_helpers.txt").read_text(encoding="utf-8"), ("kotc_turn",))
options = OPTIONS
bots = house_bots(
    folder,
    random_legal="Any legal play",
    example="The assignment's example",
    keeps_eights="Keeps its Eights",
    planner="Planner",
)
