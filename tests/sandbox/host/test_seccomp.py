"""The two filters together, run by a small interpreter of the kernel's filter language: what a player may do."""

import platform
import struct

import pytest

from sandbox.host.seccomp import ALLOW, ALLOWED, EPERM, FORK_SERVERS, KILL, KILLED, MACHINES, NOTHING, programs

ENOSYS = 0x00050000 | 38
ORDER = [KILL, EPERM, ENOSYS, NOTHING, ALLOW]  # of several filters' answers the kernel takes the strictest


def run(program: bytes, data: bytes) -> int:
    """The filter's answer about a system call."""
    code = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, operand = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x05:
            at += operand
        elif operation == 0x06:
            return int(operand)
        else:
            true = {0x15: accumulator == operand, 0x25: accumulator > operand, 0x35: accumulator >= operand}[operation]
            at += if_true if true else if_false


def answers(machine: str, number: int, *arguments: int, audit: int | None = None) -> list[int]:
    given = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=iIQ6Q", number, audit or MACHINES[machine].audit, 0, *given)
    return [run(program, data) for program in programs(machine)]


def verdict(machine: str, name: str, *arguments: int) -> int:
    return min(answers(machine, MACHINES[machine].numbers[name], *arguments), key=ORDER.index)


CONDITIONAL = {
    "open",
    "openat",
    "fcntl",
    "ioctl",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "prlimit64",
    "futex",
    "fstat",
    "newfstatat",
    "statx",
    "mmap",
    "madvise",
}
ANSWERED = {"clone3": ENOSYS, "sched_yield": NOTHING}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_is_answered_as_listed(machine: str) -> None:
    numbers = MACHINES[machine].numbers
    by_number = {number: name for name, number in numbers.items()}
    for number in range(600):
        name = by_number.get(number, "")
        if name in CONDITIONAL | {"sched_getaffinity"}:
            continue
        expected = ALLOW if name in ALLOWED else KILL if name in KILLED else ANSWERED.get(name, EPERM)
        assert min(answers(machine, number), key=ORDER.index) == expected, name or number


ARGUMENTS = [
    ("openat", (0, 0, 0), ALLOW),
    ("openat", (0, 0, 1), EPERM),
    ("openat", (0, 0, 2), EPERM),
    ("openat", (0, 0, 0o100), EPERM),
    ("openat", (0, 0, 0o2000000), ALLOW),  # O_CLOEXEC
    ("fcntl", (0, 3), ALLOW),
    ("fcntl", (0, 1030), EPERM),  # a copy of the channel, with another number than the filter knows
    ("dup3", (3, 9), EPERM),
    ("fstat", (0,), EPERM),
    ("fstat", (1,), EPERM),  # a number that tells how many files have been made in memory
    ("fstat", (3,), EPERM),
    ("fstat", (3 | 1 << 32,), EPERM),
    ("fstat", (4,), ALLOW),
    ("newfstatat", (1,), EPERM),
    ("newfstatat", (0xFFFFFF9C,), ALLOW),  # AT_FDCWD
    ("statx", (1,), EPERM),
    ("statx", (0xFFFFFF9C,), ALLOW),
    ("mmap", (0, 4096, 3, 0x21), EPERM),  # which makes such a file
    ("mmap", (0, 4096, 3, 0x23), EPERM),
    ("mmap", (0, 4096, 3, 0x22), ALLOW),
    ("mmap", (0, 4096, 1, 0x01, 5), ALLOW),
    ("mmap", (0, 1 << 21, 3, 0x40022), EPERM),  # pages of the machine's reserve
    ("mmap", (0, 1 << 30, 3, 0x78040022), EPERM),  # of 1 GiB
    ("mmap", (0, 1 << 21, 3, 0x40001, 5), EPERM),
    ("madvise", (0, 4096, 4), ALLOW),
    ("madvise", (0, 4096, 21), EPERM),  # MADV_PAGEOUT
    ("getsockopt", (3, 1, 57), EPERM),  # SO_COOKIE
    ("getrusage", (0,), EPERM),
    ("fcntl", (0, 1033), EPERM),  # F_ADD_SEALS, which the fork server uses
    ("fcntl", (0, 6), EPERM),  # a lock
    ("ioctl", (0, 0x5413), EPERM),
    ("futex", (0, 0x80), ALLOW),
    ("futex", (0, 0x80 | 1), ALLOW),
    ("futex", (0, 1), EPERM),  # which a player of another jail could wait for
    ("fadvise64", (0, 0, 0, 4), EPERM),  # nor may it throw files out of memory that all share
    ("clock_gettime", (1,), ALLOW),
    ("clock_gettime", ((~1 << 3 | 2) & 0xFFFFFFFF,), EPERM),  # another process's
    ("clock_nanosleep", (1,), ALLOW),
    ("prlimit64", (0, 9, 0), ALLOW),
    ("prlimit64", (0, 9, 4096), EPERM),
    ("prlimit64", (0, 9, 1 << 32), EPERM),
    ("prlimit64", (1, 9, 0), EPERM),
    ("sched_getaffinity", (0,), ALLOW),
    ("sched_getaffinity", (1,), EPERM),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "arguments", "expected"), ARGUMENTS)
def test_what_a_call_is_given_counts(machine: str, name: str, arguments: tuple[int, ...], expected: int) -> None:
    assert verdict(machine, name, *arguments) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_other_processors_calls_are_fatal(machine: str) -> None:
    assert answers(machine, 0, audit=0x40000003) == [KILL, KILL]
    assert answers(machine, 0x40000000) == [KILL, KILL]


@pytest.mark.parametrize("machine", MACHINES)
def test_the_fork_server_may_do_what_it_needs_and_no_attack(machine: str) -> None:
    numbers = MACHINES[machine].numbers
    answered = {name: answers(machine, numbers[name], 5, 5, 5)[0] for name in numbers}
    assert {answered[name] for name in FORK_SERVERS} == {ALLOW}
    assert {answered[name] for name in KILLED if name in numbers and name not in FORK_SERVERS} == {KILL}


def test_this_processor_is_known() -> None:
    assert platform.machine() in MACHINES
