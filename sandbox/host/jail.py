"""One jail for players, as the host sees it: its fork server, the pools in which children wait for a player, and their
admission. Locking down a child takes a while, so it happens in parallel with other work."""

import contextlib
import marshal
import os
import socket
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, NamedTuple

from sandbox.api import SandboxError
from sandbox.host.inspection import ProcessStatus, Promise, of_child, of_jail, of_limits, require_kept
from sandbox.host.jail_process import ControlledJail, Holder, send_away
from sandbox.inside import proc
from sandbox.inside.proc import CHILDS, Clocks
from sandbox.inside.wire import LOCKED, MARSHAL, TICK_S, send_long

LAYERS: Final = frozenset({"namespaces", "network", "root", "landlock", "seccomp", "rlimits"})
"""The layers of a jail that tests can leave out: a child's own namespaces, the jail's empty network, a container's
folder for players alone, and a child's own lock-down."""
_BATCH: Final = 4  # children forked together, enough for one table
_DESCRIPTORS: Final = 3 * _BATCH  # descriptors per message: each child's handle, channel and output
_FEW: Final = 2  # with so few children waiting for a player, more are forked
_TEMPLATES: Final = 6  # templates kept in addition to the first, some megabytes each
_POOLS: Final = 6
_WORD: Final = 4096  # bytes of a child's first message
_LOCKED_S: Final = 60.0  # a lock-down takes less than a millisecond; this is for a machine that swaps


class ChildSpec(NamedTuple):
    """What the fork server must know to fork a child."""

    memory: int  # bytes
    cpu_s: int
    output: int  # bytes that it may print
    send_s: float  # seconds that the host waits for the child to accept a message
    imports: tuple[str, ...] = ()  # modules of the standard library to load beforehand
    modules: tuple[tuple[str, str], ...] = ()  # the game's own modules: name and source


@dataclass(slots=True)
class Template:
    """A process inside the jail from which children are forked."""

    number: int  # its number at the fork server
    pid: int  # its process number here; 0: not visible from here


