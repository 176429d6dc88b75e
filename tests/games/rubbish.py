"""What a player may return instead of a play: any plain data, deep, huge or weird, and plays with one part spoiled."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st


def _nested(container: Callable[[Any], Any]) -> Any:
    value: Any = ()
    for _ in range(10_000):
        value = container([value])
    return value


# By name, because Hypothesis cannot print them.
MONSTERS: dict[str, Any] = {
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


def monsters() -> st.SearchStrategy[Any]:
    """One of MONSTERS."""
    return st.sampled_from(sorted(MONSTERS)).map(lambda name: MONSTERS[name])


def rubbish() -> st.SearchStrategy[Any]:
    """Any plain data."""
    small = st.none() | st.booleans() | st.integers(-3, 8) | st.integers() | st.floats() | st.text(max_size=3)
    cards = st.builds(lambda value, suit: value + suit, st.sampled_from("A234567890JQKZ"), st.sampled_from("SHDCZ"))
    leaves = small | cards | monsters()
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple),
        max_leaves=8,
    )


def spoiled(plays: Sequence[Any]) -> st.SearchStrategy[Any]:
    """One of the plays with one of its parts, or the whole, replaced by rubbish."""

    def spoil(play: Any) -> st.SearchStrategy[Any]:
        paths = st.sampled_from(list(_paths(play)))
        return st.builds(lambda path, part: _replaced(play, path, part), paths, rubbish())

    return st.sampled_from(plays).flatmap(spoil)


def _paths(value: Any) -> Iterator[tuple[int, ...]]:
    yield ()
    if isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from ((index, *path) for path in _paths(part))


def _replaced(value: Any, path: tuple[int, ...], part: Any) -> Any:
    if not path:
        return part
    items = list(value)
    items[path[0]] = _replaced(items[path[0]], path[1:], part)
    return type(value)(items)
