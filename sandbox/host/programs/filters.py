"""Assembles the system call filters of commands: one for runs, one for runs with threads, one for compilers.

Like a player's filter (`host/seccomp.py`), each is an allow-list: a call that is not named gets EPERM. A call that only
an attack would make ends the command. Where the jail has no outer filter, such a call is reported to the keeper, which
names it. Elsewhere the outer filter would refuse the call first, so the kernel kills the process at once. The keeper
also allows the start of a run's first program. The filter is already installed by then, so nothing runs without it, and
a run cannot start another program.
"""

import platform
from typing import Final

from sandbox.api import SandboxUnavailable
from sandbox.host import seccomp
from sandbox.host.seccomp import ALLOW, EPERM, MACHINES, Instruction, allow_if, argument, assembled, names

TELL: Final = 0x7FC00000  # SECCOMP_RET_USER_NOTIF: the call waits until the keeper has answered
OWN_PID: Final = 0x7E0D0A55  # placeholder for the number of the process that installs the filter, to be replaced
_ALLOWED: Final = names("""
    open openat creat fstat newfstatat statx pwrite64 preadv pwritev ftruncate truncate fsync fdatasync unlink
    unlinkat rename renameat renameat2 mkdir mkdirat rmdir chdir fchdir dup dup2 dup3 set_tid_address arch_prctl
    getrlimit getrusage sysinfo pause alarm setitimer getitimer rt_sigpending rt_sigtimedwait rt_sigsuspend wait4
    waitid getpgrp getpgid getsid getgroups getresuid getresgid msync getcpu sched_getparam sched_getscheduler
    fadvise64 sendmsg
    """)
"""The calls that every command may make, in addition to those of players (`seccomp.ALLOWED`)."""
_PROCESSES: Final = names("""
    fork vfork pipe pipe2
    """)
_COMPILERS: Final = names("""
    execve link linkat symlink symlinkat chmod fchmod fchmodat fchmodat2 utimensat umask
    """)
KILLED: Final = seccomp.KILLED  # the calls that end a command; compilers may start programs nevertheless
_FCNTL: Final = (0, 1030, 1, 2, 3, 4)  # DUPFD, DUPFD_CLOEXEC, GETFD, SETFD, GETFL, SETFL
_IOCTL: Final = (0x5401, 0x541B, 0x5451, 0x5450, 0x5413)  # TCGETS, FIONREAD, FIOCLEX, FIONCLEX, TIOCGWINSZ
_PRCTL: Final = (15, 16)  # SET_NAME, GET_NAME
_SIGCHLD: Final = 17  # if a process ignores this signal, the kernel forgets its children's CPU time
_NAMESPACES: Final = 0x7E020000  # every CLONE_NEW flag


def programs(naming: bool, machine: str = "") -> dict[str, bytes]:
    """Return the filters by name: "run", "threads" (processes and threads of its own, but no program) and "compile".

    `naming`: whether forbidden calls are reported to the keeper. Raises SandboxUnavailable for an unknown processor.
    """
    name = machine or platform.machine()
    if name not in MACHINES:
        raise SandboxUnavailable(f"the sandbox's system call filter does not know {name} processors")
    but_sigchld = [*argument(0), (seccomp.JEQ, 1, 0, _SIGCHLD), (seccomp.RET, 0, 0, ALLOW)]
    threads = {"clone": _clone(naming), "rt_sigaction": but_sigchld, **_allow_all(_PROCESSES)}
    kinds = {
        "run": rules(naming),
        "threads": rules(naming) | threads,
        "compile": rules(naming) | threads | _allow_all(_COMPILERS),
    }
    return {kind: assembled(MACHINES[name], each, EPERM) for kind, each in kinds.items()}


def allowed() -> set[str]:
    """Return the system calls that at least one kind of command may make, perhaps only with certain arguments."""
    return {*rules(naming=True), *_PROCESSES, *_COMPILERS, "clone"} - {*KILLED, "clone3"} | {"execve"}


def call_name(number: int) -> str:
    """Return the name of a system call on this machine."""
    numbers = MACHINES[platform.machine()].numbers
    return next((name for name, each in numbers.items() if each == number), f"number {number}")


def _allow_all(calls: list[str]) -> dict[str, list[Instruction]]:
    return {name: [(seccomp.RET, 0, 0, ALLOW)] for name in calls}


def rules(naming: bool) -> dict[str, list[Instruction]]:
    """Return the steps of a run's filter for each call; a call that passes its last step gets EPERM."""
    players = seccomp.players_rules()
    kept = (*seccomp.ALLOWED, "clone3", "sched_yield", "sched_getaffinity", "futex", "mmap", "prlimit64", "madvise")
    clocks = ("clock_gettime", "clock_getres", "clock_nanosleep")
    found = {name: players[name] for name in (*kept, *clocks)} | _allow_all(_ALLOWED)
    found |= {name: [(seccomp.RET, 0, 0, _forbidden(naming))] for name in KILLED}
    found["execve"] = [(seccomp.RET, 0, 0, TELL)]
    for name, choices in (("fcntl", _FCNTL), ("ioctl", _IOCTL)):
        found[name] = [*argument(1), *(step for one in choices for step in allow_if(seccomp.JEQ, one))]
    found["prctl"] = [*argument(0), *(step for one in _PRCTL for step in allow_if(seccomp.JEQ, one))]
    for name in ("kill", "tgkill"):
        found[name] = [*argument(0), *allow_if(seccomp.JEQ, OWN_PID)]
    return found


def _forbidden(naming: bool) -> int:
    return TELL if naming else seccomp.KILL


def _clone(naming: bool) -> list[Instruction]:
    return [
        *argument(0),
        (seccomp.AND, 0, 0, _NAMESPACES),
        *allow_if(seccomp.JEQ, 0),
        (seccomp.RET, 0, 0, _forbidden(naming)),
    ]
