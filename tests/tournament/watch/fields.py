"""Fields of synthetic players for the tests of the watch: honest ones, and some of whom play for each other.

The scores are strength plus luck, which is different in every game. That is not the Plackett–Luce model, and neither
are real games."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.tournament.ranking.simulation import synthetic_players
from tournament.ranking.plackett_luce import PlayedBlock, ratings


@dataclass(frozen=True)
class Field:
    """What the watch is given: blocks, ratings and authors. Entry 100 + n is of author n; entry 1 is a house bot."""

    blocks: list[PlayedBlock]
    ratings: dict[int, float]
    authors: dict[int, int]


def play_field(
    players: int,
    blocks: int,
    seed: int,
    helping: Sequence[tuple[int, int]] = (),
    help_: float = 0.0,
    sacrifice: float = 0.0,
    full_order: bool = False,
    faulty: float = 0.0,
) -> Field:
    """Tables drawn at random. With its helper at the table a player's score rises by `help_` standard deviations of
    the chance in a game, and the helper's own falls by `sacrifice`. `full_order`: all four places are played for, not
    the first alone. `faulty`: the share of games that player 0 ends by a fault."""
    chance = np.random.default_rng(seed)
    strength = np.append(synthetic_players(players, seed), 0.0)  # the last one is the house bot
    tables = np.argsort(chance.random((blocks, players + 1)), axis=1)[:, :4]
    scores = strength[tables][:, None, :] + chance.standard_normal((blocks, 4, 4))
    for helper, helped in helping:
        both = (tables == helper).any(axis=1) & (tables == helped).any(axis=1)
        scores += help_ * ((tables == helped) & both[:, None])[:, None, :]
        scores -= sacrifice * ((tables == helper) & both[:, None])[:, None, :]
    places = 4 - scores.argsort(axis=2).argsort(axis=2)
    if not full_order:
        places = np.minimum(places, 2)
    spoilt = chance.random((blocks, 4)) < faulty
    offender = tables[:, None, :] == 0
    spoilt &= offender.any(axis=2)
    places = np.where(spoilt[:, :, None], 1 + offender, places)
    ids = np.where(tables == players, 1, tables + 100).tolist()
    digits = (places.reshape(blocks, -1) + ord("0")).astype(np.uint8)
    played = [
        PlayedBlock(number, tuple(table), finish.tobytes().decode())
        for number, (table, finish) in enumerate(zip(ids, digits, strict=True))
    ]
    return Field(played, ratings(played), {100 + number: number for number in range(players)})
