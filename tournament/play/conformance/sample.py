"""Games of a game's own house bots, played once for all checks."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from random import Random
from typing import Any

from sandbox.api import Sandbox
from tournament.games.api import Game, HouseBot
from tournament.play.local import BOT, PlayerSpec, play_files
from tournament.play.record import Record, is_question
from tournament.play.replay import reapply

MOMENTS = 30
"""Moments of each game that are looked at."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A state in which somebody must answer, the size of the table, and all the plays of that game."""

    state: Any
    seats: int
    plays: Sequence[Any]


@dataclass(frozen=True)
class Sample:
    """A game with games to look at. The house bots are run in `trusted`."""

    game: Game[Any]
    trusted: Sandbox

    @property
    def folder(self) -> str:
        """What precedes the names of its files in tracebacks."""
        return str(getattr(self.game, "folder", ""))

    def random(self, what: str) -> Random:
        """A generator that is the same at each run."""
        return Random(f"{self.game.slug} {what}")

    def play(self, bots: Sequence[HouseBot], seed: int) -> Record:
        """One game between house bots, in that order."""
        players = [PlayerSpec(BOT + bot.name, bot.source, trusted=True) for bot in bots]
        (record,) = play_files(self.game, players, 1, seed, self.trusted, self.trusted)
        return record

    @cached_property
    def records(self) -> Sequence[Record]:
        """At every table size, games of the weakest bot alone, the strongest alone, all, and some at random."""
        rng, found = self.random("tables"), []
        for seats in self.game.seats:
            bots = self.game.bots
            tables = [bots[:1], bots[-1:], bots, rng.choices(bots, k=seats), rng.choices(bots, k=seats)]
            found += [self.play(list(islice(cycle(table), seats)), rng.getrandbits(53)) for table in tables]
        return found

    @cached_property
    def moments(self) -> Sequence[Moment]:
        """Moments out of these games."""
        found = []
        for record in self.records:
            plays = [self.game.decode(play) for _, play in record.plays if not is_question(play)]
            step = len(plays) // MOMENTS + 1
            for number, (_, state) in enumerate(reapply(self.game, record)):
                if number % step == 0 and self.game.requests(state):
                    found.append(Moment(deepcopy(state), len(record.seats), plays))
        return found
