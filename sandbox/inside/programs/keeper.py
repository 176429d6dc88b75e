"""The process that looks after one command: makes its scratch folder, starts the command, and ends the processes that
it leaves behind.

Where the machine allows it, the keeper is the first process of namespaces of its own (users, processes, mounts, IPC),
in which the scratch folder is a file system in memory of limited size; all of these end with the keeper. Elsewhere the
scratch folder belongs to the jail, and is wiped before and after each command.

The keeper is trusted. It tells the host on its channel how the command ended, or sends `BROKEN` and the reason why the
command could not start.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import resource
import select
import signal
import socket
import struct
import time
from contextlib import suppress

from sandbox.inside import lockdown
from sandbox.inside.proc import cpu_clock
from sandbox.inside.programs import confine, scratch
from sandbox.inside.programs.confine import KeeperPlace
from sandbox.inside.wire import BROKEN, MARSHAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_NEWNS: Final = 0x00020000
NAMESPACES: Final = 0x08000000 | 0x10000000 | 0x20000000  # NEWIPC, NEWUSER, NEWPID
_SIGCHLD: Final = 17
_SUBREAPER: Final = 36
_USER: Final = 65534  # the commands' user in their own namespace
_RECEIVE, _ANSWER, _CONTINUE = 0xC0502100, 0xC0182101, 1  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
_NOTICE: Final = 80  # bytes of struct seccomp_notif
_NOTHING: Final = -1


def try_namespaces(place: KeeperPlace) -> None:
    """Find out which namespaces keepers can have here."""
    for place.nested, place.mounts in ((True, True), (True, False), (False, False)):
        if not place.nested or _works(place):
            return


def fork(place: KeeperPlace) -> int:
    """Fork a keeper. Returns its pid, or 0 in the keeper."""
    flags = (NAMESPACES if place.nested else 0) | (_NEWNS if place.mounts else 0)
    return lockdown.call(lockdown.system_call("clone", flags | _SIGCHLD))


def _works(place: KeeperPlace) -> bool:
    """Whether a keeper can have the namespaces that `place` names."""
    try:
        pid = fork(place)
    except OSError:
        return False
    if pid == 0:
        try:
            _enter(place, 1 << 20, 10)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def keep(place: KeeperPlace, descriptors: list[int]) -> NoReturn:
    """Look after one command until it has ended. `descriptors`: see `launcher.py`."""
    order, stdin, stdout, stderr, kept, channel = descriptors
    host = socket.socket(fileno=channel)
    try:
        orders = marshal.loads(os.pread(order, os.fstat(order).st_size, 0))  # noqa: S302 - from the host
        ended = _run_to_end(place, orders, (stdin, stdout, stderr), host)
        os.write(kept, scratch.kept(f"{place.root}{scratch.FOLDER}", orders["kept"], orders["scratch_bytes"]))
        if not place.mounts:
            scratch.wipe(f"{place.root}{scratch.FOLDER}")
        host.send(marshal.dumps(ended, MARSHAL))
    except BaseException as error:  # noqa: BLE001 - it must never return into the launcher
        with suppress(OSError):
            host.send(BROKEN + repr(error).encode())
        os._exit(1)
    os._exit(0)


def _enter(place: KeeperPlace, size: int, files: int) -> None:
    """Set up this keeper with an empty scratch folder."""
    if place.nested:
        lockdown.show_in_proc()  # otherwise this process would not own these files
        maps = {"uid_map": f"{_USER} {place.uid} 1", "setgroups": "deny", "gid_map": f"{_USER} {place.gid} 1"}
        for name, text in maps.items():
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        lockdown.hide_from_ptrace()
    else:
        lockdown.call(lockdown.system_call("prctl", _SUBREAPER, 1))
    folder = f"{place.root}{scratch.FOLDER}"
    if place.mounts:
        scratch.mount(folder, size, files)
    else:
        scratch.wipe(folder)


class Kept:
    """A running command, and the descriptor that reports its forbidden calls."""

    def __init__(self, pid: int, listener: int, tells_start: bool) -> None:
        """`tells_start`: whether the filter also reports the program's start; else every notice reports an attack."""
        self.pid = pid
        self.handle = os.pidfd_open(pid)
        self.listener = listener
        self.started = not tells_start
        self.blocked = _NOTHING
        self.before_s = time.clock_gettime(cpu_clock(pid))  # CPU time until the program started

    def answer(self) -> bool:
        """Answer a notice of the filter. Returns False if the notice reports a forbidden call."""
        notice = bytearray(_NOTICE)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notice)
        except OSError:  # the command has been killed in the meantime
            return True
        key, number = struct.unpack_from("=Q8xi", notice)
        if self.started:
            self.blocked = number
            return False
        self.started = True
        self.before_s = time.clock_gettime(cpu_clock(self.pid))
        with suppress(OSError):
            fcntl.ioctl(self.listener, _ANSWER, struct.pack("=QqiI", key, 0, 0, _CONTINUE))
        return True


def _run_to_end(
    place: KeeperPlace, orders: dict[str, Any], streams: tuple[int, int, int], host: socket.socket
) -> tuple[Any, ...]:
    """Run the command to its end. Returns the report that `host/programs/run.py` reads."""
    _enter(place, orders["scratch_bytes"], orders["scratch_files"])
    scratch.fill(f"{place.root}{scratch.FOLDER}", orders["files"], orders["executable"])
    lock = confine.Confinement(place, orders)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = lockdown.call(lockdown.system_call("clone", _SIGCHLD))
    if pid == 0:
        confine.start(lock, theirs, streams)
    theirs.close()
    for stream in streams:
        os.close(stream)
    said, descriptors, _, _ = socket.recv_fds(ours, 1 << 12, 1)
    if said.startswith(BROKEN) or (lock.filter and not descriptors):
        raise OSError(said[1:].decode(errors="replace") or "a command ended before it was locked down")
    if lock.descriptors:
        # Only now: the kernel refuses to send a descriptor if more of the user's descriptors are in transit, over all
        # jails, than the sender may have open.
        resource.prlimit(pid, resource.RLIMIT_NOFILE, lock.descriptors)
    command = Kept(pid, descriptors[0] if descriptors else _NOTHING, orders["filter"] != "compile")
    _watch_command(command, host)
    status = _end_all(pid)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    failed = ours.recv(64)  # empty if the program was started, which closes the other end
    cpu_s = max(0.0, usage.ru_utime + usage.ru_stime - command.before_s)
    return status, command.blocked, cpu_s, usage.ru_maxrss << 10, int(failed or 0)


def _watch_command(command: Kept, host: socket.socket) -> None:
    """Wait until the first process of the command has ended, the host wants it to end, or a forbidden call must end
    it."""
    poll = select.poll()
    for file in (command.handle, host.fileno(), *([command.listener] if command.listener != _NOTHING else [])):
        poll.register(file, select.POLLIN)
    while True:
        heard = [file for file, event in poll.poll()]
        if command.listener in heard and not command.answer():
            return
        if command.handle in heard or host.fileno() in heard:
            return


def _end_all(first: int) -> int:
    """Kill and collect every process of the command. Returns how the first one ended (a wait status)."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # all except process 1 and this one
    status = 0
    while True:
        try:
            pid, ended = os.wait()
        except ChildProcessError:
            return status
        if pid == first:
            status = ended
