"""Everything that a fresh player can ask: a table, which `sameness.py` has two players ask and compares the answers.

Each question is an expression, evaluated with the names that `sameness.PLAYER` defines.
"""

from dataclasses import dataclass
from typing import Final

TIME: Final = "a clock"
LOAD: Final = "the core on which it computes, which the scheduler chooses"


@dataclass(frozen=True)
class Ask:
    """What a player evaluates, and why two players may hear different answers, if they may."""

    expression: str
    differs: str = ""
    alone: bool = False  # asked by a player of its own: it ends the player, or takes all that is left


CALLS: Final = {
    "access": Ask("[call('access', path, 0) for path in PATHS]"),
    "brk": Ask("call('brk', 0)"),
    "clock_getres": Ask("[call('clock_getres', clock, ROOM) for clock in range(12)]"),
    "clock_gettime": Ask("[call('clock_gettime', clock, ROOM) for clock in range(12)]", TIME),
    "clock_nanosleep": Ask("call('clock_nanosleep', 1, 0, (ctypes.c_long * 2)(0, 1), 0)"),
    "close": Ask("call('close', opened())"),
    "exit": Ask("call('exit', 3)", alone=True),
    "exit_group": Ask("call('exit_group', 3)", alone=True),
    "faccessat": Ask("[call('faccessat', -100, path, 0) for path in PATHS]"),
    "faccessat2": Ask("[call('faccessat2', *way, 0, flags) for way, flags in WAYS]"),
    "fcntl": Ask(
        "[call('fcntl', number, what, 0) for number in range(16) for what in (1, 3, 4, 9, 16, 1030, 1032, 1034)]"
    ),
    "fstat": Ask("[call('fstat', number, ROOM) for number in range(16)]"),
    "futex": Ask("call('futex', ROOM, 0x81, 1, 0)"),
    "getcwd": Ask("call('getcwd', ROOM, 100)"),
    "getdents64": Ask("[call('getdents64', opened(path), ROOM, 400) for path in PATHS]"),
    "getegid": Ask("call('getegid')"),
    "geteuid": Ask("call('geteuid')"),
    "getgid": Ask("call('getgid')"),
    "getpid": Ask("call('getpid')"),
    "getppid": Ask("call('getppid')"),
    "getrandom": Ask("libc.syscall(NUMBERS['getrandom'], ROOM, 8, 0)"),
    "gettid": Ask("call('gettid')"),
    "gettimeofday": Ask("call('gettimeofday', ROOM, 0)", TIME),
    "getuid": Ask("call('getuid')"),
    "ioctl": Ask(
        "[call('ioctl', number, what, ROOM) for number in range(5) for what in (0x5401, 0x541B, 0x5413, 0x8904)]"
    ),
    "lseek": Ask("[call('lseek', number, 0, whence) for number in range(5) for whence in (1, 3, 4)]"),
    "lstat": Ask("[call('lstat', path, ROOM) for path in PATHS]"),
    "madvise": Ask("[call('madvise', libc.mmap(0, 4096, 3, 0x22, -1, 0), 4096, what) for what in range(26)]"),
    "mmap": Ask("[libc.mmap(0, size, 3, flags, -1, 0) for size in (4096, 1 << 22) for flags in (0x21, 0x22)]"),
    "mprotect": Ask("call('mprotect', libc.mmap(0, 4096, 3, 0x22, -1, 0), 4096, 1)"),
    "mremap": Ask("libc.mremap(libc.mmap(0, 4096, 3, 0x22, -1, 0), 4096, 8192, 1)"),
    "munmap": Ask("call('munmap', libc.mmap(0, 4096, 3, 0x22, -1, 0), 4096)"),
    "nanosleep": Ask("call('nanosleep', (ctypes.c_long * 2)(0, 1), 0)"),
    "newfstatat": Ask("[call('newfstatat', *way, ROOM, flags) for way, flags in WAYS]"),
    "open": Ask("[call('open', path, 0) for path in PATHS]"),
    "openat": Ask("[call('openat', *way, flags & 0x1000) for way, flags in WAYS]"),
    "poll": Ask("[call('poll', struct.pack('ihh', number, 31, 0), 1, 0) for number in range(5)]"),
    "ppoll": Ask("call('ppoll', struct.pack('ihh', 1, 31, 0), 1, (ctypes.c_long * 2)(), 0, 8)"),
    "pread64": Ask("[call('pread64', number, ROOM, 100, 0) for number in range(5)]"),
    "prlimit64": Ask("[call('prlimit64', pid, what, 0, ROOM) for pid in (0, 1, 2, 3) for what in range(16)]"),
    "pselect6": Ask("call('pselect6', 3, struct.pack('16Q', 7, *[0] * 15), 0, 0, (ctypes.c_long * 2)(), 0)"),
    "read": Ask("[call('read', number, ROOM, 100) for number in (0, 1, 2, opened())]"),
    "readlink": Ask("[call('readlink', path, ROOM, 400) for path in PATHS]"),
    "readlinkat": Ask("[call('readlinkat', *way, ROOM, 400) for way, _ in WAYS]"),
    "readv": Ask("call('readv', opened(), (ctypes.c_void_p * 2)(ctypes.addressof(ROOM), 100), 1)"),
    "recvfrom": Ask(
        "[call('recvfrom', number, ROOM, 100, 0x42, NAME, SIZE) for number in range(5)] + [bytes(NAME), SIZE[0]]"
    ),
    "restart_syscall": Ask("call('restart_syscall')"),
    "rseq": Ask("call('rseq', 0, 32, 0, 0)"),
    "rt_sigaction": Ask("[call('rt_sigaction', signal, 0, ROOM, 8) for signal in range(65)]"),
    "rt_sigprocmask": Ask("call('rt_sigprocmask', 0, 0, ROOM, 8)"),
    "rt_sigreturn": Ask("call('rt_sigreturn')", alone=True),
    "sched_getaffinity": Ask("call('sched_getaffinity', 0, 128, ROOM)", LOAD),
    "select": Ask("call('select', 3, struct.pack('16Q', 7, *[0] * 15), 0, 0, (ctypes.c_long * 2)())"),
    "sendto": Ask("[call('sendto', number, ROOM, 10, 0x40, b'\\1\\0' + bytes(8), 10) for number in (0, 1, 2, 4)]"),
    "set_robust_list": Ask("call('set_robust_list', ROOM, 24)"),
    "sigaltstack": Ask("call('sigaltstack', 0, ROOM)"),
    "stat": Ask("[call('stat', path, ROOM) for path in PATHS]"),
    "statx": Ask("[call('statx', *way, flags, 0x1FFFF, ROOM) for way, flags in WAYS]"),
    "time": Ask("call('time', 0)", TIME),
    "times": Ask("call('times', ROOM)", TIME),
    "umask": Ask("call('umask', 0)"),
    "uname": Ask("call('uname', ROOM)"),
    "write": Ask("[call('write', number, b'x', 1) for number in (0, 1, 2, 4)]"),
    "writev": Ask("call('writev', 1, (ctypes.c_void_p * 2)(ctypes.addressof(ROOM), 3), 1)"),
}
"""By the name of the system call."""

