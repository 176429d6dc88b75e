"""The frames between host and guest. Used on both sides of the wall; standard library only.

From host to guest, the trusted direction, frames are `marshal` data, which distinguishes tuples from lists and
preserves interned strings. From guest to host they are `TAG + nonce + JSON`, which the host decodes strictly
(`codec.py`). In that JSON a tuple is `{"t": [...]}`, a set `{"s": [...]}` and a dict `{"d": [[key, value], ...]}`;
every other value stands for itself.
"""

from __future__ import annotations

import _json
import _socket as socket
import marshal
import struct
from collections.abc import Callable, Iterable
from sys import intern
from types import CoroutineType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MARSHAL: Final = 4
NONCE: Final = 8  # bytes
CHUNK: Final = 64 << 10  # longer frames to the guest are split into messages of this size and a shorter last one
TICK_S: Final = 0.05  # the host looks at the clocks this often while it waits for a reply
ROOM: Final = 16 << 10  # after so many bytes, a player asked for several replies sends what it has
SHORT_S: Final = 0.002  # and after so many seconds
CODE: Final = 128 << 10  # a file with longer compiled code is compiled again for each child

LOCKED: Final = b"L"  # the child is locked down and waits for its player
COMPILED: Final = b"C"  # the player's file is a Python program; marshalled code follows, or nothing if it is too long
READY: Final = b"R"  # the player is loaded
VALUE: Final = b"V"
VALUES: Final = b"S"  # the replies to the first of several calls: which of them are faults that left no trace, and all
PARTLY: Final = b"P"  # the same; the next frame contains the fault of the following call, which left a trace
FAULT: Final = b"F"
RAISED: Final = b"E"  # a fault that left no trace: the process continues
QUESTION: Final = b"Q"
WHERE: Final = b"W"  # where the player is when it is out of time
BROKEN: Final = b"!"  # an internal error, only before LOCKED

EXIT_BROKEN: Final = 70  # exit status of a player that broke the interpreter under the guest
EXIT_MEMORY: Final = 71  # exit status of a player that left the guest too little memory to continue

MAX_DEPTH: Final = 40
MAX_INT_BITS: Final = 13_280  # just under 4,000 digits

# The position after the nonce with which a frame to the guest begins
NONCE_END: Final = len(marshal.dumps((bytes(NONCE),), MARSHAL))
_STRING_HEAD: Final = 2  # bytes that marshal puts before a short string

_SMALL: Final = 64

_quote: Callable[[str], str] = _json.encode_basestring_ascii
_int = int.__repr__
_float = float.__repr__


PLAIN_ONLY: Final = "only numbers, strings, True, False, None, lists, tuples, sets and dictionaries can be returned"


class Unsendable(Exception):
    """A value that is not plain data; the message ends the sentence "The function returned …"."""


def encode(value: Any, depth: int = 0) -> str:
    """Return the JSON of a value. Instances of subclasses are sent as their plain content. Raises Unsendable."""
    kind = type(value)
    if kind is str:
        return _quote(value)
    if kind is int:
        return _encode_int(value)
    if kind is tuple:
        return '{"t":[' + _encode_items(value, depth) + "]}"
    if kind is list:
        return "[" + _encode_items(value, depth) + "]"
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return _encode_float(value)
    return _encode_rarely(value, kind, depth)


def _encode_items(items: Iterable[Any], depth: int) -> str:
    if depth >= MAX_DEPTH:
        raise Unsendable("a value that contains itself or is nested too deeply")
    depth += 1
    return ",".join([encode(item, depth) for item in items])


def _encode_int(value: int) -> str:
    if -(1 << 62) < value < 1 << 62:
        return _int(value)
    if value.bit_length() > MAX_INT_BITS:
        raise Unsendable("an integer of thousands of digits")
    return _int(value)


def _encode_float(value: float) -> str:
    if value - value != 0:
        raise Unsendable(f"the number {value}, which is not an ordinary number")
    return _float(value)


def _encode_rarely(value: Any, kind: type, depth: int) -> str:
    if issubclass(kind, set):
        return '{"s":[' + _encode_items(set.__iter__(value), depth) + "]}"
    if issubclass(kind, dict):
        return '{"d":[' + ",".join([_encode_pair(pair, depth) for pair in dict.items(value)]) + "]}"
    for plain, content in _CONTENT:
        if issubclass(kind, plain):
            return encode(content(value), depth)
    name: str = type.__dict__["__name__"].__get__(kind)[:_SMALL]
    if kind is CoroutineType:
        value.close()  # otherwise Python prints a warning that nobody awaited it
    article = "an" if name[:1].lower() in "aeiou" else "a"
    raise Unsendable(f"{article} {name} object; {PLAIN_ONLY}")


