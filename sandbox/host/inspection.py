"""Checks from outside that a jail, and each child in it, is locked down as promised before it is given a player.

Attacks that fail show that the wall stands, but not that each of its layers does: where one is missing, another may
still stop them. So every trace that a layer leaves outside is checked: of the jail when it has started, and of each
child before it gets its player. A child's lock-down takes a while, so nobody waits for it while there is other work.
"""

import contextlib
import fcntl
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sandbox.api import SandboxError
from sandbox.host.pools import Child, Terms
from sandbox.inside import proc
from sandbox.inside.proc import CHILDS, NAMESPACES, Sight
from sandbox.inside.wire import LOCKED, TICK_S, send_long

_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
_RIGHTS: Final = (b"CapInh", b"CapPrm", b"CapEff", b"CapAmb")
_BOUND: Final = b"CapBnd"  # what execve could give; full again in a new user namespace, and says nothing there
_LIMITS: Final = {
    b"open files": 16, b"processes": 0, b"stack size": 8 << 20, b"core file size": 0, b"locked memory": 0,
    b"msgqueue size": 0, b"pending signals": 8,
}  # fmt: skip
_COLUMN: Final = 26  # of /proc/PID/limits, where the values begin
_MESSAGE: Final = 4096
_PATIENCE_S: Final = 60.0  # a lock-down takes less than a millisecond; this is for a machine that swaps


@dataclass(frozen=True, slots=True)
class Promise:
    """What a backend promises about its jails, besides what is the same for all of them."""

    layers: frozenset[str]  # see `jail.LAYERS`
    uid: int | None  # the players' user; None: anyone but root
    gid: int | None  # and their group
    groups: frozenset[int] = frozenset()  # groups that they may be in besides
    filters: int = 0  # system call filters that are there before the fork server's own, at least
    started_with: int = 0  # the capabilities of a guest that must become another user, until it has
    nested: bool = False  # this machine lets children have namespaces of their own
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
        """The numbers in a line of its status."""
        return [*map(int, self.lines[name].split())]


@dataclass(slots=True)
class _Candidate:
    """A child, what it was made for, what it is sent once it is admitted, and the error if it cannot be admitted."""

    child: Child
    terms: Terms
    greeting: bytes
    error: SandboxError | None = None


