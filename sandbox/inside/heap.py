"""Lays out the memory of the fork server so that its children write to few pages (saves 9% of a game of Uno and 18% of
a start, nearly all of it by the room for names). Imported before all else of ours; standard library only.

What a child makes goes into the holes of this process's heap, each on an old page that must be copied first. Looking at
what lies there, even at a function that it calls, is writing to it. So the standard library is loaded first; then the
holes are filled, so that our own code lies together; and filled again before the first fork, so that what children make
lies together, on fresh pages.
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

_PRELOADED: Final = """
    abc bisect collections.abc copy functools heapq itertools math operator random time types
"""  # what players use, loaded once by the fork server instead of by each child
_OURS: Final = "array contextlib ctypes fcntl marshal mmap resource select struct warnings"

_POOL: Final = 1 << 14  # Python keeps objects of one size together in so many bytes; so many lie before the first
_POOL_HEAD: Final = 48
_LARGEST: Final = 512  # of the objects in pools; larger ones are the C library's
_BYTES_HEAD: Final = 33
_LARGE: Final = (1 << 16, 1 << 15, 1 << 14, 1 << 13, 1 << 12, 1 << 11, 1 << 10, _LARGEST + 16)
_MOST: Final = 1 << 16  # objects; where memory is laid out in another way, this is in vain
_NAMES: Final = 12_000  # so many more, and the table has grown, be it in pages that were there
_MOVED: Final = 16  # pages; one name is never so many

_fillings: Final[list[list[object]]] = []


def load(names: Iterable[str]) -> None:
    """Load more of the standard library, as far as it is there."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    settle()


def settle() -> None:
    """Take note that everything that exists now will stay; leave no holes in it."""
    gc.collect()
    _make_room_for_names()
    _fill_holes()
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


def _fill_holes() -> None:
    filling: list[object] = []
    _fillings.append(filling)
    top = id(bytes(_LARGE[0] - _BYTES_HEAD))
    for size in _LARGE:
        while len(filling) < _MOST and id(block := bytes(size - _BYTES_HEAD)) < top:
            filling.append(block)
    for size in range(16, _LARGEST + 1, 16):
        _fill_pools(size, filling)


def _fill_pools(size: int, filling: list[object]) -> None:
    """Until three objects lie at the beginning of a pool, one after the other: it is new then."""
    places = [0]
    while len(filling) < _MOST and (len(places) < 3 or places[-1] > _POOL_HEAD + 8 * size):
        filling.append(block := _block(size))
        place = id(block) % _POOL
        places = [*places, place] if place > places[-1] else [place]


def _block(size: int) -> object:
    return object() if size == 16 else float(len("1.5")) if size == 32 else bytes(size - _BYTES_HEAD)


for _name in (*_PRELOADED.split(), *_OURS.split()):
    importlib.import_module(_name)
settle()
