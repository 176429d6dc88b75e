"""A guess at each entry's strength, good enough to spread strong opponents evenly; no ranking rests on it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

PRIOR_GAMES = 20
"""An entry is taken to be average until it has about this many games."""


def strengths(games: ArrayLike, scores: ArrayLike) -> NDArray[np.float64]:
    """The strengths in standard deviations from the mean of all. `scores` are sums over the games, more is better."""
    played, total = np.asarray(games, float), np.asarray(scores, float)
    rate = total / np.maximum(played, 1)
    weight = played / (played + PRIOR_GAMES)
    if not weight.any():
        return np.zeros(len(played))
    centred = rate - np.average(rate, weights=weight)
    spread = np.sqrt(np.average(centred**2, weights=weight))
    return weight * centred / spread if spread else np.zeros(len(played))
