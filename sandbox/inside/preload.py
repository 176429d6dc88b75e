"""Prepares what all children share before the first fork: modules that players use, and room for names. Standard
library only.

The room for names saves 9% of a game of Uno and 13% of a player's start. (Filling the holes in the heap as well, so
that children write to fewer old pages, saved nothing in a game.)
"""

from __future__ import annotations

import gc
import importlib
import resource
from collections.abc import Iterable
from contextlib import suppress
from sys import intern

TYPE_CHECKING = False  # mypy takes it for true; so no file in the box loads `typing`
if TYPE_CHECKING:
    from typing import Final

PRELOADED: Final = (
    *("abc", "bisect", "collections.abc", "copy", "functools", "heapq"),
    *("itertools", "math", "operator", "random", "time", "types"),
)  # what players use, loaded once by the fork server instead of by each child

_NAMES: Final = 12_000  # after this many more, the table has grown, if only into pages that were there
_MOVED: Final = 16  # pages; a single name never takes that many


def load(names: Iterable[str]) -> None:
    """Load more of the standard library, as far as it is there."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)


def settle() -> None:
    """Take note that everything that exists now will stay."""
    gc.collect()
    _make_room_for_names()
    gc.freeze()


def _make_room_for_names() -> None:
    """Have Python's table of names grow now, since a child in which it is full would move it, some 50 pages. Only the
    number of new pages shows that it has grown."""
    for number in range(_NAMES):
        before = _new_pages()
        intern(f"quadrille {number}")  # each of them goes at once, but its place in the table remains taken
        if _new_pages() - before > _MOVED:
            break


def _new_pages() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