LOOKS: Final = {
    "addresses": Ask(
        "[id(thing) for thing in (None, object(), 1 << 40, [1], {1: 1}, 'x' * 600, bytes(1 << 17), lambda: 1)]"
    ),
    "addresses of memory": Ask(
        "[ctypes.addressof(ctypes.create_string_buffer(size)) for size in (8, 600, 1 << 16, 1 << 20)]"
    ),
    "what the loader was given": Ask("[libc.getauxval(number) for number in range(64)]"),
    "modules": Ask("[*sys.modules]"),
    "objects": Ask("[len(gc.get_objects()), sys.getallocatedblocks(), gc.get_stats(), gc.get_freeze_count()]"),
    "references": Ask("[sys.getrefcount(thing) for thing in (None, True, 0, 1, '', (), b'', object, type, sys, os)]"),
    "frames above": Ask("above()"),
    "interned names": Ask("[id(name) for name in ('quadrille', 'play', 'hand', 'statistics', 'never seen before')]"),
    "memory left": Ask("left()", alone=True),
    "interpreter": Ask(
        "[sys.version, sys.flags, sys.path, sys.argv, sys.executable, sys.prefix, sys.orig_argv, sys.platlibdir]"
    ),
    "environment": Ask("[os.environ, os.getcwd(), os.umask(0)]"),
    "machine": Ask(
        "[tried(os.uname), tried(os.getloadavg), tried(os.getlogin), tried(os.getgroups), tried(os.getpriority, 0, 0)]"
    ),
    "processors": Ask("[os.cpu_count(), libc.sched_getcpu()]", LOAD),
    "configuration": Ask("[(name, tried(os.sysconf, name)) for name in os.sysconf_names if 'NPROCESSORS' not in name]"),
    "descriptors": Ask(
        "[tried(ask, n) for ask in (os.isatty, os.ttyname, os.get_blocking, os.fstat) for n in range(16)]"
    ),
    "sockets": Ask("[tried(channel.getsockopt, level, option, 32) for level in (0, 1, 6) for option in range(90)]"),
    "names of sockets": Ask(
        "[tried(channel.getsockname), tried(channel.getpeername), tried(channel.recvmsg, 9, 99, 0x40)]"
    ),
    "usage": Ask("[tried(resource.getrusage, who) for who in (-1, 0, 1)]"),
    "limits": Ask("[tried(resource.getrlimit, what) for what in range(16)]"),
    "clocks of others": Ask("[tried(time.clock_gettime, ~pid << 3 | 2) for pid in range(2, 40)]"),
    "groups and sessions": Ask(
        "[tried(os.getpgid, pid) for pid in range(40)] + [tried(os.getsid, pid) for pid in range(40)]"
    ),
    "processes": Ask("[tried(os.stat, f'/proc/{pid}/fd') for pid in range(64)]"),
    "signals": Ask("[signal.getsignal(number) for number in range(1, 65)]"),
    "library": Ask("hashed(*library())"),
    "what is random": Ask("[random.random(), random.Random().random(), random.getstate()]"),
    "order of a set": Ask("[*{'a', 'b', 'c', 'd', object}]"),
    "hashes": Ask("[hash('quadrille'), hash(object), hash(None), hash(len)]"),
    "failing calls": Ask(
        "[call(name) for name in ('sysinfo', 'getpgid', 'memfd_create', 'pipe2', 'getcpu') if name in NUMBERS]"
    ),
}
"""What else there is, by what it is about."""
