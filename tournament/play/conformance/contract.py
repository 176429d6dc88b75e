"""Checks of what a game consists of: names, files, house bots."""

from collections.abc import Callable, Iterator
from inspect import isfunction
from random import Random
from typing import Any

from sandbox import patterns
from tournament.games.api import Game
from tournament.play.conformance.flaws import Flaw, of
from tournament.play.conformance.sample import Sample, extremes

SLUG = patterns.compile(r"[a-z][a-z0-9_]{0,30}")
FILES = ("README.md", "starter.py", "reference.py", "replay.html", "replay.css")
LEAST_BOTS = 4
MODULE = "__init__.py"
METHODS = tuple(name for name, member in vars(Game).items() if isfunction(member) and not name.startswith("_"))


def names(sample: Sample) -> Iterator[Flaw]:
    """The module has every name of the contract."""
    values = [name for name in Game.__annotations__ if name != "questions"]  # an assignment's, not the game's
    for name in (*values, *METHODS):
        if not hasattr(sample.game, name):
            fix = f"Define it, or import it from where it is defined; tournament.games.api.Game says what `{name}` is."
            yield Flaw(f"The game has no `{name}`.", fix, MODULE)
        elif name in METHODS and not callable(getattr(sample.game, name)):
            yield Flaw(f"`{name}` is not a function.", "", MODULE)


def files(sample: Sample) -> Iterator[Flaw]:
    """The names are well-formed, and every file is there."""
    game = sample.game
    if not SLUG.fullmatch(game.slug):
        yield Flaw(f"The slug {game.slug!r} cannot be used.", "Use up to 31 of a-z, 0-9 and _.", MODULE)
    for name in ("title", "summary", "version"):
        if not str(getattr(game, name)).strip():
            yield Flaw(f"`{name}` is empty.", "", MODULE)
    if game.name != game.slug:
        yield Flaw(f"The name {game.name!r} is not the slug.", "Write `slug = name = …`.", MODULE)
    if not game.seats or not all(type(seats) is int and seats > 1 for seats in game.seats):
        yield Flaw(f"`seats` is {game.seats!r}.", "Give table sizes from 2 on, as in `seats = (4,)`.", MODULE)
    for name in FILES:
        file = game.folder / name
        if not file.is_file() or not file.read_text("utf-8").strip():
            yield Flaw("This file does not exist, or is empty.", "`quadrille game new` shows what belongs there.", name)


def options(sample: Sample) -> Iterator[Flaw]:
    """Each option has a name, a title and two values at least, and `deal` takes it with the same default."""
    game = sample.game
    for option in game.options:
        if not option.name.isidentifier() or not option.title.strip() or len(set(extremes(option))) < 2:
            fix = "Give it a name like `hand_size`, a title, and two values at least."
            yield Flaw(f"The option {option.name!r} is not complete.", fix, MODULE)
    if not game.options:
        return
    deal: Callable[..., Any] = game.deal
    usual = {option.name: option.default for option in game.options}
    chosen, default = deal(Random(1), game.seats[0], **usual), deal(Random(1), game.seats[0])
    if list(game.cards(chosen)) != list(game.cards(default)):
        yield of(game, "deal", "With the defaults of the options, `deal` deals otherwise than without options.")


def bots(sample: Sample) -> Iterator[Flaw]:
    """There are enough house bots, in order and each with a file."""
    found = sample.game.bots
    if len({bot.name for bot in found}) != len(found) or len(found) < LEAST_BOTS:
        yield Flaw(f"There are {len(found)} house bots.", f"A game needs {LEAST_BOTS}, of different names.", MODULE)
    if [bot.strength for bot in found] != sorted({bot.strength for bot in found}):
        yield Flaw("The house bots are not in the order of their strengths.", "Name them from weak to strong.", MODULE)
    for bot in found:
        if not bot.path.is_file():
            yield Flaw(f"The house bot {bot.name!r} has no file.", "", f"bots/{bot.name}.py")
