"""A template: a process that has loaded what some players use, and from then on only forks. A child sees its parent as
it was at the fork: modules, addresses, free memory, every byte. So that this reveals nothing about other players,
children are forked from a process that always does the same: the same system calls, with the same descriptors and the
same places in memory, whatever has happened. The kernel writes requests to the very place where they are used. There is
one template for each set of modules, all forked from the first; the fork server (`guest.py`) is the parent of all
processes. For players that import modules such as `dataclasses`, a template of their own makes a game of Uno five times
as fast. Standard library only.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import marshal
import os
import resource
import struct
from collections.abc import Iterable
from contextlib import suppress
from sys import intern
from types import ModuleType

from sandbox.inside.lockdown import CHANNEL, PARENT, Lock, call, fork, system_call
from sandbox.inside.player import run
from sandbox.inside.wire import receive_long

TYPE_CHECKING = False  # mypy treats it as true; this way no file in the jail loads `typing`
if TYPE_CHECKING:
    import _socket as socket
    from typing import Final, NoReturn

    from sandbox.inside.player import PlayerRuntime

ORDER: Final = 512  # bytes of the message that asks for a child: its limits, and padding
ANOTHER: Final = bytes(1024)  # the message that asks for another template
PID: Final = struct.Struct("i")  # the answer to either message
_DESCRIPTORS: Final = 2  # descriptors of an order: the child's channel, and the file for its output

PRELOADED: Final = (
    *("abc", "bisect", "collections.abc", "copy", "functools", "heapq"),
    *("itertools", "math", "operator", "random", "time", "types"),
)  # what players use, loaded once by the fork server instead of by each child

_NAMES: Final = 12_000  # after this many new names the table has certainly grown, perhaps into existing pages
_MOVED: Final = 16  # pages; a single new name never needs that many


class _Vector(ctypes.Structure):
    _fields_ = (("place", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _Message(ctypes.Structure):
    """`struct msghdr`, recvmsg(2)."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_uint32),
        ("vectors", ctypes.POINTER(_Vector)),
        ("count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_size", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


def order(memory: int, cpu_s: int, output: int) -> bytes:
    """Return the message that asks for a child under these limits (bytes, seconds, bytes)."""
    values = (memory, cpu_s, output, 16, 0)
    return b"".join(struct.pack("QQ", value, value) for value in values).ljust(ORDER, b"\0")


def serve(channel: socket.socket, lock: Lock, player: PlayerRuntime) -> NoReturn:
    """Fork for each message, until the fork server hangs up. A message is an order for a child, with the descriptors of
    its channel and of the file for its output; or ANOTHER, with the descriptor of another template's channel."""
    message, number = ctypes.create_string_buffer(len(ANOTHER)), ctypes.create_string_buffer(PID.size)
    vector = _Vector(ctypes.addressof(message), len(ANOTHER))
    control = ctypes.create_string_buffer(16 + PID.size * _DESCRIPTORS)
    header = _Message(None, 0, ctypes.pointer(vector), 1, ctypes.addressof(control), len(control), 0)
    first = os.dup(CHANNEL)  # the number of the next descriptor here, the same for all that will arrive
    os.close(first)
    receive = system_call("recvmsg", CHANNEL, ctypes.addressof(header), 0)
    answer = system_call("write", CHANNEL, ctypes.addressof(number), PID.size)
    forget = system_call("close_range", first, first + _DESCRIPTORS)
    ways = {
        ORDER: (lock.namespaces | PARENT, [*lock.calls(first, first + 1, ctypes.addressof(message))]),
        len(ANOTHER): (PARENT, [system_call("dup3", first, CHANNEL), forget]),
    }
    while True:
        size = call(receive)
        if not size:
            os._exit(0)
        pid = fork(*ways[size])
        if pid == 0:
            if size == ORDER:
                run(player)
            _load(channel, player)
            continue
        PID.pack_into(number, 0, pid)
        call(answer)
        call(forget)
        PID.pack_into(number, 0, 0)
        pid = 0  # in this order, so that next time everything is in the same place
        size = 0


def _load(channel: socket.socket, player: PlayerRuntime) -> None:
    """Load, once for all children, the modules that the host names: the standard library's and the game's own."""
    names, sources = marshal.loads(receive_long(channel))  # noqa: S302 - from the host
    for name, source in sources.items():  # the game's code, never a player's
        player.modules[name] = made = ModuleType(name)
        made.__file__ = f"<{name}>"
        exec(compile(source, made.__file__, "exec", dont_inherit=True), vars(made))  # noqa: S102 - not a player's
    load_modules(names)
    settle()


def load_modules(names: Iterable[str]) -> None:
    """Load these standard library modules, skipping those that do not exist."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)


def settle() -> None:
    """Tell Python's garbage collector that all existing objects will stay."""
    gc.collect()
    _make_room_for_names()
    gc.freeze()


def _make_room_for_names() -> None:
    """Make Python's table of names grow now. If the table became full in a child, moving it would cost some 50 pages,
    so this saves 9% of a game of Uno and 13% of a player's start. Only the number of new pages shows that the table has
    grown."""
    for number in range(_NAMES):
        before = _new_pages()
        intern(f"quadrille {number}")  # each name is freed immediately, but its slot in the table stays taken
        if _new_pages() - before > _MOVED:
            break


def _new_pages() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
