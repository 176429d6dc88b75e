"""Everything that a fresh player can ask, and whether it hears the same whatever other players did.

The questions are those of `questions.py`. The answers before any other player has been there must be those after many,
and beside some, who did all that they could to leave a trace. Only time and load may make a difference.

As a program (`python -m tests.sandbox.wall.sameness PYTHON`) it does so with another interpreter, as whoever calls it.
"""

import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from sandbox.api import Fault, Limits, Program, Session, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.seccomp import MACHINES
from tests.sandbox.wall.questions import CALLS, LOOKS, Ask

ALL: Final = {**CALLS, **LOOKS}
LIMITS: Final = Limits(load_s=2.0, call_s=2.0, game_s=20.0, wall_factor=20.0, memory=128 << 20)
PLAYER: Final = b"""
import ctypes, gc, hashlib, os, random, resource, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = libc.malloc.restype = libc.getauxval.restype = ctypes.c_ulong
libc.mmap.argtypes = [ctypes.c_ulong, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mremap.argtypes = [ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_int]
libc.malloc.argtypes = libc.getauxval.argtypes = [ctypes.c_ulong]
libc.syscall.restype = ctypes.c_long
ROOM, NAME, SIZE = ctypes.create_string_buffer(400), ctypes.create_string_buffer(120), (ctypes.c_int * 1)(120)
PATHS = [b"/", b"/py", b"/lib", b"/guest", b"/proc", b"/proc/self", b"/proc/self/fd", b"/proc/self/fd/1", b"/proc/1/fd",
         b"/proc/self/fdinfo/1", b"/proc/self/ns/pid", b"/proc/loadavg", b"/proc/meminfo", b"/proc/self/net", b"/dev",
         b"/dev/shm", b"/dev/null", b"/sys", b"/etc/hostname", b"/tmp", b"/control", os.__file__.encode(), b"/nowhere"]
WAYS = [((-100, path), flags) for path in PATHS for flags in (0, 0x100)]
WAYS += [((number, b""), 0x1000) for number in range(8)]
channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=3)

def opened(path=os.__file__.encode()):
    return libc.open(path, 0)

def call(name, *args):
    if name not in NUMBERS:
        return "not on this machine"
    ctypes.memset(ROOM, 0, 400)
    given = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    done = libc.syscall(NUMBERS[name], *given)
    return done, ctypes.get_errno() if done < 0 else 0, ROOM.raw.hex().rstrip("0")

def tried(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'errno', None)}"

def hashed(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()

def above():
    frame, found = sys._getframe(), []
    while frame:
        found.append((frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename, sorted(frame.f_locals)))
        frame = frame.f_back
    return found

def left():
    count = 0
    while libc.mmap(0, 1 << 16, 3, 0x22, -1, 0) != (1 << 64) - 1:
        count += 1
    return count

def library():
    for folder, folders, files in os.walk("/py"):
        folders.sort()
        for name in sorted(folders + files):
            path = os.path.join(folder, name)
            yield path, tuple(os.lstat(path)), os.lstat(path).st_atime_ns, os.lstat(path).st_ctime_ns

def ask(expression, numbers):
    globals()["NUMBERS"] = numbers
    return repr(eval(expression))[:60_000]
"""

NOISY: Final = b"""
import ctypes, json, mmap, os, sys
libc = ctypes.CDLL(None)
library = os.path.dirname(os.__file__)
held = []

def attempt(function, *args):
    try:
        held.append(function(*args))
    except Exception:
        pass

def noise(how):
    for name in os.listdir(library):
        attempt(lambda: open(os.path.join(library, name), "rb").read(100))
    for number in range(64):
        attempt(mmap.mmap, -1, 4096)
        attempt(os.memfd_create, "noise")
        attempt(os.dup, 3)
        attempt(os.stat, f"{library}/nothing {how} {number}")
        attempt(os.stat, f"/proc/self/task/{number}")
        attempt(sys.intern, f"noise {how} {number}")
    attempt(__import__, "statistics")
    attempt(os.nice, 5)
    attempt(os.umask, 0o123)
    attempt(os.chdir, "/py")
    attempt(libc.sethostname, b"noise", 5)
    print("noise" * 1000)
    held.append(bytearray(10 << 20))
    if how == "exit":
        os._exit(7)
    if how == "crash":
        ctypes.string_at(0)
    if how == "raise":
        raise KeyError(how)
    if how == "block":
        libc.ptrace(16, 2, 0, 0)
    return len(held)
"""

NOISES: Final = (("", "exit"), ("", "crash"), ("csv", ""), ("logging", "raise"), ("", "block"), ("enum, json", ""),
                 ("re", ""), ("typing", ""), ("decimal", ""), ("inspect", ""), ("", ""))  # fmt: skip
"""What earlier players imported, and how they ended; more sets of modules than a jail keeps templates for."""


def differences(sandbox: JailedSandbox, imports: str = "") -> dict[str, tuple[str, str]]:
    """What a fresh player is told that is not the same after and beside others, and is not excepted: both answers."""
    before = answers(sandbox, imports)
    with ExitStack() as beside:
        for names, how in NOISES:
            make_noise(sandbox, names, how)
        for names in ("", "queue"):
            session = _opened(sandbox, _noisy(names))
            beside.callback(session.close)
            reply = call(session, "noise", ("beside",))
            assert isinstance(reply, Value), reply
        after = answers(sandbox, imports)
    return {
        name: (before[name], after[name])
        for name, ask in ALL.items()
        if before[name] != after[name] and not ask.differs
    }


def answers(sandbox: JailedSandbox, imports: str = "") -> dict[str, str]:
    """What a fresh player is told, or several."""
    program = Program(b"import " + imports.encode() + b"\n" + PLAYER if imports else PLAYER, {"ask": (2,)})
    told = {}
    for differ in (False, True):
        session = _opened(sandbox, program)
        told |= {
            name: _answer(session, ask) for name, ask in ALL.items() if not ask.alone and bool(ask.differs) == differ
        }
        session.close()
    for name, ask in ALL.items():
        if ask.alone:
            session = _opened(sandbox, program)
            told[name] = _answer(session, ask)
            session.close()
    return told


def _answer(session: Session, ask: Ask) -> str:
    reply = call(session, "ask", (ask.expression, MACHINES[platform.machine()].numbers))
    if isinstance(reply, Fault):
        assert ask.alone, (ask, reply)
        return str(replace(reply, cpu_s=0))
    return str(reply.data)


def make_noise(sandbox: JailedSandbox, names: str, how: str) -> None:
    """Have a noisy player come and go."""
    session = _opened(sandbox, _noisy(names))
    call(session, "noise", (how,))
    session.close()


def _noisy(names: str) -> Program:
    return Program((f"import {names}\n" if names else "").encode() + NOISY, {"noise": (1,)})


def _opened(sandbox: JailedSandbox, program: Program) -> Session:
    session = sandbox.open(program, LIMITS, 1)
    assert not isinstance(session, Fault), session
    return session


def report(found: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The differences, for people."""
    for name, (before, after) in found.items():
        place = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0)
        yield f"{name}: {before[max(0, place - 40) : place + 80]} … {after[max(0, place - 40) : place + 80]}"


def main(python: str) -> int:
    """Print what differs; the number of it."""
    with BubblewrapSandbox(python) as sandbox:
        found = differences(sandbox)
    print(f"{len(found)} answers differ", *report(found), sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
