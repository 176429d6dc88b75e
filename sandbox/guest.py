"""The program inside the box: a fork server that never runs a player's code, and its children that each run one.

Started as `python -m sandbox.guest FD`; FD is the control socket to the host. The host sends the settings, then
requests; the guest answers each in turn:

- `("open", count, memory, cpu_s, output, send_s)`: so many new children, locked down under those limits and not yet
  anybody's: their pids, with descriptors of each process, of the channel to it and of the file with what it prints;
- `("modules",)`, and then `{name: source}`: these, the game's own, are what the next children's players may import;
- `("load", *names)`: these modules of the standard library are there for the next children without loading;
- `("reap", pid)`: how that child ended (a wait status). The host asks only when the child is dead or has been killed;
- `("bury", pid)`: kill it, and collect it when it is gone; no answer;
- `("retire", pid)`: the same after the next request, or after a few milliseconds without one;
- `("clocks", pid)`: its CPU time, and how long it has queued, for a host that cannot see it.

A child locks itself down, says so on its channel, and waits there for its player. From then on it speaks with the host
on this channel only (`player.py`). The host keeps a few children waiting, so that starting a player takes no longer
than loading it.

A fork copies little, but each page that a child, or the fork server after it, writes to costs a fault and a copy, and
in Python to look is to write: that is most of a child's start. So whatever can be done once for all is done before the
first fork, and children are forked by the table.
"""

from __future__ import annotations

import _socket as socket  # what `socket` adds to it is half a megabyte that every fork would copy
import array
import fcntl
import gc
import marshal
import os
import resource
import select
import struct
import sys
import time
from types import ModuleType

from sandbox import heap, lockdown, mappings
from sandbox.clock import cpu_clock, queued_s
from sandbox.lockdown import CHANNEL, DESCRIPTORS
from sandbox.player import Player, run, set_stage
from sandbox.rehearsal import rehearse
from sandbox.wire import MARSHAL, TICK_S, receive_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_REQUEST: Final = 4096
_COLLECT_MS: Final = 5
_SIGKILL: Final = 9
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


