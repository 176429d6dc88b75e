"""Assembles the seccomp filter under which a player's process runs.

It is an allow-list: a call that is not named gets EPERM, so an ordinary mistake (opening a file for writing, starting a
thread) is an exception in the player's own code. A call that only an attack would make kills the process, which is
reported as BLOCKED.

There are two parts, because installing a long filter takes the kernel as long as a fork. The fork server puts itself
under the first part, which its children inherit. A child adds the second, short part, which takes away what only the
fork server and the child's own lock-down needed. A call must pass both.
"""

import platform
import struct
from dataclasses import dataclass
from typing import Final

from sandbox.api import SandboxUnavailable

# Classic BPF, words, constant operand
_LOAD, _JA, JEQ, _JGT, _JGE, AND, RET = 0x20, 0x05, 0x15, 0x25, 0x35, 0x54, 0x06
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x00050000 | 1, 0x00050000 | 38
NOTHING: Final = 0x00050000  # the call seems to succeed, but nothing is done
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # offsets in struct seccomp_data
_X32: Final = 0x40000000

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor: its audit code and system call numbers."""

    audit: int
    numbers: dict[str, int]


def _call_numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (pair.partition("=") for pair in text.split())}


def names(text: str) -> list[str]:
    """Return the words of a string."""
    return text.split()


MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        _call_numbers("""
        read=0 write=1 open=2 close=3 stat=4 fstat=5 lstat=6 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12
        rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 pread64=17 readv=19 writev=20 access=21 select=23
        sched_yield=24 mremap=25 madvise=28 dup=32 dup2=33 nanosleep=35 getpid=39 sendto=44 recvfrom=45 getsockname=51
        getsockopt=55 clone=56 fork=57 vfork=58 exit=60 uname=63 fcntl=72 getcwd=79 readlink=89 umask=95
        gettimeofday=96 getrusage=98 times=100 getuid=102 getgid=104 geteuid=107 getegid=108 getppid=110
        sigaltstack=131 gettid=186 time=201 futex=202 sched_getaffinity=204 getdents64=217 restart_syscall=219
        fadvise64=221 clock_gettime=228 clock_getres=229 clock_nanosleep=230 exit_group=231 openat=257 newfstatat=262
        readlinkat=267 faccessat=269 pselect6=270 ppoll=271 set_robust_list=273 dup3=292 prlimit64=302 getrandom=318
        statx=332 rseq=334 faccessat2=439 clone3=435
        wait4=61 kill=62 ftruncate=77 setsockopt=54 sendmsg=46 recvmsg=47 memfd_create=319 waitid=247 setpgid=109
        capset=126 prctl=157 close_range=436 landlock_restrict_self=446
        socket=41 socketpair=53 connect=42 accept=43 bind=49 listen=50 execve=59 execveat=322 ptrace=101
        process_vm_readv=310 process_vm_writev=311 unshare=272 setns=308 mount=165 umount2=166 pivot_root=155
        chroot=161 keyctl=250 add_key=248 request_key=249 io_uring_setup=425 io_uring_enter=426 io_uring_register=427
        bpf=321 userfaultfd=323 perf_event_open=298 init_module=175 finit_module=313 delete_module=176 kexec_load=246
        kexec_file_load=320 pidfd_open=434 pidfd_getfd=438 open_by_handle_at=304 kcmp=312 reboot=169 swapon=167
        iopl=172 ioperm=173 personality=135 chdir=80
        creat=85 pwrite64=18 preadv=295 pwritev=296 ftruncate=77 truncate=76 fsync=74 fdatasync=75 unlink=87
        unlinkat=263 rename=82 renameat=264 renameat2=316 mkdir=83 mkdirat=258 rmdir=84 link=86 linkat=265
        symlink=88 symlinkat=266 chmod=90 fchmod=91 fchmodat=268 fchmodat2=452 utimensat=280 fchdir=81
        arch_prctl=158 set_tid_address=218 getrlimit=97 setrlimit=160 sysinfo=99 pause=34 alarm=37 setitimer=38
        getitimer=36 rt_sigpending=127 rt_sigtimedwait=128 rt_sigsuspend=130 tgkill=234 pipe=22 pipe2=293 getpgrp=111
        getpgid=121 getsid=124
        getgroups=115 getresuid=118 getresgid=120 msync=26 getcpu=309 sched_getparam=143 sched_getscheduler=145
        """),
    ),
    "aarch64": Machine(
        0xC00000B7,
        _call_numbers("""
        getcwd=17 dup=23 dup3=24 fcntl=25 ioctl=29 faccessat=48 openat=56 close=57 getdents64=61 lseek=62 read=63
        write=64 readv=65 writev=66 pread64=67 pselect6=72 ppoll=73 readlinkat=78 newfstatat=79 fstat=80 exit=93
        exit_group=94 futex=98 set_robust_list=99 nanosleep=101 clock_gettime=113 clock_getres=114 clock_nanosleep=115
        sched_getaffinity=123 sched_yield=124 restart_syscall=128 sigaltstack=132 rt_sigaction=134 rt_sigprocmask=135
        rt_sigreturn=139 times=153 uname=160 getrusage=165 umask=166 gettimeofday=169 getpid=172 getppid=173 getuid=174
        geteuid=175 getgid=176 getegid=177 gettid=178 getsockname=204 sendto=206 recvfrom=207 getsockopt=209 brk=214
        munmap=215 mremap=216 clone=220 mmap=222 fadvise64=223 mprotect=226 madvise=233 prlimit64=261 getrandom=278
        statx=291 rseq=293 faccessat2=439 clone3=435
        wait4=260 kill=129 ftruncate=46 setsockopt=208 sendmsg=211 recvmsg=212 memfd_create=279 waitid=95 setpgid=154
        capset=91 prctl=167 close_range=436 landlock_restrict_self=446
        socket=198 socketpair=199 bind=200 listen=201 accept=202 connect=203 execve=221 execveat=281 ptrace=117
        process_vm_readv=270 process_vm_writev=271 unshare=97 setns=268 mount=40 umount2=39 pivot_root=41 chroot=51
        keyctl=219 add_key=217 request_key=218 io_uring_setup=425 io_uring_enter=426 io_uring_register=427 bpf=280
        userfaultfd=282 perf_event_open=241 init_module=105 finit_module=273 delete_module=106 kexec_load=104
        kexec_file_load=294 pidfd_open=434 pidfd_getfd=438 open_by_handle_at=265 kcmp=272 reboot=142 swapon=224
        personality=92 chdir=49
        pwrite64=68 preadv=69 pwritev=70 truncate=45 fsync=82 fdatasync=83 unlinkat=35 renameat=38 renameat2=276
        mkdirat=34 linkat=37 symlinkat=36 fchmod=52 fchmodat=53 fchmodat2=452 utimensat=88 fchdir=50 set_tid_address=96
        getrlimit=163 setrlimit=164 sysinfo=179 setitimer=103 getitimer=102 rt_sigpending=136 rt_sigtimedwait=137
        rt_sigsuspend=133 tgkill=131 pipe2=59 getpgid=155 getsid=156 getgroups=158 getresuid=148 getresgid=150
        msync=227 getcpu=168 sched_getparam=121 sched_getscheduler=120
        """),
    ),
}

ALLOWED: Final = names("""
    read write readv writev pread64 recvfrom sendto close lseek stat lstat access faccessat faccessat2 readlink
    readlinkat getdents64 getcwd munmap mremap mprotect brk poll ppoll select pselect6 rt_sigaction rt_sigprocmask
    rt_sigreturn sigaltstack nanosleep gettimeofday time getpid gettid getppid getuid geteuid getgid getegid getrandom
    exit exit_group restart_syscall times uname rseq set_robust_list umask
    """)

KILLED: Final = names("""
    socket socketpair connect accept bind listen execve execveat ptrace process_vm_readv process_vm_writev unshare setns
    mount umount2 pivot_root chroot keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register bpf
    userfaultfd perf_event_open init_module finit_module delete_module kexec_load kexec_file_load pidfd_open pidfd_getfd
    open_by_handle_at kcmp reboot swapon iopl ioperm personality
    """)

FORK_SERVERS: Final = names("""
    capset chdir chroot clock_gettime clone close_range dup3 fcntl ftruncate getrusage kill landlock_restrict_self
    memfd_create pidfd_open prctl prlimit64 recvmsg sendmsg setpgid setsockopt socketpair wait4 waitid
    """)
"""System calls that players may not make, or not freely, but that the fork server needs, or a child before it has a
player."""

_READ_ONLY: Final = 0o3 | 0o100 | 0o1000 | 0o2000  # access mode, O_CREAT, O_TRUNC, O_APPEND: all must be zero
_FCNTL: Final = (1, 2, 3)  # GETFD, SETFD, GETFL: no locks, leases, notifications or copies
_IOCTL: Final = (0x5401, 0x541B, 0x5451, 0x5450)  # TCGETS, FIONREAD, FIOCLEX, FIONCLEX
# FUTEX_PRIVATE_FLAG: without it, players could wake each other through a page of any shared file
_PRIVATE: Final = 0x80
_MADVISE: Final = (4, 8, 14, 15)  # DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE: they affect only the caller's own memory
_NAMELESS: Final = 0x20 | 0x01  # MAP_ANONYMOUS | MAP_SHARED: the kernel makes a file for it, and counts its files
_HUGE: Final = 0x40000  # MAP_HUGETLB: pages from the machine's reserve, which no control group's limit of memory counts
_OURS: Final = 4  # lower descriptors: the output's and the channel's numbers come from counters that all jails share
_LAST_CLOCK: Final = 11  # higher (negative) clocks are those of other processes


def programs(machine: str | None = None) -> tuple[bytes, bytes]:
    """Return the fork server's filter and a child's, for this machine or the named processor. Raises
    SandboxUnavailable."""
    name = machine or platform.machine()
    if name not in MACHINES:
        known = ", ".join(MACHINES)
        raise SandboxUnavailable(f"the sandbox's system call filter does not know {name} processors, only {known}")
    rules = players_rules()
    first = {**rules, **{call: [(RET, 0, 0, ALLOW)] for call in FORK_SERVERS}}
    second = {call: rules.get(call, []) for call in FORK_SERVERS}
    return assembled(MACHINES[name], first, EPERM), assembled(MACHINES[name], second, ALLOW)


def allowed(machine: str) -> frozenset[str]:
    """Return the system calls that a player may make on that machine, perhaps only with certain arguments."""
    rules = {name for name, steps in players_rules().items() if (RET, 0, 0, ALLOW) in steps}
    return frozenset(rules & MACHINES[machine].numbers.keys())


def assembled(machine: Machine, rules: dict[str, list[Instruction]], other: int) -> bytes:
    numbered = sorted((machine.numbers[name], steps) for name, steps in rules.items() if name in machine.numbers)
    instructions = [
        (_LOAD, 0, 0, _ARCH),
        (JEQ, 1, 0, machine.audit),
        (RET, 0, 0, KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JGE, 0, 1, _X32),
        (RET, 0, 0, KILL),
        *_search(numbered, other),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def _search(rules: list[tuple[int, list[Instruction]]], other: int) -> list[Instruction]:
    """Return a binary search for the call's number; `other` is the answer for all other numbers. (When a filter is
    installed, the kernel runs it once for each system call; with a linear search this alone took 0.2 ms.)"""
    if len(rules) == 1:
        number, steps = rules[0]
        refused = [(RET, 0, 0, EPERM)] * (other != EPERM)
        return [(JEQ, 0, len(steps) + len(refused), number), *steps, *refused, (RET, 0, 0, other)]
    middle = len(rules) // 2
    below = _search(rules[:middle], other)
    # The distance of a conditional jump is stored in one byte.
    jump = [(_JGE, 0, 1, rules[middle][0]), (_JA, 0, 0, len(below))]
    return [*jump, *below, *_search(rules[middle:], other)]


def players_rules() -> dict[str, list[Instruction]]:
    """Return the steps of a player's filter for each call; a call that passes its last step gets EPERM."""
    unless_nameless = [*argument(3), (AND, 0, 0, _NAMELESS), (JEQ, 1, 0, _NAMELESS), (RET, 0, 0, ALLOW)]
    rules: dict[str, list[Instruction]] = {
        **{name: [(RET, 0, 0, ALLOW)] for name in ALLOWED},
        **{name: [(RET, 0, 0, KILL)] for name in KILLED},
        "clone3": [(RET, 0, 0, ENOSYS)],
        "sched_yield": [(RET, 0, 0, NOTHING)],  # otherwise a player could queue forever without computing or sleeping
        "sched_getaffinity": [*argument(0), *allow_if(JEQ, 0)],
        "prlimit64": _read_own_limits(),
        "futex": [*argument(1), (AND, 0, 0, _PRIVATE), *allow_if(JEQ, _PRIVATE)],
        "mmap": [*argument(3), (AND, 0, 0, _HUGE), (JEQ, 0, 4, 0), *unless_nameless],
        **{name: [*argument(0), *allow_if(_JGE, _OURS)] for name in ("fstat", "newfstatat", "statx")},
    }
    for name, place in (("open", 1), ("openat", 2)):
        rules[name] = [*argument(place), (AND, 0, 0, _READ_ONLY), *allow_if(JEQ, 0)]
    for name, choices in (("fcntl", _FCNTL), ("ioctl", _IOCTL), ("madvise", _MADVISE)):
        place = 2 if name == "madvise" else 1
        rules[name] = [*argument(place), *(step for one in choices for step in allow_if(JEQ, one))]
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        rules[name] = [*argument(0), (_JGT, 1, 0, _LAST_CLOCK), (RET, 0, 0, ALLOW)]
    return rules


def argument(index: int, high: bool = False) -> list[Instruction]:
    return [(_LOAD, 0, 0, _ARGS + 8 * index + 4 * high)]


def allow_if(jump: int, operand: int) -> list[Instruction]:
    return [(jump, 0, 1, operand), (RET, 0, 0, ALLOW)]


def _read_own_limits() -> list[Instruction]:
    """Allow prlimit64(0, resource, NULL, old), which reads one's own limits and sets none."""
    return [
        *argument(0), (JEQ, 0, 5, 0),
        *argument(2), (JEQ, 0, 3, 0),
        *argument(2, high=True), *allow_if(JEQ, 0),
    ]  # fmt: skip
