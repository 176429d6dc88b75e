"""Tournaments of synthetic players whose strengths are known.

The model is Thurstone's with luck of the deal: in a game, each player scores their strength, plus what the hand dealt
to their seat is worth, plus chance; the best score wins. The luck belongs to deal and seat. LUCK_SHARE is set so that
four games of the same four players, each once in each seat, are worth 1.27 times as much if all have the same deal,
which is what games of real players gave (1.24 to 1.30); SPREAD so that win rates spread as they do among students'
players, from hardly any to two thirds.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
import scipy  # its `stats` loads when first used: most processes never do
from numpy.typing import NDArray

from tournament.ladder.schedule import Candidate, Meetings, next_tables, strengths
from tournament.play.table import SEATINGS_OF_FOUR
from tournament.ranking.ranks import Tally

SEATS = 4
SPREAD = 1.0
LUCK_SHARE = 0.45
QUEUED = 8  # blocks that a ladder pairs at a time

Numbers: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def synthetic_players(number: int, seed: int) -> Numbers:
    """Their strengths, in standard deviations of the chance in a game, in no order."""
    return np.random.default_rng(seed).normal(0, SPREAD, number)


def play_deals(strength: Numbers, chance: np.random.Generator) -> Integers:
    """The winners' seats. `strength` is by deal, game and seat; the games of a deal share its luck."""
    deals, _, seats = strength.shape
    luck = np.sqrt(LUCK_SHARE) * chance.standard_normal((deals, 1, seats))
    noise = np.sqrt(1 - LUCK_SHARE) * chance.standard_normal(strength.shape)
    winners: Integers = (strength + luck + noise).argmax(axis=2)
    return winners


class Simulated:
    """The results so far of players by their index; every game has a deal of its own."""

    def __init__(self, strength: Numbers, seed: int) -> None:
        self.strength = strength
        self.chance = np.random.default_rng(seed)
        zeros = np.zeros(len(strength))
        self.games, self.wins, self.blocks = zeros, zeros, zeros
        self.products = {"games_games": zeros, "wins_wins": zeros, "wins_games": zeros}

    @property
    def tau(self) -> float:
        """Kendall's τ-b between the order by win rate and the true one."""
        return float(scipy.stats.kendalltau(self.wins / np.maximum(self.games, 1), self.strength).statistic)

    def tallies(self) -> list[Tally]:
        """The lines of a leaderboard."""
        products = [dict(zip(self.products, sums, strict=True)) for sums in zip(*self.products.values(), strict=True)]
        columns = zip(self.games, self.wins, self.blocks, products, strict=True)
        return [
            Tally(int(games), int(wins), blocks=int(blocks), products=sums) for games, wins, blocks, sums in columns
        ]

    def play(self, tables: Integers) -> None:
        """Play tables given by block, game and seat."""
        players = tables[:, 0]
        seats = play_deals(self.strength[tables].reshape(-1, 1, tables.shape[2]), self.chance)
        winners = np.take_along_axis(tables, seats.reshape(*tables.shape[:2], 1), axis=2)
        won = (winners == players[:, None, :]).sum(axis=1)  # by block and player
        played = np.full(won.shape, tables.shape[1])

        def added(what: Integers) -> Numbers:
            return np.bincount(players.ravel(), what.ravel().astype(float), minlength=len(self.strength)).astype(float)

        self.games, self.wins = self.games + added(played), self.wins + added(won)
        self.blocks = self.blocks + added(np.ones_like(won))
        for name, what in (("games_games", played**2), ("wins_wins", won**2), ("wins_games", won * played)):
            self.products[name] = self.products[name] + added(what)


def random_tables(strength: Numbers, marks: Sequence[int], seed: int) -> Iterator[Simulated]:
    """The results whenever the mean number of games a player reaches a mark, with players drawn at random."""
    trial = Simulated(strength, seed)
    for mark in marks:
        games = round((mark * len(strength) - trial.games.sum()) / SEATS)
        drawn = [trial.chance.choice(len(strength), SEATS, replace=False) for _ in range(games)]
        trial.play(np.array(drawn)[:, None, :])
        yield trial


def our_tables(strength: Numbers, marks: Sequence[int], seed: int) -> Iterator[Simulated]:
    """The same with `next_tables` and blocks in which everybody sits once in each seat."""
    trial, rng = Simulated(strength, seed), Random(seed)
    met = Meetings(range(len(strength)))
    for mark in marks:
        while blocks := int(mark * len(strength) - trial.games.sum()) // SEATS**2:
            guesses = strengths(trial.games, trial.wins).tolist()
            candidates = [
                Candidate(number, int(games), author=number, strength=guess)
                for number, (games, guess) in enumerate(zip(trial.games, guesses, strict=True))
            ]
            tables = next_tables(candidates, (SEATS,), min(blocks, QUEUED), 10**9, met, rng)
            met.add(tables)
            trial.play(np.array(tables)[:, SEATINGS_OF_FOUR])
        yield trial


def true_rates(strength: Numbers, games: int, seed: int) -> Numbers:
    """Each player's win rate against opponents drawn at random, from that many games."""
    chance = np.random.default_rng(seed)
    rates = []
    for own in range(len(strength)):
        others = chance.integers(1, len(strength), (games, SEATS - 1)) + own
        tables = np.column_stack([np.full(games, own), others % len(strength)])
        rates.append((play_deals(strength[tables][:, None, :], chance) == 0).mean())
    return np.array(rates)
