"""Gives each player a `random` module of its own, so that its random choices can be repeated and do not affect those of
others.

Used in jails, and by the trusted backend. Standard library only.
"""

from __future__ import annotations

import random
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_METHODS: Final = [name for name in random.__all__ if getattr(getattr(random, name), "__self__", None) is random._inst]


class RandomModule(ModuleType):
    """A stand-in for the module `random` in which every generator follows from one seed: the module's own, each
    `Random()`, and `seed()` without an argument. (`SystemRandom` is unchanged.)"""

    def __init__(self) -> None:
        super().__init__("random", random.__doc__)
        self._session: int = 0
        self._fresh = 0  # generators seeded without an argument so far

        class Random(random.Random):
            def seed(this, a: Any = None, version: int = 2) -> None:
                super().seed(self._next_seed() if a is None else a, version)

        own = Random(0)
        vars(self).update(vars(random))
        vars(self).update({name: getattr(own, name) for name in _METHODS}, Random=Random, _inst=own)
        self._seed = super(random.Random, own).seed  # the other base classes handle seeds that are not integers

    def _next_seed(self) -> int:
        self._fresh += 1
        return (self._session << 32) + self._fresh

    def start(self, session: int) -> None:
        """Start a session with this seed."""
        self._session = session
        self._seed(session)
        self._inst.gauss_next = None

    def state(self) -> tuple[Any, int]:
        """Return the present state, for `go_back`."""
        return self._inst.getstate(), self._fresh

    def go_back(self, state: tuple[Any, int]) -> None:
        """Return to a state that the method `state` returned."""
        drawn, self._fresh = state
        self._inst.setstate(drawn)
