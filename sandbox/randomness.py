"""A `random` module of a player's own, so that its randomness replays and disturbs nobody else's.

Used on both sides of the wall: in the box, and by the trusted backend. Standard library only.
"""

import itertools
import random
from types import ModuleType
from typing import Any, Final

_METHODS: Final = [name for name in random.__all__ if getattr(getattr(random, name), "__self__", None) is random._inst]


def seeded_random(seed: int) -> ModuleType:
    """A stand-in for the module `random` whose every generator follows from `seed`: its own, `Random()`, and what
    `seed()` without an argument gives. (`SystemRandom` stays what its name says.)"""
    fresh = itertools.count(1)

    class Random(random.Random):
        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed((seed << 32) + next(fresh) if a is None else a, version)

    module = ModuleType("random", random.__doc__)
    vars(module).update(vars(random))
    own = Random(seed)
    vars(module).update({name: getattr(own, name) for name in _METHODS}, Random=Random, _inst=own)
    return module
