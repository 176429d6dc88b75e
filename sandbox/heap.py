"""The memory of the fork server, laid out so that its children write to few pages. Imported before all else of ours.

What a child makes goes into the holes of this process's heap, each on some old page that must be copied first; and to
look at what lies there, even a function that it calls, is to write to it. So the standard library is loaded first; then
the holes are filled, so that what is ours lies together; and filled again before the first fork, so that what children
make lies together, on fresh pages. Inside the box; standard library only.
"""

import gc
import importlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

_PRELOADED: Final = """
    abc bisect collections.abc copy enum functools heapq itertools math operator random re string time types typing
"""  # what players use, loaded once by the fork server instead of by each child
_OURS: Final = "array contextlib ctypes fcntl json linecache marshal mmap resource select signal struct warnings"

_POOL: Final = 1 << 14  # Python keeps objects of one size together in so many bytes; so many lie before the first
_POOL_HEAD: Final = 48
_LARGEST: Final = 512  # of the objects in pools; larger ones are the C library's
_BYTES_HEAD: Final = 33
_LARGE: Final = (1 << 16, 1 << 15, 1 << 14, 1 << 13, 1 << 12, 1 << 11, 1 << 10, _LARGEST + 16)
_MOST: Final = 1 << 16  # objects; where memory is laid out in another way, this is in vain


_fillings: Final[list[list[object]]] = []


def load(names: Iterable[str]) -> None:
    """Load more of the standard library, as far as it is there, and leave no holes behind."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    fill_holes()
    gc.freeze()


def fill_holes() -> None:
    """For good."""
    gc.collect()
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


load([*_PRELOADED.split(), *_OURS.split()])
