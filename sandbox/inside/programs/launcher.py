"""The program inside a jail for programs: starts each command under a keeper (`keeper.py`), and observes the command's
processes.

Started as `python -m sandbox.inside.programs.launcher FD`, as process 1 of the jail; FD is the control socket to the
host. The host sends the settings, then requests, which are answered in turn:

- `("run",)`, with the descriptors of the order (a file with a marshalled `Order`), of the command's standard input,
  output and errors, of the file for the kept files, and of the keeper's channel: answers the keeper's process number;
- `("look",)`: answers what the command's processes have used;
- `("reap",)`: ends the command's remaining processes, and answers when they are gone.

This program is trusted and has no secrets. A command's code never runs in this process or in the keeper's.
"""

from __future__ import annotations

import marshal
import os
import resource
import signal
import socket
import sys
import time

from sandbox.inside import lockdown, proc
from sandbox.inside.lockdown import CHANNEL
from sandbox.inside.proc import UNBORN, Clocks, Scheduling, clocks, cpu_clock
from sandbox.inside.programs import keeper
from sandbox.inside.programs.confine import KeeperPlace
from sandbox.inside.wire import MARSHAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

TOOLS: Final = "tools.json"  # the file beside this one that lists an image's toolchains
_REQUEST: Final = 1 << 16
_DESCRIPTORS: Final = 6
_PDEATHSIG: Final = 1

_PAGE: Final = os.sysconf("SC_PAGESIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_READ: Final = {"x86_64": (0, 19), "aarch64": (63, 65)}.get(os.uname().machine, ())  # and readv
_POLL: Final = {"x86_64": (7, 23, 270, 271), "aarch64": (72, 73)}.get(os.uname().machine, ())  # and select
_STDIN: Final = 0

NOT_READING, MAY_READ, READS = range(3)
"""What a process does about its standard input: ignore it; sleep, perhaps waiting for input; or wait to read it."""

Usage = tuple[Clocks, int, int, int]
"""The clocks of all processes together, including those that are gone; resident bytes; the number of processes and
threads; and the highest of their values NOT_READING, MAY_READ and READS."""


class UsageMeter:
    """Observes all processes of this jail except the trusted ones."""

    def __init__(self, trusted: set[int] | frozenset[int] = frozenset()) -> None:
        self._trusted = trusted
        self._scheduling: dict[int, Scheduling] = {}  # by process, including those that are gone

    def read(self) -> Usage:
        """Return what the processes have used so far."""
        cpu_s, resident, threads, reading, ready = 0.0, 0, 0, NOT_READING, False
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            pid = int(name)
            try:
                fields = proc.content(f"/proc/{pid}/stat").rpartition(b")")[2].split()  # the fields from the third on
                gone = (int(fields[13]) + int(fields[14])) / _TICKS  # CPU time of children that were waited for
                if pid in self._trusted:
                    cpu_s += gone if pid != os.getpid() else 0
                    continue
                cpu_s += gone + time.clock_gettime(cpu_clock(pid))
            except OSError:  # it is gone
                continue
            threads += int(fields[17])
            resident += int(fields[21]) * _PAGE
            reading = max(reading, _reads_input(pid, fields[0]))
            ready = ready or fields[0] == b"R"
            self._scheduling[pid] = clocks(pid, 0.0)[1]
        sums = [sum(each) for each in zip(UNBORN, *self._scheduling.values(), strict=True)]
        return (cpu_s, (sums[0], int(sums[1]), int(sums[2])), ready), resident, threads, reading


def _reads_input(pid: int, state: bytes) -> int:
    try:
        call = proc.content(f"/proc/{pid}/syscall").split()
    except OSError:  # not every kernel lets us read it
        return MAY_READ if state == b"S" else NOT_READING
    number = int(call[0]) if call and call[0].isdigit() else -1  # no number while the process computes
    if number in _READ and int(call[1], 16) == _STDIN:
        return READS
    return MAY_READ if number in (*_READ, *_POLL) else NOT_READING  # perhaps through another descriptor


class Launcher:
    """Serves the host."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.layers = frozenset(settings["layers"])
        self.started_with = 0
        if settings["uid"] is not None:
            self.started_with = lockdown.become(settings["uid"])
            # The call above has made the kernel forget this
            lockdown.call(lockdown.system_call("prctl", _PDEATHSIG, signal.SIGKILL))
        lockdown.hide_from_ptrace()
        lockdown.no_new_privileges()
        highest = min(lockdown.DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        # So no descriptor has a higher number than those that a command closes
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest, highest))
        self.landlock = lockdown.landlock_version()
        self.place = KeeperPlace(settings, self.landlock)
        self.keeper = 0
        self.usage = UsageMeter()

    def serve(self) -> NoReturn:
        """Answer requests until the host hangs up."""
        if "namespaces" in self.layers:
            keeper.try_namespaces(self.place)
        hello = {
            "nested": self.place.nested,
            "tools": _tools(),
            "sight": _sight(),
            "mounts": proc.mounts("self"),
            "landlock": self.landlock,
            "started_with": self.started_with,
        }
        self._answer(hello)
        while True:
            request, descriptors, _, _ = socket.recv_fds(self.control, _REQUEST, _DESCRIPTORS)
            if not request:
                os._exit(0)
            kind, *_ = marshal.loads(request)  # noqa: S302 - from the host
            if kind == "run":
                self._answer((kind, self._run(descriptors)))
            elif kind == "look":
                self._answer((kind, self.usage.read()))
            else:
                self._answer((kind, self._reap()))

    def _answer(self, answer: Any) -> None:
        self.control.send(marshal.dumps(answer, MARSHAL))

    def _run(self, descriptors: list[int]) -> int:
        self.keeper = keeper.fork(self.place)
        if self.keeper == 0:
            self.control.close()
            keeper.keep(self.place, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self.usage = UsageMeter({os.getpid(), self.keeper})
        return self.keeper

    def _reap(self) -> int:
        """End the command's remaining processes, and return how its keeper ended (a wait status)."""
        status = 0
        os.kill(-1, signal.SIGKILL)
        while True:
            try:
                pid, ended = os.wait()
            except ChildProcessError:
                return status
            if pid == self.keeper:
                status = ended


def _tools() -> str:
    """Return what the image says about its toolchains, or "" in a jail that has the host's own files."""
    try:
        with open(os.path.join(os.path.dirname(__file__), TOOLS), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _sight() -> proc.Sight:
    """Return how the host would see this process. Its files in /proc belong to root if it is hidden. In a user
    namespace without root, they show the user number of `nobody` instead, which may also be this user's."""
    status, owner, namespaces, users = proc.look("self")
    return status, 0 if lockdown.is_hidden() else owner, namespaces, users


def main() -> NoReturn:
    """Take the settings and serve."""
    os.dup2(int(sys.argv[1]), CHANNEL)
    os.set_inheritable(CHANNEL, False)
    highest, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(CHANNEL + 1, highest if highest > 0 else 1 << 20)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, CHANNEL)
    settings = marshal.loads(control.recv(_REQUEST))  # noqa: S302 - from the host
    os.environ.clear()
    Launcher(control, settings).serve()


if __name__ == "__main__":
    main()
