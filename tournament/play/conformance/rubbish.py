"""What a player may return instead of a play: any plain data, deep, huge or weird, and plays with one part spoiled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any


def _nested(container: Callable[[Any], Any]) -> Any:
    value: Any = ()
    for _ in range(10_000):
        value = container([value])
    return value


MONSTERS: Mapping[str, Any] = {
    "deep tuple": _nested(tuple),
    "deep list": _nested(list),
    "huge number": 10**5000,
    "huge negative number": -(10**5000),
    "huge text": "2C" * 100_000,
    "huge list": [0] * 100_000,
    "half a character": "\ud800",
    "control characters": "\x00\x1b[31m\n",
    "not a number": float("nan"),
    "infinity": float("inf"),
    "bytes": b"2C",
    "set": {"2C"},
    "dictionary": {"2C": (0, 0)},
}
SMALL = (None, True, False, -(2**70), -1, 0, 1, 2, 3, 8, 2**40, 0.0, 1.0, -0.5, "", "2", "zz", "♥")


def rubbish(rng: Random, depth: int = 3) -> Any:
    """Any plain data."""
    kind = rng.random()
    if kind < 0.1:
        return MONSTERS[rng.choice(sorted(MONSTERS))]
    if kind < 0.4 and depth:
        return rng.choice((list, tuple))([rubbish(rng, depth - 1) for _ in range(rng.randrange(5))])
    return card(rng) if kind < 0.7 else rng.choice(SMALL)


def card(rng: Random) -> str:
    """What looks like a card, and may be none."""
    return rng.choice("A234567890JQKZ") + rng.choice("SHDCZ")


def spoiled(rng: Random, play: Any) -> Any:
    """The play with one of its parts, or the whole, replaced by rubbish."""
    return _replaced(play, rng.choice(list(_paths(play))), rubbish(rng))


def _paths(value: Any) -> Iterator[Sequence[int]]:
    yield ()
    if isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from ((index, *path) for path in _paths(part))


def _replaced(value: Any, path: Sequence[int], part: Any) -> Any:
    if not path:
        return part
    items = list(value)
    items[path[0]] = _replaced(items[path[0]], path[1:], part)
    return type(value)(items)