class Admission:
    """Admits the children of one jail."""

    def __init__(self, ask: Callable[[tuple[Any, ...]], Any], server: int, nested: bool, promise: Promise) -> None:
        """`ask` asks the fork server about what cannot be seen from here. `server` is its process number, or 0 if it
        cannot be seen. `nested`: it says that children have namespaces of their own. Raises SandboxError."""
        self._ask = ask
        self._nested = nested
        self._promise = promise
        self._server = ProcessStatus(proc.look(server) if server else ask(("look", "self")))
        self._mounts = proc.mounts(server) if server else ask(("mounts", "self"))
        self._candidates: dict[int, _Candidate] = {}
        self._known: set[Terms] = set()  # a child of these had the right limits and namespaces: later ones are alike

    def check_jail(self, started_with: int) -> None:
        """Raise SandboxError if the jail is not as promised. `started_with`: the capabilities that its guest had."""
        ours = ProcessStatus(proc.look("self"))
        _refuse("the jail", [*of_jail(self._server, ours, self._mounts, self._nested, started_with, self._promise)])

    def apply(self, child: Child, terms: Terms, greeting: bytes) -> None:
        """Send a child its greeting as soon as it is admitted: now, or on one of the next occasions."""
        self._candidates[child.number] = _Candidate(child, terms, greeting)
        self.go_on()

    def go_on(self) -> None:
        """Admit all that are ready."""
        for candidate in [*self._candidates.values()]:
            self._try(candidate, socket.MSG_DONTWAIT)

    def wait(self, child: Child) -> None:
        """Wait until a child has been admitted. Raises SandboxError if it must not be."""
        ticks = 0  # counted here: a pause of this process is only one tick
        while candidate := self._candidates.get(child.number):
            if candidate.error:
                raise candidate.error
            if ticks * TICK_S > _PATIENCE_S:
                raise SandboxError(f"a player's process was not locked down within {_PATIENCE_S:g} s")
            self._try(candidate, 0)
            ticks += 1
        self.go_on()  # children that were made together are ready together

    def withdraw(self, child: Child) -> None:
        """Forget a child that is no longer needed."""
        self._candidates.pop(child.number, None)

    def _try(self, candidate: _Candidate, flags: int) -> None:
        if candidate.error:
            return
        child = candidate.child
        try:
            word = child.channel.recv(_MESSAGE, flags)
        except BlockingIOError:
            return
        except OSError:
            word = b""
        try:
            self._inspect(child, candidate.terms, word)
        except SandboxError as error:
            candidate.error = error
            return
        del self._candidates[child.number]
        with contextlib.suppress(OSError):  # it has ended, which is found out when its reply is waited for
            send_long(child.channel, candidate.greeting)

    def _inspect(self, child: Child, terms: Terms, word: bytes) -> None:
        if word != LOCKED:
            said = word[:500].decode(errors="replace") or "no answer"
            raise SandboxError(f"a player's process could not be locked down: {said}")
        first = terms not in self._known
        try:
            names = CHILDS if first else ()
            sight = proc.look(child.pid, names) if child.pid else self._ask(("look", child.number, names))
            wrong = [*of_child(ProcessStatus(sight), self._server, child.output, self._nested, self._promise)]
            if first and "rlimits" in self._promise.layers:
                text = proc.limits(child.pid) if child.pid else self._ask(("limits", child.number))
                wrong += of_limits(text, terms.memory, terms.cpu_s, terms.output)
        except OSError as error:
            raise SandboxError("a player's process ended before it had its player") from error
        _refuse("a player's process", wrong)
        self._known.add(terms)


def _refuse(what: str, wrong: Sequence[str]) -> None:
    if wrong:
        raise SandboxError(f"{what} is not as promised: {'; '.join(wrong)}")


def of_jail(
    server: ProcessStatus, ours: ProcessStatus, mounts: bytes, nested: bool, started_with: int, promise: Promise
) -> Iterator[str]:
    """What is wrong with a jail, in clauses about its fork server, compared with this process (`ours`)."""
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
    for line in mounts.decode(errors="replace").splitlines():
        _, _, _, _, place, flags, *_ = line.split(" ")  # see proc_pid_mountinfo(5)
        if "ro" not in flags.split(",") and not f"{place}/".startswith(promise.writable):
            yield f"{place} is not mounted read-only"


def of_child(child: ProcessStatus, server: ProcessStatus, output: int, nested: bool, promise: Promise) -> Iterator[str]:
    """What is wrong with a child of that fork server, in clauses. `output`: the descriptor of the file for what it
    prints. `nested`: the fork server says that it has namespaces of its own."""
    for kind in (b"Uid", b"Gid"):
        if child.lines[kind] != server.lines[kind]:
            yield _is(kind, child)
    yield from _of_any(child, promise, _RIGHTS if nested else (*_RIGHTS, _BOUND))
    filters = server.filters + ("seccomp" in promise.layers)
    if child.filters != filters:
        yield _filtered(child, filters)
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
    """What is wrong with the resource limits of a child, by its /proc/PID/limits."""
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
    """Whether a child has that namespace to itself; as promised if that cannot be seen."""
    if child.namespaces[name] and server.namespaces[name]:
        return child.namespaces[name] != server.namespaces[name]
    return not child.uid_map if name == "user" else nested  # nobody maps any user into it


def _is(kind: bytes, process: ProcessStatus) -> str:
    return f"its {kind.decode()} is {', '.join(map(str, sorted({*process[kind]})))}"


def _filtered(process: ProcessStatus, promised: int) -> str:
    return f"it is under {process.filters} system call filters instead of {promised}"
