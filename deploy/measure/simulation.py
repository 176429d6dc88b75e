"""A tournament of synthetic players whose strengths are known: how soon does a schedule find their order?

The model is Thurstone's with luck of the deal: in a game, each player scores his strength, plus what the hand dealt to
his seat is worth, plus chance; the best score wins. The luck belongs to deal and seat, so it is the same in all games
with that deal. LUCK_SHARE is set so that four games of the same four players, who sit once in each seat, are worth 1.27
times as much if all have the same deal, which is what real players' games of four gave (1.24 to 1.30); SPREAD so that
win rates spread as they do among students' players, from hardly any to two thirds.

In games that count nobody meets a deal twice, so that gain is lost. `shared_tables` tries what duplicate bridge does
instead: tables without a common player play the same deals, and each hand is scored against the others who held it. The
hand alone explains only a ninth of who wins, so this saves no games worth having, and tournaments do not do it.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from tournament.ladder.schedule import Candidate, Meetings, next_tables
from tournament.play.seatings import SEATINGS_OF_FOUR
from tournament.ranking.ratings import Tally
from tournament.ranking.strength import strengths

SEATS = 4
SPREAD = 1.0
LUCK_SHARE = 0.45
QUEUED = 8
"""So many blocks are paired at a time, as on a ladder, with the standings before them."""

HOLDERS = 16
"""So many tables at most play the same deals, where they do."""

HAND_WEIGHT = 0.4
"""So much of what others won with a hand, beyond their share, is taken from its score; by trial, the best."""

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


class Trial:
    """The results so far of players by their index."""

    def __init__(self, strength: Numbers, seed: int) -> None:
        self.strength = strength
        self.chance = np.random.default_rng(seed)
        zeros = np.zeros(len(strength))
        self.games, self.wins, self.blocks = zeros, zeros, zeros
        self.products = {"games_games": zeros, "wins_wins": zeros, "wins_games": zeros}

    @property
    def tau(self) -> float:
        """Kendall's τ-b between the order by win rate and the true one."""
        return float(kendalltau(self.wins / np.maximum(self.games, 1), self.strength).statistic)

    def tallies(self) -> list[Tally]:
        """What a leaderboard would be made of."""
        products = [dict(zip(self.products, sums, strict=True)) for sums in zip(*self.products.values(), strict=True)]
        columns = zip(self.games, self.wins, self.blocks, products, strict=True)
        return [
            Tally(int(games), int(wins), blocks=int(blocks), products=sums) for games, wins, blocks, sums in columns
        ]

    def play(self, tables: Integers) -> None:
        """Play tables given by block, game and seat; each game has a deal of its own."""
        players = tables[:, 0]
        seats = play_deals(self.strength[tables].reshape(-1, 1, tables.shape[2]), self.chance)
        winners = np.take_along_axis(tables, seats.reshape(*tables.shape[:2], 1), axis=2)
        won = (winners == players[:, None, :]).sum(axis=1)  # by deal and player
        played = np.full(won.shape, tables.shape[1])

        def added(what: Integers) -> Numbers:
            return np.bincount(players.ravel(), what.ravel().astype(float), minlength=len(self.strength)).astype(float)

        self.games, self.wins = self.games + added(played), self.wins + added(won)
        self.blocks = self.blocks + added(np.ones_like(won))
        for name, what in (("games_games", played**2), ("wins_wins", won**2), ("wins_games", won * played)):
            self.products[name] = self.products[name] + added(what)

    def play_shared(self, tables: Integers) -> None:
        """Play tables given by deal, table and seat, of which no two have a player in common. What counts as won is how
        much better a hand did than it did with the others."""
        won = (play_deals(self.strength[tables], self.chance)[..., None] == np.arange(SEATS)).astype(float)
        others = (won.sum(axis=1, keepdims=True) - won) / max(1, tables.shape[1] - 1)
        scores = won - HAND_WEIGHT * (others - 1 / SEATS) if tables.shape[1] > 1 else won
        self.games = self.games + np.bincount(tables.ravel(), minlength=len(self.strength))
        self.wins = self.wins + np.bincount(tables.ravel(), scores.ravel(), len(self.strength))


