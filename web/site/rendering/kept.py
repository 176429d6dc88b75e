"""What a running site keeps of what it made lately, each part by all that it is made of."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from flask import Flask, current_app

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class _KeptPart:
    made_of: Hashable
    make: list[Callable[[], Any]] = field(compare=False)

    def made(self) -> Any:
        """Make it. Only once, since what is kept must not keep alive what it was made from."""
        return self.make.pop()()


@dataclass(frozen=True, slots=True)
class Shelf:
    """The parts of one kind: of these, each process of the site keeps the `most` that were asked for last."""

    name: str
    most: int

    def kept(self, make: Callable[[], Made], *made_of: Hashable) -> Made:
        """What `make` returns or, if it was called for the same `made_of` lately, returned then. `made_of` is different
        wherever the part is: names, and what the viewer may see, belong to it."""
        parts = current_app.extensions.setdefault(self._key, lru_cache(self.most)(_KeptPart.made))
        found: Made = parts(_KeptPart(made_of, [make]))
        return found

    def forget(self, app: Flask) -> None:
        """Keep none of them any longer."""
        app.extensions.pop(self._key, None)

    @property
    def _key(self) -> str:
        return f"quadrille-{self.name}"
