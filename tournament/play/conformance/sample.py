"""The data that checks examine: games between a game's own house bots, played once for all checks. Also defines the
flaws that checks find."""

import traceback
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from inspect import unwrap
from itertools import cycle, islice
from random import Random
from typing import Any

from sandbox.api import Sandbox
from tournament.games.api import Game, HouseBot, Option, OptionValue
from tournament.games.options import options_of, with_options
from tournament.play.record import Record, is_question
from tournament.play.referee import RulesFailed
from tournament.play.replay import reapply
from tournament.play.table import house_bot, play_files


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong, and how to fix it. `file` is a path in the game's folder, or ""; `line` counts from 1, or is 0 if
    it is unknown."""

    what: str
    fix: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.what}" + (f" {self.fix}" if self.fix else "")


class TookTooLong(BaseException):
    """A function of the rules has not returned. Not an Exception, so that `except Exception` in the rules does not
    catch it."""

    def __init__(self, function: str, seconds: float) -> None:
        super().__init__(function)
        self.function, self.seconds = function, seconds


def flaw_raised(error: BaseException, folder: str) -> Flaw:
    """Return the flaw that an exception reveals, located at the last line in its traceback that is in the game's
    folder."""
    if isinstance(error, RulesFailed) and error.__cause__:
        error = error.__cause__
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(f"{folder}/")]
    file, line = (frames[-1].filename.removeprefix(f"{folder}/"), frames[-1].lineno or 0) if frames else ("", 0)
    if isinstance(error, TookTooLong):
        what = f"The function `{error.function}` had not answered after {error.seconds:g} s."
        return Flaw(what, "Every function of the rules must answer within milliseconds.", file, line)
    if isinstance(error, SyntaxError):
        name = (error.filename or "").removeprefix(f"{folder}/")
        return Flaw(f"Python cannot read this file: {error.msg}.", "", name, error.lineno or 0)
    doing = f"`{frames[-1].name}`" if frames and frames[-1].name != "<module>" else "the game"
    return Flaw(f"{type(error).__name__} was raised in {doing}: {error or 'no message'}.", "", file, line)


def flaw_in(game: Game[Any], name: str, what: str, fix: str = "") -> Flaw:
    """Return a flaw in the game's function `name`, located at the line where the function begins."""
    function: Callable[..., Any] = unwrap(getattr(game, name))
    code = getattr(function, "__code__", None)
    folder = f"{folder_of(game)}/"
    if code is None or not code.co_filename.startswith(folder):
        return Flaw(what, fix)
    return Flaw(what, fix, code.co_filename.removeprefix(folder), code.co_firstlineno)


def folder_of(game: Game[Any]) -> str:
    """Return the path that precedes the names of the game's files in tracebacks."""
    return str(getattr(game, "folder", "")).rstrip("/")


MOMENTS = 30
"""The approximate number of moments taken from each game."""


def extremes(option: Option) -> Sequence[OptionValue]:
    """Return the values of an option that are likely to break a game."""
    if isinstance(option.default, bool):
        return (False, True)
    return option.choices or (option.minimum, option.maximum)


@dataclass(frozen=True, slots=True)
class Moment:
    """A state in which somebody must answer, the size of the table, and all the plays of that game."""

    state: Any
    seats: int
    plays: Sequence[Any]


@dataclass(frozen=True)
class Sample:
    """A game, with played games to examine. The house bots run in the sandbox `trusted`."""

    game: Game[Any]
    trusted: Sandbox

    def random(self, what: str) -> Random:
        """Return a random generator that yields the same numbers in each run."""
        return Random(f"{self.game.slug} {what}")

    def play(self, game: Game[Any], bots: Sequence[HouseBot], seats: int, seed: int) -> Record:
        """Play one game between house bots, seated in that order; if there are more seats than bots, the bots are
        repeated."""
        players = [house_bot(game, bot.name) for bot in islice(cycle(bots), seats)]
        (record,) = play_files(game, players, 1, seed, self.trusted, self.trusted)
        return record

    @cached_property
    def variants(self) -> Sequence[Game[Any]]:
        """The game with all options at their lower bounds, with all at their upper bounds, and with some random
        values."""
        options = options_of(self.game)
        rng = self.random("options")
        bounds = [{each.name: extremes(each)[end] for each in options} for end in (0, -1)]
        anyhow = [{each.name: rng.choice(extremes(each)) for each in options} for _ in range(2)]
        return [with_options(self.game, chosen) for chosen in bounds + anyhow] if options else []

    @cached_property
    def records(self) -> Sequence[tuple[Game[Any], Record]]:
        """For every table size, games of the weakest bot against itself, of the strongest against itself, of all bots,
        and of random bots; then one game of each variant. Each record comes with the game that was played."""
        rng, bots = self.random("tables"), self.game.bots
        found = []
        for seats in self.game.seats:
            tables = [bots[:1], bots[-1:], bots, rng.choices(bots, k=seats), rng.choices(bots, k=seats)]
            found += [(self.game, self.play(self.game, table, seats, rng.getrandbits(53))) for table in tables]
        return found + [(each, self.play(each, bots, each.seats[0], rng.getrandbits(53))) for each in self.variants]

    @cached_property
    def moments(self) -> Sequence[Moment]:
        """Moments taken from these games."""
        found = []
        for game, record in self.records:
            plays = [game.decode(play) for _, play in record.plays if not is_question(play)]
            step = len(plays) // MOMENTS + 1
            for number, (_, state) in enumerate(reapply(game, record)):
                if number % step == 0 and game.requests(state):
                    found.append(Moment(deepcopy(state), len(record.seats), plays))
        return found
