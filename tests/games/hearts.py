"""The example game Hearts, which lies outside the packages, and tables of it written in short."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tournament.games.api import IllegalPlay

COURSE = Path(__file__).parents[2] / "examples" / "hearts"
PACKAGE = "game"
"""The name under which the authors' `cases.py` and `solution.py` import it; to the game every name is the same."""


def load(folder: Path, name: str) -> ModuleType:
    """The game in that folder, as a package of that name."""
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec
    assert spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


game: Any = load(COURSE / "games" / "hearts", PACKAGE)
plays: Any = import_module(f"{PACKAGE}.plays")
positions: Any = import_module(f"{PACKAGE}.positions")
state_module: Any = import_module(f"{PACKAGE}.state")
HeartsState = state_module.HeartsState


def table(hands: str, trick: str = "", leader: int = 0, *, tricks: int = 1, broken: bool = False, **rest: Any) -> Any:
    """A hand that is being played; `hands` are `2C 3D | 4S | 5H | AH`, and `tricks` how many tricks are over."""
    held = [hand.split() for hand in hands.split("|")]
    options = {"hand_count": 1, "passes": True, "subtract": False, "hand_no": 0} | rest
    state = HeartsState(None, **options, hands=held, leader=leader, trick=trick.split(), hearts_broken=broken)
    state.taken, state.passed = [[] for _ in held], [[] for _ in held]
    for _ in range(tricks):
        state.tricks.append((0, ["2C", "3C", "4C", "5C"]))
    return state


def play(state: Any, *raws: Any) -> Any:
    """The state after these answers, each of whoever is asked."""
    for raw in raws:
        (request,) = game.requests(state)
        game.apply(state, [(request.seat, game.parse(state, request.seat, raw))])
    return state


def pass_cards(state: Any, *passed: str) -> Any:
    """The state after everybody has passed these cards."""
    game.apply(state, [(seat, game.parse(state, seat, cards.split())) for seat, cards in enumerate(passed)])
    return state


def refusal(state: Any, raw: Any) -> str:
    """The rule that refuses the answer of the first who is asked, or nothing."""
    try:
        game.parse(state, game.requests(state)[0].seat, raw)
    except IllegalPlay as illegal:
        return illegal.rule
    return ""
