"""Parts of pages that are kept, each by all that it is made of."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar

from flask import current_app

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class KeptPart(Generic[Made]):
    """A part by what it is made of, and how to make it: the key of an `lru_cache` of `KeptPart.made`. `made_of` is
    different wherever the part is: names, and what the viewer may see, belong to it."""

    made_of: Hashable
    make: list[Callable[[], Made]] = field(compare=False)

    def made(self) -> Made:
        """Make it. Only once, since what is kept must not keep alive what it was made from."""
        return self.make.pop()()


def kept_by_site(key: str, most: int, part: KeptPart[Made]) -> Made:
    """The part, made only if the running site keeps none that is made of the same. It keeps the `most` parts that were
    asked for last under that `key` of its extensions."""
    parts = current_app.extensions.setdefault(key, lru_cache(most)(KeptPart.made))
    found: Made = parts(part)
    return found
