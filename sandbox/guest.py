"""The program inside the box: a fork server that never runs a player's code, and its children that each run one.

Started as `python -m sandbox.guest FD`; FD is the control socket to the host. The host sends the settings, then
requests; the guest answers each in turn:

- `("open",)`: a new child, not yet anybody's: its pid, with descriptors of the process and of the channel to it;
- `("reap", pid)`: how that child ended (a wait status). The host asks only when the child is dead or has been killed;
- `("bury", pid)`: kill it, and collect it when it is gone; no answer;
- `("clocks", pid)`: its CPU time, and how long it has queued, for a host that cannot see it.

A child locks itself down as far as it can without knowing its player, and waits on its channel for the first frame,
which brings the player. From then on it speaks with the host on this channel only (`player.py`). The host keeps a few
children waiting, so that starting a player does not take as long as a fork.
"""

import gc
import marshal
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any, Final, NoReturn

from sandbox import lockdown
from sandbox.clock import cpu_clock, queued_s
from sandbox.player import run, set_stage
from sandbox.wire import BROKEN, CHUNK, LOCKED, MARSHAL, load

_REQUEST: Final = 4096
_CHANNEL: Final = 3  # the one descriptor beside the standard ones: the fork server's, or the player's
_DESCRIPTORS: Final = 256
_COLLECT_MS: Final = 5


class ForkServer:
    """The fork server."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.dying: list[int] = []  # killed by the host, to be collected when they are gone
        self.layers: frozenset[str] = frozenset(settings["layers"])
        if settings["uid"] is not None:
            lockdown.become(settings["uid"])
        lockdown.hide_from_ptrace()
        self.namespaces = lockdown.NAMESPACES if "namespaces" in self.layers and _nesting_works() else 0
        self.landlock = lockdown.landlock_version()
        self.rules = -1
        if self.landlock and "landlock" in self.layers:
            self.rules = lockdown.landlock_rules(self.landlock, settings["readable"])
        self.filter = lockdown.Filter(settings["filter"])

    def serve(self) -> NoReturn:
        """Answer requests until the host hangs up."""
        self.control.send(marshal.dumps({"nested": bool(self.namespaces), "landlock": self.landlock}, MARSHAL))
        requested = select.poll()
        requested.register(self.control, select.POLLIN)
        while True:
            while self.dying and not requested.poll(_COLLECT_MS):
                self._collect()
            request = self.control.recv(_REQUEST)
            if not request:
                os._exit(0)
            kind, *arguments = marshal.loads(request)  # noqa: S302 - from the host
            if kind == "open":
                self._open()
            elif kind == "reap":
                self.control.send(marshal.dumps(("status", os.waitpid(arguments[0], 0)[1]), MARSHAL))
            elif kind == "clocks":
                clocks = time.clock_gettime(cpu_clock(arguments[0])), queued_s(arguments[0])
                self.control.send(marshal.dumps(("clocks", clocks), MARSHAL))
            else:
                os.kill(arguments[0], signal.SIGKILL)
                self.dying.append(arguments[0])
            self._collect()

    def _collect(self) -> None:
        self.dying = [pid for pid in self.dying if os.waitpid(pid, os.WNOHANG)[0] == 0]

    def _open(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            pid = lockdown.fork(self.namespaces)
            if pid == 0:
                try:
                    self._become_player(ours.fileno())
                finally:
                    os._exit(1)  # never back into the fork server's loop
            handle = os.pidfd_open(pid)
            message = marshal.dumps(("child", pid), MARSHAL)
            socket.send_fds(self.control, [message], [handle, theirs.fileno()])
            os.close(handle)

    def _become_player(self, given: int) -> NoReturn:
        os.dup2(given, _CHANNEL)  # and so the control socket is gone
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, _CHANNEL)
        try:
            self._leave_fork_server()
            greeting, descriptors, _, _ = socket.recv_fds(channel, CHUNK, 2)
            if not greeting:
                os._exit(0)  # not needed after all
            program = _receive_program(*descriptors)
            self._lock(program)
        except BaseException as error:
            channel.send(BROKEN + repr(error).encode())
            raise
        channel.send(LOCKED)
        nonce, seed = load(greeting)
        run(channel, program, nonce, seed, filtered="seccomp" in self.layers)

    def _leave_fork_server(self) -> None:
        os.setsid()  # a process group reaches across namespaces
        lockdown.no_new_privileges()
        if self.namespaces:
            lockdown.drop_capabilities()
        if self.rules >= 0:
            lockdown.restrict(self.rules)
        os.closerange(_CHANNEL + 1, _DESCRIPTORS)

    def _lock(self, program: dict[str, Any]) -> None:
        os.closerange(_CHANNEL + 1, _DESCRIPTORS)
        if "rlimits" in self.layers:
            lockdown.limit(program["memory"], program["cpu_s"], program["output"])
        if "seccomp" in self.layers:
            self.filter.install()


def _receive_program(output: int, program_file: int) -> dict[str, Any]:
    os.dup2(output, 1)
    os.dup2(output, 2)
    program: dict[str, Any] = marshal.loads(os.pread(program_file, os.fstat(program_file).st_size, 0))  # noqa: S302
    return program


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
    os.dup2(int(sys.argv[1]), _CHANNEL)
    highest, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(_CHANNEL + 1, highest if highest > 0 else 1 << 20)
    # From here on no descriptor can have a higher number than what a child closes.
    resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, _CHANNEL)
    settings = marshal.loads(control.recv(1 << 16))  # noqa: S302 - from the host
    os.environ.clear()
    sys.path[:] = [folder for folder in sys.path if folder != settings["guest"]]
    server = ForkServer(control, settings)
    set_stage()
    gc.collect()
    gc.freeze()
    server.serve()


if __name__ == "__main__":
    main()
