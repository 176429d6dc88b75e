"""What a child does to itself before it touches the player's file. Inside the box; standard library only.

Every step raises OSError when the kernel refuses it: a half-locked child never goes on.
"""

import ctypes
import os
import resource
import struct
from collections.abc import Iterable
from typing import Any, Final

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID = 0x10000000, 0x20000000
# No network namespace: the jail's own is empty already, and another costs half as much again as the whole fork.
NAMESPACES: Final = _NEWUSER | _NEWPID | _NEWNS | _NEWIPC | _NEWUTS | _NEWCGROUP

_SIGCHLD, _CLONE = 17, {"x86_64": 56, "aarch64": 220}
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVS = 4, 22, 38
_FILTER: Final = 2
_CAPABILITIES_V3: Final = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
_held = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter lock, as a fork must
_python = ctypes.pythonapi


class _SockFprog(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def _prctl(option: int, *arguments: Any) -> None:
    values = (*arguments, 0, 0, 0, 0)[:4]
    _checked(_libc.prctl(option, *(ctypes.c_ulong(v) if isinstance(v, int) else v for v in values)), f"prctl {option}")


def fork(flags: int = 0) -> int:
    """Like os.fork, but the child starts in new namespaces, which costs a tenth of a fork more.

    The system call is made by hand because unshare and a second fork would cost twice as much.
    """
    if not flags:
        return os.fork()
    _python.PyOS_BeforeFork()
    pid: int = _held.syscall(_CLONE[os.uname().machine], ctypes.c_ulong(flags | _SIGCHLD), 0, 0, 0, 0)
    error = ctypes.get_errno()
    if pid == 0:
        _python.PyOS_AfterFork_Child()
        return 0
    _python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid


def become(uid: int) -> None:
    """Give up root for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def hide_from_ptrace() -> None:
    """No other process of the same user may look into this one."""
    _prctl(_SET_DUMPABLE, 0)


def landlock_version() -> int:
    """The kernel's landlock ABI, 0 where it has none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)))


def landlock_rules(version: int, readable: Iterable[str]) -> int:
    """A ruleset, as a descriptor, under which only the given folders can be read and nothing else can be done."""
    files = (1 << 13) - 1 | (version >= 2) << 13 | (version >= 3) << 14 | (version >= 5) << 15
    network, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("QQQ", files, network, scope)
    rules = _checked(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock_create_ruleset")
    for folder in readable:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=QI", _READ_FILE | _READ_DIR, opened)
        _checked(_libc.syscall(_LANDLOCK_ADD, rules, 1, rule, 0), "landlock_add_rule")
        os.close(opened)
    return rules


class Filter:
    """A seccomp program, kept ready in memory so that a child has one system call to make."""

    def __init__(self, code: bytes) -> None:
        self._code = ctypes.create_string_buffer(code, len(code))
        self._program = _SockFprog(len(code) // 8, ctypes.addressof(self._code))

    def install(self) -> None:
        """Put this process under the filter, for ever."""
        _prctl(_SET_SECCOMP, _FILTER, ctypes.byref(self._program))


def limit(memory: int, cpu_s: int, output: int) -> None:
    """Resource limits: a wall behind the host's own clock and behind the filter."""
    for what, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, output),
        (resource.RLIMIT_NOFILE, 16),
        (resource.RLIMIT_STACK, 8 << 20),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 8),
    ):
        resource.setrlimit(what, (value, value))


def no_new_privileges() -> None:
    """No program run from here on gains anything; the kernel asks for it before landlock and seccomp."""
    _prctl(_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up what a new user namespace granted."""
    header = struct.pack("=Ii", _CAPABILITIES_V3, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def restrict(rules: int) -> None:
    """Put this process under a landlock ruleset."""
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, rules, 0), "landlock_restrict_self")
