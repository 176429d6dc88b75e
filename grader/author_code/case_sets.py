"""Case sets as data: all cases of a question as bytes, from which the very same values come back.

The format is compressed JSON, in which a list stands for itself and everything that JSON lacks is an object with one
key: a tuple is `{"t": […]}`, a set `{"s": […]}`, a dict `{"d": [[key, value], …]}`, a long integer `{"i": "0x…"}`, and
a float that is not finite `{"f": "inf"}`. Reading it runs nothing, whoever wrote the bytes.
"""

import json
import zlib
from collections.abc import Callable, Iterable
from sys import intern
from typing import Any, Final

from tournament.games.api import Case

LARGEST: Final = 64 << 20
"""Bytes of JSON that are read; several times what any case set holds."""

_DIGITS_BITS: Final = 13_000  # longer integers are written in hexadecimal digits: Python limits the others
_INTERNED: Final = 64  # characters; the sandbox sends such strings faster if they are interned


class NotACaseSet(ValueError):
    """Bytes that `pack` did not make."""


def pack(cases: Iterable[Case]) -> bytes:
    """The cases as bytes. Raises TypeError for a value that is not plain data (see `sandbox.api.Value`)."""
    data = [[_written(case.args), _written(case.expected), case.title] for case in cases]
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode())


def unpack(packed: bytes) -> tuple[Case, ...]:
    """The cases that were packed. Raises NotACaseSet."""
    reading = zlib.decompressobj()
    try:
        text = reading.decompress(packed, LARGEST)
        if not reading.eof:
            raise NotACaseSet("The case set is cut off, or too large.")
        return tuple(_case(each) for each in json.loads(text))
    except (ValueError, TypeError, LookupError, RecursionError, zlib.error) as error:
        raise NotACaseSet(f"These bytes are not a case set: {error}") from error


def _case(data: Any) -> Case:
    args, expected, title = data
    args = _read(args)
    if type(args) is not tuple or type(title) is not str:
        raise NotACaseSet("A case lacks its arguments or its title.")
    return Case(args, _read(expected), title)


def _written(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is list:
        return [_written(each) for each in value]
    if kind is tuple:
        return {"t": [_written(each) for each in value]}
    if kind is int:
        return value if value.bit_length() <= _DIGITS_BITS else {"i": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"f": repr(value)}
    if kind is set:
        return {"s": [_written(each) for each in value]}
    if kind is dict:
        return {"d": [[_written(key), _written(each)] for key, each in value.items()]}
    raise TypeError(f"a case cannot hold a value of type {kind.__name__}")


def _read(data: Any) -> Any:
    kind = type(data)
    if kind is str:
        return intern(data) if len(data) <= _INTERNED else data
    if kind is list:
        return [_read(each) for each in data]
    if kind is dict:
        ((tag, content),) = data.items()
        return _READERS[tag](content)
    return data


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "t": lambda items: tuple([_read(each) for each in items]),
    "s": lambda items: {_read(each) for each in items},
    "d": lambda pairs: {_read(key): _read(each) for key, each in pairs},
    "i": lambda digits: int(digits, 16),
    "f": float,
}
