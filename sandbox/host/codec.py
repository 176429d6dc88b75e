"""Strict decoding of what comes out of the box: whatever the bytes are, the result is plain data or `Malformed`."""

import json
from collections.abc import Callable
from sys import intern
from typing import Any, Final

from sandbox.inside.wire import MAX_DEPTH, MAX_INT_BITS

MAX_QUESTIONS: Final = 10_000
"""That a player may ask during one call."""

_BIG: Final = 1 << MAX_INT_BITS
_SMALL: Final = 64


class Malformed(Exception):
    """Bytes that are no encoded plain data; the message says what is wrong with them."""


def _reject(constant: str) -> Any:
    raise Malformed(f"the number {constant}, which is no ordinary number")


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_constant=_reject).scan_once  # type: ignore[attr-defined]


def parse(body: bytes) -> Any:
    """The bare JSON value that is the whole of `body`. Raises Malformed."""
    try:
        text = body.decode()
        value, end = _scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise Malformed("bytes that are not in the sandbox's format") from error
    if end != len(text):
        raise Malformed("bytes that are not in the sandbox's format")
    return value


def decode(body: bytes) -> Any:
    """The plain data that the guest encoded with `wire.encode`. Raises Malformed."""
    return _restore(parse(body), 0)


def decode_question(body: bytes) -> tuple[str, list[Any]]:
    """What a player asks, and with which arguments. Raises Malformed."""
    match decode(body):
        case [str(name), *args]:
            return name, args
    raise Malformed("a question that is not in the sandbox's format")


def _restore(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is int:
        if not -_BIG < value < _BIG:
            raise Malformed("an integer of thousands of digits")
        return value
    if kind is dict:
        return _restore_tagged(value, depth)
    if kind is list:
        return _restore_items(value, depth)
    if kind is float and value - value != 0:  # 1e999 is infinite without being spelt so
        raise Malformed("the number inf, which is no ordinary number")
    return value


def _text(value: str) -> str:
    if len(value) <= _SMALL and value.isascii():
        return intern(value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Malformed("a string with half a character (a lone surrogate)") from error
    return value


def _restore_items(items: Any, depth: int) -> list[Any]:
    if type(items) is not list:
        raise Malformed("bytes that are not in the sandbox's format")
    if depth >= MAX_DEPTH:
        raise Malformed("a value that is nested too deeply")
    depth += 1
    return [_restore(item, depth) for item in items]


def _restore_tagged(value: dict[str, Any], depth: int) -> Any:
    if len(value) != 1:
        raise Malformed("bytes that are not in the sandbox's format")
    (tag, items), = value.items()  # fmt: skip
    try:
        return _TAGS[tag](_restore_items(items, depth))
    except (KeyError, TypeError, ValueError) as error:
        raise Malformed("bytes that are not in the sandbox's format") from error


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if any(type(item) is not list or len(item) != 2 for item in items):
        raise Malformed("bytes that are not in the sandbox's format")
    return dict(items)


_TAGS: Final[dict[str, Callable[[list[Any]], Any]]] = {"t": tuple, "s": set, "d": _pairs}