def _encode_pair(pair: tuple[Any, Any], depth: int) -> str:
    return "[" + _encode_items(pair, depth) + "]"


# How to get the plain content of a subclass without running its own methods.
_CONTENT: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (str, lambda value: str.__add__("", value)),
    (int, int.__int__),
    (float, float.__pos__),
    (tuple, lambda value: (*tuple.__iter__(value),)),
    (list, lambda value: [*list.__iter__(value)]),
)


def timeval(seconds: float) -> bytes:
    """Return the time-out of a socket in the kernel's format. (Python's own time-outs cost another system call for each
    message.)"""
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))


def send_long(channel: socket.socket, frame: bytes) -> None:
    """Send a frame of any length to the guest."""
    if len(frame) % CHUNK == 0:
        frame += b"\0"  # a frame must end with a shorter message; marshal ignores what follows its value
    for start in range(0, len(frame), CHUNK):
        channel.send(frame[start : start + CHUNK])


def receive_long(channel: socket.socket) -> bytes:
    """Receive the host's next frame, of any length; empty if the host has hung up."""
    frame = channel.recv(CHUNK)
    if len(frame) < CHUNK:
        return frame
    parts = [frame]
    while len(parts[-1]) == CHUNK:
        parts.append(channel.recv(CHUNK))
    return b"".join(parts)


def load(frame: bytes, start: int = 0) -> Any:
    """Return the value of a host's frame, with all short strings interned, so that `is` compares cards as `==` does.

    Games keep their cards interned. If all strings are interned, marshal interns everything itself, which saves 6% of a
    game. The search for marks of strings that are not interned begins at `start`, since a `z` in a nonce would look
    like such a mark.
    """
    value = marshal.loads(frame)  # noqa: S302 - only ever called with what the host sent
    return value if _all_interned(frame, start) else interned(value)


def load_call(frame: bytes) -> Any:
    """Load a call as `load` does: nonce, function, arguments and logs. The function's name may contain a `z`."""
    value = marshal.loads(frame)  # noqa: S302 - only ever called with what the host sent
    return value if _all_interned(frame, NONCE_END + _STRING_HEAD + len(value[1])) else interned(value)


def _all_interned(frame: bytes, start: int) -> bool:
    """Whether every short string is interned, i.e. the frame contains no type code of a short string that is not
    interned, with or without marshal's reference flag."""
    return frame.find(b"z", start) < 0 > frame.find(b"\xfa", start)


class LogCopy:
    """The player's side of an `api.Log`, which saves a fifth of a game of Bo or Uno."""

    __slots__ = ("_given", "_items", "_loose")

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._given: list[Any] = []  # the items that the player gets; lists within them are its own
        self._loose = False  # whether any item contains a list

    def fresh(self, kept: int, added: list[Any]) -> list[Any]:
        """Return a new list of the first `kept` items and those added, regardless of what the player did to earlier
        lists."""
        self._items[kept:] = added
        self._loose = self._loose or not all(map(_is_frozen, added))
        return self._copied(kept) if self._loose else self._items.copy()

    def _copied(self, kept: int) -> list[Any]:
        if self._given[:kept] != self._items[:kept]:  # the player changed a list within an item
            kept = 0
        self._given[kept:] = [item if _is_frozen(item) else _copy(item) for item in self._items[kept:]]
        return self._given.copy()


def _copy(item: Any) -> Any:
    return marshal.loads(marshal.dumps(item, MARSHAL))  # noqa: S302 - our own bytes


def _is_frozen(value: Any) -> bool:
    kind = type(value)
    if kind is tuple:
        return all(map(_is_frozen, value))
    return kind not in (list, dict, set)


def interned(value: Any) -> Any:
    """Return a copy of plain data in which every short string is interned."""
    kind = type(value)
    if kind is str:
        return intern(value) if len(value) <= _SMALL else value
    if kind is list:
        return [interned(item) for item in value]
    if kind is tuple:
        return tuple([interned(item) for item in value])
    if kind is dict:
        return {interned(key): interned(item) for key, item in value.items()}
    if kind is set:
        return {interned(item) for item in value}
    return value