@dataclass(slots=True)
class Pool:
    """Children that wait for a player of the same kind."""

    spec: ChildSpec
    template: Template
    spares: deque["Child"] = field(default_factory=deque)
    ordered: int = 0  # children that were ordered and have not arrived
    wanted: bool = True  # False: children are dismissed on arrival


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process."""

    number: int  # its process number inside the jail
    pid: int  # its process number here; 0: not visible from here
    handle: int  # a process descriptor
    channel: socket.socket
    output: int  # the descriptor of the file that holds its output
    pool: Pool

    def close(self) -> None:
        """Close the process descriptor and the channel, but not the file with the child's output. This does not end the
        process."""
        os.close(self.handle)
        self.channel.close()


@dataclass(slots=True)
class _Candidate:
    """A child that waits for its admission, the greeting to be sent then, and the error if it cannot be admitted."""

    child: Child
    greeting: bytes
    error: SandboxError | None = None


class Admission:
    """Admits the children of one jail."""

    def __init__(
        self, ask: Callable[[tuple[Any, ...]], Any], server: int, nested: bool, started_with: int, promise: Promise
    ) -> None:
        """`ask` queries the fork server about what is not visible from here. `server` is the fork server's process
        number, or 0 if not visible. `nested`: whether the fork server reports that children have namespaces of their
        own. `started_with`: the capabilities of the fork server at its start. Raises SandboxError, for example if the
        jail is not as promised."""
        self._ask = ask
        self._nested = nested
        self._promise = promise
        self._server = ProcessStatus(proc.look(server) if server else ask(("look", "self")))
        mounts = proc.mounts(server) if server else ask(("mounts", "self"))
        ours = ProcessStatus(proc.look("self"))
        require_kept("the jail", [*of_jail(self._server, ours, mounts, nested, started_with, promise)])
        self._candidates: dict[int, _Candidate] = {}
        self._known: set[ChildSpec] = set()  # specs whose first child had the right limits and namespaces

    def apply(self, child: Child, greeting: bytes) -> None:
        """Send a child its greeting once it is admitted: now, or in a later `go_on` or `wait`."""
        self._candidates[child.number] = _Candidate(child, greeting)
        self.go_on()

    def go_on(self) -> None:
        """Admit all children that are ready."""
        for candidate in [*self._candidates.values()]:
            self._try(candidate, socket.MSG_DONTWAIT)

    def wait(self, child: Child) -> None:
        """Wait until a child has been admitted. Raises SandboxError if it cannot be."""
        ticks = 0  # counted here, so a pause of this process is only one tick
        while candidate := self._candidates.get(child.number):
            if candidate.error:
                raise candidate.error
            if ticks * TICK_S > _LOCKED_S:
                raise SandboxError(f"a player's process was not locked down within {_LOCKED_S:g} s")
            self._try(candidate, 0)
            ticks += 1
        self.go_on()  # children that were forked together are ready together

    def withdraw(self, child: Child) -> None:
        """Forget a child that is no longer needed."""
        self._candidates.pop(child.number, None)

    def _try(self, candidate: _Candidate, flags: int) -> None:
        if candidate.error:
            return
        child = candidate.child
        try:
            word = child.channel.recv(_WORD, flags)
        except BlockingIOError:
            return
        except OSError:
            word = b""
        try:
            self._inspect(child, word)
        except SandboxError as error:
            candidate.error = error
            return
        del self._candidates[child.number]
        with contextlib.suppress(OSError):  # the child has ended; the wait for its reply reports that
            send_long(child.channel, candidate.greeting)

    def _inspect(self, child: Child, word: bytes) -> None:
        if word != LOCKED:
            said = word[:500].decode(errors="replace") or "no answer"
            raise SandboxError(f"a player's process could not be locked down: {said}")
        spec = child.pool.spec
        first = spec not in self._known
        try:
            names = CHILDS if first else ()
            sight = proc.look(child.pid, names) if child.pid else self._ask(("look", child.number, names))
            wrong = [*of_child(ProcessStatus(sight), self._server, child.output, self._nested, self._promise)]
            if first and "rlimits" in self._promise.layers:
                text = proc.limits(child.pid) if child.pid else self._ask(("limits", child.number))
                wrong += of_limits(text, spec.memory, spec.cpu_s, spec.output)
        except OSError as error:
            raise SandboxError("a player's process ended before it received its player") from error
        require_kept("a player's process", wrong)
        self._known.add(spec)


class Jail(ControlledJail):
    """A jail for players."""

    def __init__(self, holder: Holder, settings: dict[str, Any], promise: Promise) -> None:
        """Set up and inspect the jail that the holder has started. Raises SandboxError with the reason."""
        super().__init__(holder)
        self._numbers = count(1)
        self._templates: OrderedDict[tuple[Any, ...], Template] = OrderedDict()  # by the modules that they have loaded
        self._pools: OrderedDict[ChildSpec, Pool] = OrderedDict()
        self._ordered: deque[Pool] = deque()  # one entry for each batch that has not arrived
        try:
            self._send(settings)
            hello, handles = self._receive(_DESCRIPTORS)
            self._server, first = map(closed_pid_of, handles)  # 0: not visible from here
            self._first = Template(0, first)
            self.nested: bool = hello["nested"]  # whether children have namespaces of their own
            self.landlock: int = hello["landlock"]  # the kernel's version, 0: none
            self._admission = Admission(self._ask, self._server, self.nested, hello["started_with"], promise)
        except SandboxError:
            self.close()
            raise

    def open(self, spec: ChildSpec, greeting: bytes) -> Child:
        """Take a child and, once it is locked down, send it the greeting, which contains its player. Raises
        SandboxError."""
        if not self.is_ours:
            raise SandboxError("this jail was opened by another process; after a fork, open one of your own")
        pool = self._pool(spec)
        while not pool.spares:
            self._replenish(pool)
            self._hear()
        child = pool.spares.popleft()
        self._admission.apply(child, greeting)
        return child

    def wait_for(self, child: Child) -> None:
        """Wait until a child has been sent its greeting. Raises SandboxError if it is not locked down as promised."""
        try:
            self._admission.wait(child)
        except SandboxError:
            self.dead = True
            raise

    def _pool(self, spec: ChildSpec) -> Pool:
        if pool := self._pools.get(spec):
            self._pools.move_to_end(spec)
            return pool
        self._pools[spec] = pool = Pool(spec, self._template(spec))
        while len(self._pools) > _POOLS:
            self._give_up(next(iter(self._pools.values())))
        return pool

    def _template(self, spec: ChildSpec) -> Template:
        key = spec.imports, spec.modules
        if not any(key):
            return self._first
        if key not in self._templates:
            if len(self._templates) == _TEMPLATES:
                _, oldest = self._templates.popitem(last=False)
                for pool in [pool for pool in self._pools.values() if pool.template is oldest]:
                    self._give_up(pool)
                self._send(("forget", oldest.number))
            number = next(self._numbers)
            self._send(("template", number))
            send_long(self._control, marshal.dumps((spec.imports, dict(spec.modules)), MARSHAL))
            self._templates[key] = Template(number, self._answer())
        self._templates.move_to_end(key)
        return self._templates[key]

    def _give_up(self, pool: Pool) -> None:
        self._pools.pop(pool.spec, None)
        pool.wanted = False
        while pool.spares:
            self._dismiss(pool.spares.pop())

    def replenish(self, child: Child) -> None:
        """Order more children like this one if few are left; they are forked while other work goes on. Raises
        SandboxError."""
        self._admission.go_on()
        self._replenish(child.pool)

    def _replenish(self, pool: Pool) -> None:
        if pool.wanted and len(pool.spares) + pool.ordered < _FEW:
            for pid in (self._server, pool.template.pid):
                if pid:
                    send_away(pid)
            self._send(("open", pool.template.number, _BATCH, *pool.spec[:4]))
            pool.ordered += _BATCH
            self._ordered.append(pool)

    def _dismiss(self, child: Child) -> None:
        child.close()
        os.close(child.output)
        self.bury(child)

    def _ask(self, request: tuple[Any, ...]) -> Any:
        self._send(request)
        return self._answer()

    def _answer(self) -> Any:
        while (answer := self._hear()) is None:
            pass
        return answer

    def _hear(self) -> Any:
        """Receive one message from the fork server. Returns an answer, or None if the message brought new children."""
        (kind, answer), descriptors = self._receive(_DESCRIPTORS)
        if kind == "template":
            return closed_pid_of(*descriptors)
        if kind != "children":
            return answer
        pool = self._ordered.popleft()
        pool.ordered -= len(answer)
        for number, handle, channel, output in zip(answer, *[iter(descriptors)] * 3, strict=True):
            child = Child(number, pid_of(handle), handle, socket.socket(fileno=channel), output, pool)
            if pool.wanted:
                pool.spares.append(child)
            else:
                self._dismiss(child)
        return None

    def reap(self, child: Child) -> int:
        """Return how a dead child ended: its exit status, or the negated number of the signal. Raises SandboxError."""
        return os.waitstatus_to_exitcode(self._ask(("reap", child.number)))

    def clocks(self, child: Child) -> Clocks:
        """Return a child's CPU time and scheduling as the fork server sees them. Blocks while the jail is paused."""
        clocks: Clocks = self._ask(("clocks", child.number))
        return clocks

    def ask_where(self, child: Child) -> None:
        """Have a child report on its channel which lines of the player's file it is executing."""
        with contextlib.suppress(SandboxError):
            self._send(("where", child.number))

    def bury(self, child: Child) -> None:
        """Have a child killed if it lives, and collected, without waiting for either."""
        self._admission.withdraw(child)
        with contextlib.suppress(SandboxError):  # it died with its jail
            self._send(("bury", child.number))

    def retire(self, child: Child) -> None:
        """Have a child killed and collected when that costs least: after the next children have been made, or in a few
        milliseconds."""
        self._admission.withdraw(child)
        with contextlib.suppress(SandboxError):
            self.replenish(child)
            self._send(("retire", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        super().close()
        for pool in [*self._pools.values()]:
            self._give_up(pool)


def pid_of(handle: int) -> int:
    """Return the process number behind a process descriptor, or 0 if the process is in another process namespace."""
    info = os.open(f"/proc/self/fdinfo/{handle}", os.O_RDONLY)
    text = os.read(info, 4096)
    os.close(info)
    pid = int(text.partition(b"\nPid:")[2].split(maxsplit=1)[0])
    if pid < 0:
        raise SandboxError("the jail's child ended as soon as it was started")
    return pid


def closed_pid_of(handle: int) -> int:
    """Return the process number as `pid_of` does, and close the descriptor."""
    try:
        return pid_of(handle)
    finally:
        os.close(handle)
