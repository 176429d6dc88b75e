"""Locks a child down before it gets the player's file. The fork server does part of this once for all its children.

Standard library only. Every step raises OSError if the kernel refuses it: a child that is only half locked down never
continues.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from sandbox.inside.wire import BROKEN, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PARENT: Final = 0x8000  # CLONE_PARENT: a sibling instead of a child
_NEWIPC, _NEWUSER, _NEWPID = 0x8000000, 0x10000000, 0x20000000
# No network namespace: the jail's own is already empty, and another one costs half as much as the whole fork. No mount
# namespace either: a child has no rights over the jail's, but would have them over one of its own.
NAMESPACES: Final = _NEWUSER | _NEWPID | _NEWIPC

_SIGCHLD: Final = 17
CHANNEL: Final = 3  # the only descriptor besides the standard ones: the fork server's, or the player's
DESCRIPTORS: Final = 4096  # the limit on their numbers, and on those in transit from a user's jails to workers
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_GET_DUMPABLE, _SET_DUMPABLE, _SET_SECCOMP, _DROP_FROM_BOUNDING_SET, _SET_NO_NEW_PRIVS = 3, 4, 22, 24, 38
_FILTER: Final = 2
_SET_MODE_FILTER, _NEW_LISTENER = 1, 1 << 3
_CAPABILITIES_V3: Final = 0x20080522

_OF_MACHINE: Final = {
    "x86_64": {
        "write": 1, "recvmsg": 47, "clone": 56, "chdir": 80, "setpgid": 109, "capget": 125, "capset": 126,
        "prctl": 157, "chroot": 161, "mount": 165, "dup3": 292, "prlimit64": 302, "seccomp": 317,
    },
    "aarch64": {
        "dup3": 24, "mount": 40, "chdir": 49, "chroot": 51, "write": 64, "capget": 90, "capset": 91, "setpgid": 154,
        "prctl": 167, "recvmsg": 212, "clone": 220, "prlimit64": 261, "seccomp": 277,
    },
}  # fmt: skip
_NUMBERS: Final = {
    "close_range": 436,
    "openat2": 437,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
    **_OF_MACHINE.get(os.uname().machine, {}),
}

_syscall = ctypes.PyDLL(None, use_errno=True).syscall  # PyDLL keeps the interpreter lock, as a fork needs
_syscall.argtypes = [ctypes.c_long] * 6
_syscall.restype = ctypes.c_long

Call = tuple[int, int, int, int, int, int]
"""A system call: its number and arguments."""


def system_call(name: str, *arguments: int) -> Call:
    """Prepare a system call."""
    number, first, second, third, fourth, fifth = (_NUMBERS[name], *arguments, 0, 0, 0, 0, 0)[:6]
    return number, first, second, third, fourth, fifth


def call(wanted: Call) -> int:
    """Make a system call and return its result. Raises OSError."""
    result: int = _syscall(*wanted)
    if result < 0:
        raise _call_error(wanted)
    return result


def _call_error(refused: Call) -> OSError:
    error = ctypes.get_errno()
    name = next(name for name, number in _NUMBERS.items() if number == refused[0])
    return OSError(error, f"{name}: {os.strerror(error)}")


_FLAGS: Final = (0, PARENT, NAMESPACES, NAMESPACES | PARENT)
_CLONE: Final = {flags: system_call("clone", flags | _SIGCHLD) for flags in _FLAGS}


def fork(flags: int, calls: Sequence[Call] = ()) -> int:
    """Like os.fork, but the child starts in new namespaces, and makes some system calls first.

    What Python does around a fork is left out: it writes to a hundred pages, and matters only to processes with threads
    and to `random`'s own seed, which no player sees. The child makes all its system calls in this function: for each
    further function, name or number, Python might have to write to a further page to count references.
    """
    pid: int = _syscall(*_CLONE[flags])
    if pid:
        if pid < 0:
            raise _call_error(_CLONE[flags])
        return pid
    try:
        for wanted in calls:
            if _syscall(*wanted) < 0:
                raise _call_error(wanted)
    except BaseException as error:  # noqa: BLE001 - a child must never return into the fork server
        os.write(CHANNEL, BROKEN + repr(error).encode())
        os._exit(1)
    return 0


_CAPABILITIES: Final = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITIES_V3, 0))  # of this process
_NONE: Final = ctypes.create_string_buffer(24)
_GIVE_UP: Final = system_call("capset", ctypes.addressof(_CAPABILITIES), ctypes.addressof(_NONE))


def become(uid: int) -> int:
    """Give up root permanently, and every capability. Returns the capabilities that this process had, with a bit for
    each."""
    held = ctypes.create_string_buffer(24)
    call(system_call("capget", ctypes.addressof(_CAPABILITIES), ctypes.addressof(held)))
    with suppress(OSError):  # beyond the last
        for capability in range(64):
            call(system_call("prctl", _DROP_FROM_BOUNDING_SET, capability))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    call(_GIVE_UP)
    _, low, _, _, high, _ = struct.unpack("6I", held.raw)
    return int(high << 32 | low)


def give_up() -> None:
    """Give up every capability."""
    call(_GIVE_UP)


def hide_from_ptrace() -> None:
    """Keep other processes of the same user from looking into this process and its children."""
    call(system_call("prctl", _SET_DUMPABLE, 0))


def is_hidden() -> bool:
    """Whether `hide_from_ptrace` is in effect for this process."""
    return call(system_call("prctl", _GET_DUMPABLE)) == 0


def show_in_proc() -> None:
    """Undo `hide_from_ptrace`: this process again owns its own files in /proc."""
    call(system_call("prctl", _SET_DUMPABLE, 1))


def no_new_privileges() -> None:
    """Keep this process and its children from ever gaining rights; landlock and seccomp require it."""
    call(system_call("prctl", _SET_NO_NEW_PRIVS, 1))


def landlock_version() -> int:
    """Return the version of the kernel's landlock ABI, or 0 if it has none."""
    try:
        return call(system_call("landlock_create_ruleset", 0, 0, 1))
    except OSError:
        return 0


