"""Strictly decodes everything that comes out of a jail. For any bytes, the result is plain data, a checked report, or
`Malformed`.
"""

import json
from collections.abc import Callable
from sys import intern
from typing import Any, Final

from sandbox.inside.wire import MAX_DEPTH, MAX_INT_BITS

MAX_QUESTIONS: Final = 10_000  # how many questions a player may ask during one call
WRONG_FORMAT: Final = "bytes that are not in the sandbox's format"

_BIG: Final = 1 << MAX_INT_BITS
_SMALL: Final = 64


class Malformed(Exception):
    """Bytes that are not encoded plain data; the message ends the sentence "The function returned …"."""


def _reject(constant: str) -> Any:
    raise Malformed(f"the number {constant}, which is not an ordinary number")


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_constant=_reject).scan_once  # type: ignore[attr-defined]


def decode(body: bytes) -> Any:
    """Decode the plain data that the guest encoded with `wire.encode`. Raises Malformed."""
    return _restore(_parsed(body), 0)


def decode_several(body: bytes) -> tuple[frozenset[int], list[Any]]:
    """Decode the replies to several calls. Returns the indexes of replies that report faults, and all replies. Raises
    Malformed."""
    match _parsed(body):
        case [[*faults], [*replies]] if all(type(each) is int for each in faults):
            return frozenset(faults), [_restore(reply, 0) for reply in replies]
    raise Malformed(WRONG_FORMAT)


def _parsed(body: bytes) -> Any:
    try:
        text = body.decode()
        value, end = _scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise Malformed(WRONG_FORMAT) from error
    if end != len(text):
        raise Malformed(WRONG_FORMAT)
    return value


def decode_question(body: bytes) -> tuple[str, list[Any]]:
    """Decode the name and the arguments of a player's question. Raises Malformed."""
    match decode(body):
        case [str(name), *args]:
            return name, args
    raise Malformed("a question that is not in the sandbox's format")


def _restore(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return _checked_string(value)
    if kind is int:
        if not -_BIG < value < _BIG:
            raise Malformed("an integer of thousands of digits")
        return value
    if kind is dict:
        return _restore_tagged(value, depth)
    if kind is list:
        return _restore_items(value, depth)
    if kind is float and value - value != 0:  # such as 1e999, which becomes infinite when parsed
        _reject("inf")
    return value


def _checked_string(value: str) -> str:
    if len(value) <= _SMALL and value.isascii():
        return intern(value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Malformed("a string with half a character (a lone surrogate)") from error
    return value


def _restore_items(items: Any, depth: int) -> list[Any]:
    if type(items) is not list:
        raise Malformed(WRONG_FORMAT)
    if depth >= MAX_DEPTH:
        raise Malformed("a value that is nested too deeply")
    depth += 1
    return [_restore(item, depth) for item in items]


def _restore_tagged(value: dict[str, Any], depth: int) -> Any:
    if len(value) != 1:
        raise Malformed(WRONG_FORMAT)
    (tag, items), = value.items()  # fmt: skip
    try:
        return _TAGS[tag](_restore_items(items, depth))
    except (KeyError, TypeError, ValueError) as error:
        raise Malformed(WRONG_FORMAT) from error


def _dict_of_pairs(items: list[Any]) -> dict[Any, Any]:
    if any(type(item) is not list or len(item) != 2 for item in items):
        raise Malformed(WRONG_FORMAT)
    return dict(items)


_TAGS: Final[dict[str, Callable[[list[Any]], Any]]] = {"t": tuple, "s": set, "d": _dict_of_pairs}


class PlayerReport:
    """What a player's process reports about itself; each field is checked when it is read. Methods raise Malformed."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise Malformed(WRONG_FORMAT)
        self._data = data

    def text(self, key: str) -> str:
        """Return a string of at most 1,000 characters, with terminal control characters replaced."""
        value = self._data.get(key)
        if not isinstance(value, str) or len(value) > 1000:
            raise Malformed(WRONG_FORMAT)
        if value.isprintable():
            return value
        return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in value)

    def word(self, key: str, length: int = 100) -> str:
        """Return a name or a few words on one line."""
        return self.text(key).replace("\n", "\N{REPLACEMENT CHARACTER}")[:length]

    def words(self, key: str) -> list[str]:
        """Return a list of at most 20 names."""
        names = self._few(key)
        if not all(isinstance(each, str) for each in names):
            raise Malformed(WRONG_FORMAT)
        return ["".join(c for c in each if c.isprintable())[:100] for each in names]

    def number(self, key: str) -> int | None:
        """Return a small number, or None if the report has none."""
        value = self._data.get(key)
        return value if isinstance(value, int) and -1 < value < 1 << 31 else None

    def frames(self) -> list[tuple[int, str, int]]:
        """Return the running calls in the player's own file, innermost last, as (line, function, times repeated)."""
        return [_frame(item) for item in self._few("frames")]

    def _few(self, key: str) -> list[Any]:
        value = self._data.get(key)
        if not isinstance(value, list) or len(value) > 20:
            raise Malformed(WRONG_FORMAT)
        return value


def _frame(item: Any) -> tuple[int, str, int]:
    match item:
        case [int(line), str(name), int(times)] if 0 <= line < 1 << 31 and len(name) <= 100:
            return line, "".join(c for c in name if c.isprintable()), times
    raise Malformed(WRONG_FORMAT)