def random_tables(strength: Numbers, marks: Sequence[int], seed: int) -> Iterator[Trial]:
    """The trial whenever the mean number of games a player reaches a mark: each game has a fresh deal and four players
    drawn at random, as the ladders of former years did."""
    trial = Trial(strength, seed)
    for mark in marks:
        games = round((mark * len(strength) - trial.games.sum()) / SEATS)
        drawn = [trial.chance.choice(len(strength), SEATS, replace=False) for _ in range(games)]
        trial.play(np.array(drawn)[:, None, :])
        yield trial


def our_tables(strength: Numbers, marks: Sequence[int], seed: int) -> Iterator[Trial]:
    """The same with `next_tables` and blocks in which everybody sits once in each seat."""
    return _scheduled(strength, marks, seed, QUEUED, Trial.play)


def shared_tables(strength: Numbers, marks: Sequence[int], seed: int) -> Iterator[Trial]:
    """The same blocks, but those without a common player have the same deals."""

    def play(trial: Trial, tables: Integers) -> None:
        for group in _disjoint(tables.tolist()):
            trial.play_shared(np.array(group).swapaxes(0, 1))

    return _scheduled(strength, marks, seed, HOLDERS, play)


def _scheduled(
    strength: Numbers, marks: Sequence[int], seed: int, queued: int, play: Callable[[Trial, Integers], None]
) -> Iterator[Trial]:
    trial, rng = Trial(strength, seed), Random(seed)
    met = Meetings(range(len(strength)))
    for mark in marks:
        while blocks := int(mark * len(strength) - trial.games.sum()) // SEATS**2:
            tables = next_tables(_candidates(trial), (SEATS,), min(blocks, queued), 10**9, met, rng)
            met.add(tables)
            play(trial, np.array(tables)[:, SEATINGS_OF_FOUR])
        yield trial


def _disjoint(blocks: Sequence[list[list[int]]]) -> list[list[list[list[int]]]]:
    """The blocks in groups of which no two have a player in common."""
    groups: list[tuple[set[int], list[list[list[int]]]]] = []
    for block in blocks:
        players = set(block[0])
        seated, group = next((each for each in groups if each[0].isdisjoint(players)), (set[int](), []))
        if not group:
            groups.append((seated, group))
        seated |= players
        group.append(block)
    return [group for _, group in groups]


def _candidates(trial: Trial) -> list[Candidate]:
    guesses = strengths(trial.games, trial.wins).tolist()
    return [
        Candidate(number, int(games), author=number, strength=guess)
        for number, (games, guess) in enumerate(zip(trial.games, guesses, strict=True))
    ]


def true_rates(strength: Numbers, games: int, seed: int) -> Numbers:
    """Each player's win rate against opponents drawn at random, from so many games."""
    chance = np.random.default_rng(seed)
    rates = []
    for own in range(len(strength)):
        others = chance.integers(1, len(strength), (games, SEATS - 1)) + own
        tables = np.column_stack([np.full(games, own), others % len(strength)])
        rates.append((play_deals(strength[tables][:, None, :], chance) == 0).mean())
    return np.array(rates)


def block_worth(blocks: int, seed: int) -> float:
    """How many games with fresh deals a game is worth where four players play one deal in four seatings: by the
    variances of what each wins in four games."""
    chance = np.random.default_rng(seed)
    tables = chance.normal(0, SPREAD, (blocks, SEATS))
    again = 40  # so often does each table play
    shared = np.zeros((again, blocks, SEATS))
    fresh = np.zeros((again, blocks, SEATS))
    for round_ in range(again):
        seated = tables[:, SEATINGS_OF_FOUR]
        players = np.broadcast_to(SEATINGS_OF_FOUR, seated.shape)
        winners = np.take_along_axis(players, play_deals(seated, chance)[..., None], axis=2)
        shared[round_] = (winners == np.arange(SEATS)).sum(axis=1)
        alone = play_deals(np.repeat(tables, SEATS, axis=0)[:, None, :], chance).reshape(blocks, SEATS, 1)
        fresh[round_] = (alone == np.arange(SEATS)).sum(axis=1)
    return float(fresh.var(axis=0, ddof=1).mean() / shared.var(axis=0, ddof=1).mean())