def landlock_rules(version: int, readable: Iterable[str]) -> int:
    """Create a ruleset that only allows reading the given folders, and return its descriptor."""
    rules = landlock_ruleset(version)
    for folder in readable:
        landlock_allow(rules, folder, _READ_FILE | _READ_DIR)
    return rules


def landlock_ruleset(version: int) -> int:
    """Create a ruleset that allows nothing, and return its descriptor."""
    network, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", landlock_rights(version), network, scope))
    return call(system_call("landlock_create_ruleset", ctypes.addressof(attributes), size))


def landlock_rights(version: int) -> int:
    """Return all file rights that this version of landlock knows."""
    return (1 << 13) - 1 | (version >= 2) << 13 | (version >= 3) << 14 | (version >= 5) << 15


def landlock_allow(rules: int, path: str, rights: int) -> None:
    """Add to a ruleset the rights to a file, or to everything in a folder. Raises OSError."""
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=QI", rights, opened))
        call(system_call("landlock_add_rule", rules, 1, ctypes.addressof(rule)))
    finally:
        os.close(opened)


class _SockFprog(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Filter:
    """A seccomp program, ready in memory."""

    def __init__(self, code: bytes) -> None:
        self._code = ctypes.create_string_buffer(code, len(code))
        self._program = _SockFprog(len(code) // 8, ctypes.addressof(self._code))
        self.call = system_call("prctl", _SET_SECCOMP, _FILTER, ctypes.addressof(self._program))

    def install(self) -> None:
        """Put this process and its children under the filter permanently."""
        call(self.call)

    def install_and_listen(self) -> int:
        """Install the filter, and return a descriptor on which calls that need an answer are reported."""
        return call(system_call("seccomp", _SET_MODE_FILTER, _NEW_LISTENER, ctypes.addressof(self._program)))


def limit_family() -> None:
    """Set the resource limits that are the same for every child. The fork server, from which children inherit them, is
    subject to them too."""
    for what, value in (
        (resource.RLIMIT_STACK, 8 << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 8),
    ):
        resource.setrlimit(what, (value, value))


class Lock:
    """The system calls with which children lock themselves down, laid out in memory before the fork."""

    def __init__(self, rules: int, filters: Sequence[bytes], namespaces: int, limited: bool, root: str) -> None:
        """`rules`: the descriptor of landlock's ruleset, or -1. `filters`: the fork server's filter, which is installed
        now, and the children's. `root`: the only folder that children see, or "" for the jail's own root; only children
        with namespaces can change it."""
        self.namespaces = namespaces
        self._limited = limited
        self._word = ctypes.create_string_buffer(LOCKED)
        self._root, self._top = (ctypes.create_string_buffer(folder.encode()) for folder in (root, "/"))
        self._rules = rules
        if limited:
            limit_family()
        self._filter: Filter | None = None
        if filters:
            Filter(filters[0]).install()
            self._filter = Filter(filters[1])

    def calls(self, channel: int, printed: int, limits: int) -> Iterator[Call]:
        """Yield all system calls of a child; the last one sends the message that the child is locked. At first the
        parent's channel is at `CHANNEL`; the child's own channel replaces it and carries the message. `limits`: the
        address of the child's own resource limits."""
        yield system_call("dup3", channel, CHANNEL)
        yield system_call("dup3", printed, 1)
        yield system_call("dup3", printed, 2)
        yield system_call("setpgid", 0, 0)  # a process group extends across namespaces
        if self.namespaces:
            if self._root.value:
                yield system_call("chroot", ctypes.addressof(self._root))
                yield system_call("chdir", ctypes.addressof(self._top))
            yield _GIVE_UP  # give up what a new user namespace granted
        if self._rules >= 0:
            yield system_call("landlock_restrict_self", self._rules)
        yield system_call("close_range", CHANNEL + 1, DESCRIPTORS)
        if self._limited:
            for place, what in enumerate(OWN_LIMITS):
                yield system_call("prlimit64", 0, what, limits + LIMIT * place)
        if self._filter:
            yield self._filter.call
        yield system_call("write", CHANNEL, ctypes.addressof(self._word), len(LOCKED))


OWN_LIMITS: Final = (
    resource.RLIMIT_AS,
    resource.RLIMIT_CPU,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
)
"""A child's own limits, a backstop behind the host's clock and the filter."""
LIMIT: Final = 16  # bytes of each: the same number twice
