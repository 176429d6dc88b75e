"""What pages show of an entry, kept as long as all that it is made of stays the same. A finished game never changes,
and an entry counts its games (`seated`): so that number stands for them."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from flask import Flask, current_app

Made = TypeVar("Made")
KEY = "quadrille-kept"  # in `app.extensions`
MOST = 256
"""The parts that are kept, in each process: of 20 kB each, and some of a house bot with 1,000 games of 300 kB."""


@dataclass(frozen=True, slots=True)
class _KeptPart:
    made_of: Hashable
    make: list[Callable[[], Any]] = field(compare=False)  # only once, as it keeps alive what it makes this from

    def made(self) -> Any:
        return self.make.pop()()


def kept(make: Callable[[], Made], *made_of: Hashable) -> Made:
    """What `make` returns or, if it was called for the same lately, returned then. `made_of` is different wherever the
    result is: names, and what the viewer may see, are part of it."""
    parts = current_app.extensions.setdefault(KEY, lru_cache(MOST)(_KeptPart.made))
    found: Made = parts(_KeptPart(made_of, [make]))
    return found


def forget(app: Flask) -> None:
    """Keep none of them any longer."""
    app.extensions.pop(KEY, None)
