"""Locks down a command's first process, which then becomes the program. Every step raises OSError if the kernel refuses
it: a process that is only half locked down never continues.

The system call filter is installed before the program starts. It reports to the keeper each forbidden call, and the
call that starts the program, which is the only one that the keeper allows.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import struct
from contextlib import suppress

from sandbox.inside import lockdown
from sandbox.inside.programs.scratch import FOLDER
from sandbox.inside.wire import BROKEN, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_SOCKET, _RULES = 3, 4  # descriptors: to the keeper until the program starts; of landlock's rules
_ABOVE: Final = 8
_ALL: Final = lockdown.DESCRIPTORS
_READ_FILE, _READ_DIR, _EXECUTE = 1 << 2, 1 << 3, 1 << 0
_SPECIAL: Final = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11  # devices, sockets and pipes with names
_NOT_STARTED: Final = 126
_FIRST_TO_GO: Final = "1000"


class KeeperPlace:
    """The jail as a keeper finds it."""

    def __init__(self, settings: dict[str, Any], landlock: int) -> None:
        """`landlock`: the kernel's version of landlock, 0 if it has none."""
        layers = settings["layers"]
        self.root: str = settings["root"]  # the folder that becomes the command's root if the keeper can change it
        self.landlock = landlock if "landlock" in layers else 0
        self.filters: dict[str, bytes] = settings["filters"] if "seccomp" in layers else {}
        self.own_pid: bytes = settings["own_pid"]  # the filters' placeholder for the command's own process number
        self.limited = "rlimits" in layers
        self.nested = self.mounts = False  # whether keepers have namespaces of their own, and mounts of their own
        self.uid, self.gid = os.getuid(), os.getgid()

    @property
    def counts_processes(self) -> bool:
        """Whether the kernel counts a user's processes separately in each namespace, instead of over all jails."""
        major, minor = (int(part) for part in os.uname().release.split(".")[:2])
        return self.nested and (major, minor) >= (5, 14)

    @property
    def top(self) -> str:
        """The prefix of a command's absolute paths while its root has not been changed."""
        return self.root if self.nested else ""


class Confinement:
    """The lock-down that a command's first process will apply to itself, prepared before the process exists."""

    def __init__(self, place: KeeperPlace, orders: dict[str, Any]) -> None:
        self.root = place.root if place.nested else ""
        self.rules = _readable_rules(place, orders["readable"]) if place.landlock else -1
        self.filter = place.filters.get(orders["filter"], b"")
        self.own_pid = place.own_pid
        self.limits = [
            (getattr(resource, f"RLIMIT_{name}"), tuple(values))
            for name, values in orders["limits"].items()
            if place.limited and name != "NOFILE" and (name != "NPROC" or place.counts_processes)
        ]
        self.descriptors = tuple(orders["limits"]["NOFILE"]) if place.limited else ()  # see `keeper._run_to_end`
        self.program: str = orders["program"]
        self.argv = [os.fsencode(word) for word in orders["argv"]]
        self.environment = {os.fsencode(name): os.fsencode(value) for name, value in orders["environment"].items()}


def _readable_rules(place: KeeperPlace, readable: list[str]) -> int:
    rules = lockdown.landlock_ruleset(place.landlock)
    own = lockdown.landlock_rights(place.landlock) & ~_SPECIAL
    lockdown.landlock_allow(rules, f"{place.root}{FOLDER}", own)
    for path in readable:
        whole = f"{place.top}{path}"
        folder = _READ_DIR if os.path.isdir(whole) else 0
        lockdown.landlock_allow(rules, whole, _READ_FILE | _EXECUTE | folder)
    return rules


def start(lock: Confinement, keeper: socket.socket, streams: tuple[int, int, int]) -> NoReturn:
    """Become the program. If anything fails, tell the keeper."""
    try:
        _arrange_descriptors(lock, keeper, streams)
        _lock(lock)
    except BaseException as error:  # noqa: BLE001 - it must never return into the keeper
        os.write(_SOCKET, BROKEN + repr(error).encode())
        os._exit(1)
    try:
        os.execve(lock.program, lock.argv, lock.environment)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(_SOCKET, str(error.errno).encode())
    os._exit(_NOT_STARTED)


def _arrange_descriptors(lock: Confinement, keeper: socket.socket, streams: tuple[int, int, int]) -> None:
    """Give every descriptor that is needed its number, and close all others."""
    wanted = [*streams, keeper.fileno(), *([lock.rules] if lock.rules >= 0 else [])]
    copies = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for each in wanted]
    for number, copy in enumerate(copies):
        os.dup2(copy, number, inheritable=number < _SOCKET)
    os.closerange(len(copies), _ALL)


def _lock(lock: Confinement) -> None:
    os.setpgid(0, 0)
    lockdown.show_in_proc()  # until the program starts; from then on it is shown anyway
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(_FIRST_TO_GO)  # killed first when memory runs out, before the keeper and the launcher
    if lock.root:
        os.chroot(lock.root)
    os.chdir(FOLDER)
    lockdown.give_up()
    if lock.rules >= 0:
        lockdown.call(lockdown.system_call("landlock_restrict_self", _RULES))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    for what, value in lock.limits:
        resource.setrlimit(what, value)
    with socket.socket(fileno=os.dup(_SOCKET)) as keeper:
        if not lock.filter:
            keeper.send(LOCKED)
            return
        own = lock.filter.replace(lock.own_pid, struct.pack("=I", os.getpid()))
        listener = lockdown.Filter(own).install_and_listen()
        socket.send_fds(keeper, [LOCKED], [listener])
        os.close(listener)
