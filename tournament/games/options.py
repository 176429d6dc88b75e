"""Options of games: defines what may be chosen, reads choices, and creates games with chosen options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from tournament.games.api import Game, Option, OptionValue, State
from tournament.games.text import show


class UnknownGame(LookupError):
    """No game has that name; the message says what is wrong with the name and which names exist."""


class BadOption(UnknownGame):
    """The game has no such option, or the option does not allow that value; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class GameName:
    """The parts of a game's name. `options` are the chosen values as text, by the option's name."""

    slug: str
    hash: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The name without the options, `slug[@hash]`. The game's files depend only on this part of the name."""
        return f"{self.slug}@{self.hash}" if self.hash else self.slug

    def __str__(self) -> str:
        chosen = "&".join(f"{quote(name, '')}={quote(value, '')}" for name, value in sorted(self.options.items()))
        return f"{self.package}?{chosen}" if chosen else self.package


def parse_name(text: str) -> GameName:
    """Return the parts of a game's name; the game need not exist. Raises BadOption if the options in the name cannot be
    read."""
    package, _, chosen = text.partition("?")
    slug, _, digits = package.partition("@")
    options: dict[str, str] = {}
    for part in chosen.split("&") if chosen else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise BadOption(
                f"{show(part)} does not set an option: write the option's name and its value, e.g. hand_size=8."
            )
        if unquote(name) in options:
            raise BadOption(f"The option {show(unquote(name))} is chosen twice: choose one value.")
        options[unquote(name)] = unquote(value)
    return GameName(slug, digits, options)


PLAYERS = "players"
"""The option that every game with more than one table size has: it chooses one of `Game.seats`."""

_LONGEST_NUMBER = 18
_YES_OR_NO = {"yes": True, "no": False}


class Choice(NamedTuple):
    """An option whose value in a game differs from the usual one; both values are given as people read them."""

    option: Option
    value: str
    usual: str


def options_of(game: Game[Any]) -> tuple[Option, ...]:
    """Return all options of the game: its own, and the table size if there are several sizes."""
    sizes = _unbound(game).seats
    if len(sizes) == 1:
        return game.options
    return (*game.options, Option(PLAYERS, "Players at a table", sizes[0], choices=tuple(sorted(sizes))))


def choices(game: Game[Any]) -> list[Choice]:
    """Return the options whose chosen value differs from the usual one, in the order of `options_of`."""
    chosen = game.chosen if isinstance(game, ChosenGame) else {}
    return [
        Choice(option, written(chosen[option.name]), written(option.default))
        for option in options_of(game)
        if option.name in chosen
    ]


def options_comment(game: Game[Any]) -> str:
    """Return comment lines for the top of a player's file that name the chosen options, or "" if there are none."""
    lines = [f"#   {each.option.title}: {each.value} (usually {each.usual})\n" for each in choices(game)]
    return f'# {game.title} with other options than usual: --game "{game.name}"\n{"".join(lines)}\n' if lines else ""


def with_options(game: Game[State], chosen: Mapping[str, OptionValue]) -> Game[State]:
    """Return the game with the given options, whose values may be text; all other options have their usual values.
    Raises BadOption."""
    options = {option.name: option for option in options_of(game)}
    values = {}
    for name, given in chosen.items():
        if name not in options:
            raise _no_option(game, name)
        values[name] = _value_of_option(game, options[name], given)
    values = {name: value for name, value in sorted(values.items()) if value != options[name].default}
    return ChosenGame(_unbound(game), values) if values else _unbound(game)


class ChosenGame:
    """A game with options chosen, itself a `Game`: everything except the name, the table sizes and the deal comes from
    the original game."""

    def __init__(self, game: Game[Any], chosen: Mapping[str, OptionValue]) -> None:
        self.game, self.chosen = game, chosen
        self.name = str(replace(parse_name(game.name), options={name: written(chosen[name]) for name in chosen}))
        self.seats: tuple[int, ...] = (int(chosen[PLAYERS]),) if PLAYERS in chosen else game.seats
        options = {name: value for name, value in chosen.items() if name != PLAYERS}
        deal: Callable[..., Any] = game.deal
        former: Mapping[str, Callable[..., Any]] = getattr(game, "former_deals", {})
        self.deal = partial(deal, **options)
        self.former_deals = {version: partial(deal, **options) for version, deal in former.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)


def allowed(option: Option) -> str:
    """Return the values that the option allows, in words: `a whole number from 1 to 15`."""
    if isinstance(option.default, bool):
        return "yes or no"
    if option.choices:
        return f"one of {', '.join(map(str, option.choices))}"
    return f"a whole number from {option.minimum} to {option.maximum}"


def written(value: OptionValue) -> str:
    """Return a value as written in a game's name."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _unbound(game: Game[State]) -> Game[State]:
    return game.game if isinstance(game, ChosenGame) else game


def _value_of_option(game: Game[Any], option: Option, given: OptionValue) -> OptionValue:
    """Return the value of the option that `given` stands for, either itself or as text. Raises BadOption."""
    value: OptionValue | None = given
    if isinstance(given, str) and not isinstance(option.default, str):
        digits = given.removeprefix("-")
        is_number = not isinstance(option.default, bool) and digits.isascii() and digits.isdecimal()
        value = int(given) if is_number and len(digits) <= _LONGEST_NUMBER else _YES_OR_NO.get(given)
    if type(value) is type(option.default) and value is not None and _in_bounds(option, value):
        return value
    raise BadOption(f"The option {option.name} of {game.title} is {allowed(option)}, not {show(given)}.")


def _in_bounds(option: Option, value: OptionValue) -> bool:
    if option.choices:
        return value in option.choices
    return isinstance(value, bool) or (isinstance(value, int) and option.minimum <= value <= option.maximum)


def _no_option(game: Game[Any], name: str) -> BadOption:
    options = options_of(game)
    if not options:
        return BadOption(f"{game.title} has no options, so {show(name)} cannot be set.")
    close = get_close_matches(name, [option.name for option in options], n=1, cutoff=0.4)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    known = "; ".join(
        f"{option.name} ({option.title}: {allowed(option)}, usually {written(option.default)})" for option in options
    )
    return BadOption(f"{game.title} has no option {show(name)}{hint} It has: {known}.")
