"""Are players' processes locked down as promised? Looked at from outside, before any of them is given a file.

That attacks fail shows that the wall stands, not that each of its layers does: where one is gone, another may still
stop them. So whatever a layer leaves to be seen outside is checked: of the jail when it has started, and of each child
before it gets its player. These are the rules; `jail.py` looks, and applies them.
"""

import fcntl
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sandbox.inside.proc import CHILDS, NAMESPACES, Sight

_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
_RIGHTS: Final = (b"CapInh", b"CapPrm", b"CapEff", b"CapAmb")
_BOUND: Final = b"CapBnd"  # what execve could give; it is whole again in a new user namespace, and says nothing there
_LINES: Final = re.compile(
    rb"^(Uid|Gid|Groups|NSpid|NSpgid|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp_filters):\t(.*)$",
    re.MULTILINE,
)
_LIMIT: Final = re.compile(rb"^Max (.+?) +(\d+) +(\d+) ", re.MULTILINE)
_LIMITS: Final = {
    b"open files": 16, b"processes": 0, b"stack size": 8 << 20, b"core file size": 0, b"locked memory": 0,
    b"msgqueue size": 0, b"pending signals": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Promise:
    """What a backend promises of its jails, beside what is the same for all."""

    layers: frozenset[str]  # see `jail.LAYERS`
    uid: int | None  # the players' user; None: any but root
    gid: int | None  # and their group
    groups: frozenset[int] = frozenset()  # those that they may be in besides
    filters: int = 0  # at least so many system call filters are there before the fork server's own
    started_with: int = 0  # the capabilities of a guest that must become another user, until it has
    nested: bool = False  # this machine lets children have namespaces of their own
    apart: tuple[str, ...] = ("pid", "ipc", "uts", "mnt")  # namespaces that the jail does not share with us
    writable: tuple[str, ...] = ()  # folders in which there may be mounts that are not read-only


class Seen:
    """A process as the kernel shows it."""

    def __init__(self, sight: Sight) -> None:
        status, self.owner, links, self.uid_map = sight
        self.lines = dict(_LINES.findall(status))
        self.filters = int(self.lines.get(b"Seccomp_filters", 0))
        self.namespaces = dict(zip(NAMESPACES, links, strict=False))

    def __getitem__(self, name: bytes) -> list[int]:
        """The numbers in a line of its status."""
        return [*map(int, self.lines[name].split())]


def of_jail(
    server: Seen, ours: Seen, mounts: bytes, nested: bool, started_with: int, promise: Promise
) -> Iterator[str]:
    """What is wrong with a jail, in clauses about its fork server: beside this process, by its mounts, and by what it
    says about itself."""
    for kind, promised in ((b"Uid", promise.uid), (b"Gid", promise.gid)):
        ids = {*server[kind]}
        if 0 in ids or (promised is not None and ids != {promised}):
            yield _is(kind, server)
    yield from _of_any(server, promise, (*_RIGHTS, _BOUND))
    least = promise.filters + ("seccomp" in promise.layers)
    if server.filters < least:
        yield _filtered(server, least)
    if more := started_with & ~promise.started_with:
        yield f"it started with more capabilities than it needs ({more:x})"
    for name in (*promise.apart, *(["net"] if "network" in promise.layers else [])):
        if server.namespaces[name] and server.namespaces[name] == ours.namespaces[name]:
            yield f"it has no {name} namespace of its own"
    if promise.nested and not nested and "namespaces" in promise.layers:
        yield "its players have no namespaces of their own, although this machine allows them"
    for place in _writable(mounts):
        if not f"{place}/".startswith(promise.writable):
            yield f"{place} is not mounted read-only"


def of_child(child: Seen, server: Seen, output: int, nested: bool, promise: Promise) -> Iterator[str]:
    """What is wrong with a child of that fork server, in clauses. `output`: the descriptor of the file for what it
    prints. `nested`: it has namespaces of its own, says the fork server."""
    for kind in (b"Uid", b"Gid"):
        if child.lines[kind] != server.lines[kind]:
            yield _is(kind, child)
    yield from _of_any(child, promise, _RIGHTS if nested else (*_RIGHTS, _BOUND))
    filters = server.filters + ("seccomp" in promise.layers)
    if child.filters != filters:
        yield _filtered(child, filters)
    if (len(child.lines[b"NSpid"].split()) > len(server.lines[b"NSpid"].split())) != nested:
        yield _shares("pid", nested)
    for name in CHILDS:
        if name in child.namespaces and _has_own(name, child, server) not in (nested, None):
            yield _shares(name, nested)
    if child.lines[b"NSpgid"] != child.lines[b"NSpid"]:
        yield "it has no process group of its own"
    if fcntl.fcntl(output, fcntl.F_GET_SEALS) != _SEALS:
        yield "its output file is not sealed"


def of_limits(limits: bytes, memory: int, cpu_s: int, output: int) -> Iterator[str]:
    """What is wrong with the resource limits of a child, by its /proc/PID/limits."""
    promised = {b"address space": memory, b"cpu time": cpu_s, b"file size": output, **_LIMITS}
    found = {name: {int(soft), int(hard)} for name, soft, hard in _LIMIT.findall(limits)}
    for name, value in promised.items():
        if found.get(name) != {value}:
            yield f"its limit of {name.decode()} is not {value}"


def _of_any(process: Seen, promise: Promise, capabilities: tuple[bytes, ...]) -> Iterator[str]:
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


def _has_own(name: str, child: Seen, server: Seen) -> bool | None:
    """Whether a child has that namespace for itself; None if that cannot be seen."""
    if child.namespaces[name] and server.namespaces[name]:
        return child.namespaces[name] != server.namespaces[name]
    return not child.uid_map if name == "user" else None  # nobody maps any user into it


def _is(kind: bytes, process: Seen) -> str:
    return f"its {kind.decode()} is {', '.join(map(str, sorted({*process[kind]})))}"


def _filtered(process: Seen, promised: int) -> str:
    return f"it is under {process.filters} system call filters instead of {promised}"


def _shares(name: str, nested: bool) -> str:
    return f"it has {'no' if nested else 'a'} {name} namespace of its own"


def _writable(mounts: bytes) -> Iterator[str]:
    """Where something is mounted that is not read-only (see proc_pid_mountinfo(5))."""
    for line in mounts.decode(errors="replace").splitlines():
        _, _, _, _, place, flags, *_ = line.split(" ")
        if "ro" not in flags.split(","):
            yield place
