"""Checks from outside that a jail, and each child in it, is locked down as promised before it is given a player.

A failed attack shows that the wall as a whole holds, but not that each layer does: another layer may have stopped the
attack. So all that is visible of the layers from outside is checked, in the jail after its start and in each child
before it gets its player.
"""

import fcntl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.api import SandboxError
from sandbox.inside.proc import CHILDS, NAMESPACES, Sight

_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
_RIGHTS: Final = (b"CapInh", b"CapPrm", b"CapEff", b"CapAmb")
_BOUND: Final = b"CapBnd"  # what execve could grant; not checked in a new user namespace, which has all
_LIMITS: Final = {
    b"open files": 16, b"processes": 0, b"stack size": 8 << 20, b"core file size": 0, b"locked memory": 0,
    b"msgqueue size": 0, b"pending signals": 8,
}  # fmt: skip
_COLUMN: Final = 26  # of /proc/PID/limits, where the values begin


@dataclass(frozen=True, slots=True)
class Promise:
    """What a backend promises about its jails, in addition to what all jails have in common."""

    layers: frozenset[str]  # see `jail.LAYERS`
    uid: int | None  # the players' user; None: anyone but root
    gid: int | None  # the players' group
    groups: frozenset[int] = frozenset()  # other groups that players may be in
    filters: int = 0  # the least number of system call filters before the fork server's own
    started_with: int = 0  # the capabilities that a guest has until it has become another user
    nested: bool = False  # whether this machine lets children have namespaces of their own
    apart: tuple[str, ...] = ("pid", "ipc", "uts", "mnt")  # namespaces that the jail does not share with us
    writable: tuple[str, ...] = ()  # folders in which mounts need not be read-only


class ProcessStatus:
    """A process as the kernel shows it."""

    def __init__(self, sight: Sight) -> None:
        status, self.owner, links, self.uid_map = sight
        self.lines = {name: value for name, _, value in (line.partition(b":\t") for line in status.split(b"\n"))}
        self.filters = int(self.lines.get(b"Seccomp_filters", 0))
        self.namespaces = dict(zip(NAMESPACES, links, strict=False))

    def __getitem__(self, name: bytes) -> list[int]:
        """Return the numbers in the line `name` of the process's status."""
        return [*map(int, self.lines[name].split())]


def require_kept(what: str, wrong: Sequence[str]) -> None:
    """Raise SandboxError if `wrong`, which lists what is wrong with a jail or a child, is not empty."""
    if wrong:
        raise SandboxError(f"{what} is not as promised: {'; '.join(wrong)}")


def of_jail(
    server: ProcessStatus, ours: ProcessStatus, mounts: bytes, nested: bool, started_with: int, promise: Promise
) -> Iterator[str]:
    """Yield what is wrong with a jail, as clauses about its fork server. `ours` is this process, for comparison."""
    for kind, promised in ((b"Uid", promise.uid), (b"Gid", promise.gid)):
        ids = {*server[kind]}
        if 0 in ids or (promised is not None and ids != {promised}):
            yield _is(kind, server)
    yield from _of_any(server, promise, (*_RIGHTS, _BOUND))
    least = promise.filters + ("seccomp" in promise.layers)
    if server.filters < least:
        yield _lacks_filters(server, least)
    if more := started_with & ~promise.started_with:
        yield f"it started with more capabilities than it needs ({more:x})"
    for name in (*promise.apart, *(["net"] if "network" in promise.layers else [])):
        if server.namespaces[name] and server.namespaces[name] == ours.namespaces[name]:
            yield f"it has no {name} namespace of its own"
    if promise.nested and not nested and "namespaces" in promise.layers:
        yield "its players have no namespaces of their own, although this machine allows them"
    for line in mounts.decode(errors="replace").splitlines():
        _, _, _, _, place, flags, *_ = line.split(" ")  # see proc_pid_mountinfo(5)
        if "ro" not in flags.split(",") and not f"{place}/".startswith(promise.writable):
            yield f"{place} is not mounted read-only"


def of_child(child: ProcessStatus, server: ProcessStatus, output: int, nested: bool, promise: Promise) -> Iterator[str]:
    """Yield what is wrong with a child of the fork server `server`, as clauses. `output`: the descriptor of the file
    for the child's output. `nested`: whether the fork server reports that children have namespaces of their own."""
    for kind in (b"Uid", b"Gid"):
        if child.lines[kind] != server.lines[kind]:
            yield _is(kind, child)
    yield from _of_any(child, promise, _RIGHTS if nested else (*_RIGHTS, _BOUND))
    filters = server.filters + ("seccomp" in promise.layers)
    if child.filters != filters:
        yield _lacks_filters(child, filters)
    own = {"pid": len(child.lines[b"NSpid"].split()) > len(server.lines[b"NSpid"].split())}
    own |= {name: _has_own(name, child, server, nested) for name in CHILDS if name in child.namespaces}
    for name, has_own in own.items():
        if has_own != nested:
            yield f"it has {'no' if nested else 'a'} {name} namespace of its own"
    if child.lines[b"NSpgid"] != child.lines[b"NSpid"]:
        yield "it has no process group of its own"
    if fcntl.fcntl(output, fcntl.F_GET_SEALS) != _SEALS:
        yield "its output file is not sealed"


def of_limits(limits: bytes, memory: int, cpu_s: int, output: int) -> Iterator[str]:
    """Yield what is wrong with the resource limits of a child, given its /proc/PID/limits."""
    promised = {b"address space": memory, b"cpu time": cpu_s, b"file size": output, **_LIMITS}
    found = {line[4:_COLUMN].rstrip(): {*line[_COLUMN:].split()[:2]} for line in limits.split(b"\n")}
    for name, value in promised.items():
        if found.get(name) != {b"%d" % value}:
            yield f"its limit of {name.decode()} is not {value}"


def _of_any(process: ProcessStatus, promise: Promise, capabilities: tuple[bytes, ...]) -> Iterator[str]:
    lines = process.lines
    if groups := {*process[b"Groups"]} - promise.groups - {*process[b"Gid"]}:
        yield f"it is in groups besides its own ({', '.join(map(str, sorted(groups)))})"
    for name in capabilities:
        if lines[name].strip(b"0"):
            yield f"it has capabilities ({name.decode()} is {lines[name].decode()})"
    if lines[b"NoNewPrivs"] != b"1":
        yield "it can gain privileges (no_new_privs is not set)"
    if process.owner in process[b"Uid"]:
        yield "others of its user can look into it (it is dumpable)"


def _has_own(name: str, child: ProcessStatus, server: ProcessStatus, nested: bool) -> bool:
    """Whether a child has its own namespace of this kind. Where this is not visible, the answer is `nested` or, for the
    user namespace, whether its uid_map is empty."""
    if child.namespaces[name] and server.namespaces[name]:
        return child.namespaces[name] != server.namespaces[name]
    return not child.uid_map if name == "user" else nested  # nobody maps users into a child's own namespace


def _is(kind: bytes, process: ProcessStatus) -> str:
    return f"its {kind.decode()} is {', '.join(map(str, sorted({*process[kind]})))}"


def _lacks_filters(process: ProcessStatus, promised: int) -> str:
    return f"it is under {process.filters} system call filters instead of {promised}"