class ForkServer:
    """The fork server."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.retired: list[int] = []  # to be killed
        self.dying: list[int] = []  # killed by the host, to be collected when they are gone
        layers = frozenset(settings["layers"])
        if settings["uid"] is not None:
            lockdown.become(settings["uid"])
        lockdown.hide_from_ptrace()
        lockdown.no_new_privileges()
        namespaces = lockdown.NAMESPACES if "namespaces" in layers and _nesting_works() else 0
        self.landlock = lockdown.landlock_version()
        rules = -1
        if self.landlock and "landlock" in layers:
            rules = lockdown.landlock_rules(self.landlock, settings["readable"])
        filters = settings["filters"] if "seccomp" in layers else []
        self.lock = lockdown.Lock(rules, filters, namespaces, "rlimits" in layers)
        self.player = Player(control, filtered=bool(filters))
        self.player.build_bridge()
        self.modules: dict[tuple[str, str], ModuleType] = {}  # all that were ever made, by name and source

    def serve(self) -> NoReturn:
        """Answer requests until the host hangs up."""
        hello = {"nested": bool(self.lock.namespaces), "landlock": self.landlock}
        this = os.pidfd_open(os.getpid())
        self._answer(hello, [this])
        os.close(this)
        requested = select.poll()
        requested.register(self.control, select.POLLIN)
        while True:
            while (self.retired or self.dying) and not requested.poll(_COLLECT_MS):
                self._kill_retired()
                self._collect()
            request = self.control.recv(_REQUEST)
            if not request:
                os._exit(0)
            kind, *arguments = marshal.loads(request)  # noqa: S302 - from the host
            if kind == "open":
                self._open(*arguments)
            elif kind == "modules":
                self._make_modules(marshal.loads(receive_long(self.control)))  # noqa: S302 - from the host
            elif kind == "load":
                heap.load(arguments)
            elif kind == "reap":
                self.control.send(marshal.dumps(("status", os.waitpid(arguments[0], 0)[1]), MARSHAL))
            elif kind == "clocks":
                clocks = time.clock_gettime(cpu_clock(arguments[0])), queued_s(arguments[0])
                self.control.send(marshal.dumps(("clocks", clocks), MARSHAL))
            elif kind == "retire":
                self.retired += arguments
            else:
                self._kill(*arguments)
            if kind != "retire":
                self._kill_retired()
            self._collect()

    def _answer(self, answer: Any, descriptors: list[int]) -> None:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        self.control.sendmsg([marshal.dumps(answer, MARSHAL)], [rights])

    def _kill_retired(self) -> None:
        for pid in self.retired:
            self._kill(pid)
        self.retired.clear()

    def _kill(self, pid: int) -> None:
        os.kill(pid, _SIGKILL)
        self.dying.append(pid)

    def _collect(self) -> None:
        self.dying = [pid for pid in self.dying if os.waitpid(pid, os.WNOHANG)[0] == 0]

    def _make_modules(self, sources: dict[str, str]) -> None:
        """Once for all children: they are the game's, and hold nothing of a player's."""
        for name, source in sources.items():
            if (name, source) not in self.modules:
                self.modules[name, source] = made = ModuleType(name)
                made.__file__ = f"<{name}>"
                exec(compile(source, made.__file__, "exec", dont_inherit=True), vars(made))  # noqa: S102 - not a player's
        self.player.modules = {name: self.modules[name, source] for name, source in sources.items()}
        gc.collect()
        gc.freeze()

    def _open(self, count: int, memory: int, cpu_s: int, output: int, send_s: float) -> None:
        """Fork children, one right after the other: what happens between two forks is paid for in pages."""
        self.lock.set_limits(memory, cpu_s, output)
        pairs = [_channel(send_s) for _ in range(count)]
        outputs = [_output_file(output) for _ in range(count)]
        locks = [[*self.lock.calls(ours, printed)] for (_, ours), printed in zip(pairs, outputs, strict=True)]
        pids = self._fork(locks)
        given = [
            descriptor
            for pid, (theirs, _), printed in zip(pids, pairs, outputs, strict=True)
            for descriptor in (os.pidfd_open(pid), theirs, printed)
        ]
        self._answer(("children", pids), given)
        for descriptor in (*given, *(ours for _, ours in pairs)):
            os.close(descriptor)

    def _fork(self, locks: list[list[lockdown.Call]]) -> list[int]:
        player, namespaces, pids = self.player, self.lock.namespaces, []
        for calls in locks:
            pid = lockdown.fork(namespaces, calls)
            if pid == 0:
                run(player)
            pids.append(pid)
        return pids


def _channel(send_s: float) -> tuple[int, int]:
    """The host's end and the child's."""
    theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Kernel time-outs instead of Python's: those would cost the host another system call each time.
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(TICK_S))
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(send_s))
    return theirs.detach(), ours.detach()


def _output_file(size: int) -> int:
    """A file in memory of fixed size."""
    file = os.memfd_create("output", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.ftruncate(file, size)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
    return file


def _timeval(seconds: float) -> bytes:
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))


def _nesting_works() -> bool:
    """Whether a child can have namespaces of its own here: inside a container it often cannot."""
    try:
        pid = lockdown.fork(lockdown.NAMESPACES)
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def main() -> NoReturn:
    """Take the settings and serve."""
    os.dup2(int(sys.argv[1]), CHANNEL)
    highest, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(CHANNEL + 1, highest if highest > 0 else 1 << 20)
    # From here on no descriptor can have a higher number than what a child closes.
    most = min(DESCRIPTORS, highest) if highest > 0 else DESCRIPTORS
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, CHANNEL)
    settings = marshal.loads(control.recv(1 << 16))  # noqa: S302 - from the host
    os.environ.clear()
    sys.path[:] = [folder for folder in sys.path if folder != settings["guest"]]
    set_stage()
    rehearse()
    mappings.join()
    mappings.use_huge_pages()
    server = ForkServer(control, settings)
    heap.settle()
    server.serve()


if __name__ == "__main__":
    main()
