"""The host's end of one jail: sends requests to its fork server."""

import contextlib
import marshal
import os
import socket
from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import count
from typing import Any, Final, Protocol

from sandbox import signs
from sandbox.api import SandboxError
from sandbox.host.cores import send_away
from sandbox.host.inspection import Admission, Promise
from sandbox.host.pools import Child, Pool, Template, Terms, closed_pid_of, pid_of
from sandbox.inside.proc import Clocks
from sandbox.inside.wire import MARSHAL, TICK_S, send_long, timeval

_MESSAGE: Final = 1 << 16
_ANSWER_S: Final = 60.0  # an answer comes within a millisecond; this is for a machine that swaps


class Holder(Protocol):
    """What keeps a jail running: a process of our own, or the runner with a container."""

    control: socket.socket  # to the fork server or the launcher

    def said(self) -> str:
        """What it printed, for the message about a failure."""

    def release(self) -> None:
        """Forget it, without ending it."""

    def kill(self) -> None:
        """End it and everything inside."""


class ControlledJail:
    """A running jail with a control channel. One thread at a time may use it."""

    def __init__(self, holder: Holder) -> None:
        self.holder = holder
        self.dead = False
        self._control = holder.control
        self._control.settimeout(None)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(TICK_S))
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(_ANSWER_S))
        self._owner = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Whether this process opened it, and did not inherit it by a fork."""
        return self._owner == os.getpid()

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        if self.is_ours:
            self.holder.kill()
        self.holder.release()

    def failed(self, what: str) -> SandboxError:
        """The error, with what the jail printed; the jail is not used again."""
        self.dead = True
        return SandboxError(what + "".join(f": {line}" for line in self.holder.said().split("\n") if line))

    def _send(self, request: Any, descriptors: Sequence[int] = ()) -> None:
        """Send a request. Raises SandboxError."""
        try:
            if descriptors:
                socket.send_fds(self._control, [marshal.dumps(request, MARSHAL)], descriptors)
            else:
                self._control.send(marshal.dumps(request, MARSHAL))
        except OSError as error:
            raise self.failed("the jail has gone") from error

    def _receive(self, most_descriptors: int = 0) -> tuple[Any, list[int]]:
        """The next message, with the descriptors that came with it. Raises SandboxError."""
        for _ in range(int(_ANSWER_S / TICK_S)):  # counted here: a pause of this process is only one tick
            try:
                message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, most_descriptors)
            except BlockingIOError:
                signs.give()
                continue
            except OSError as error:
                raise self.failed("the jail has gone") from error
            if not message:
                raise self.failed("the jail has gone")
            return marshal.loads(message), descriptors  # noqa: S302 - from the fork server or the launcher
        raise self.failed("the jail does not answer")


LAYERS: Final = frozenset({"namespaces", "network", "root", "landlock", "seccomp", "rlimits"})
"""The layers of a jail that tests can leave out: a child's own namespaces, the jail's empty network, a container's
folder for players alone, and what a child does to itself."""
_BATCH: Final = 4  # children made together, enough for one table
_DESCRIPTORS: Final = 3 * _BATCH  # that come with a message: of each child its handle, channel and output
_FEW: Final = 2  # when so few children wait for a player, more are made
_TEMPLATES: Final = 6  # kept besides the first, some megabytes each
_POOLS: Final = 6


class Jail(ControlledJail):
    """A jail for players."""

    def __init__(self, holder: Holder, settings: dict[str, Any], promise: Promise) -> None:
        """Set up and inspect what the holder has started. Raises SandboxError, with what it printed or what is wrong
        with it."""
        super().__init__(holder)
        self._numbers = count(1)
        self._templates: OrderedDict[tuple[Any, ...], Template] = OrderedDict()  # by what they have loaded
        self._pools: OrderedDict[Terms, Pool] = OrderedDict()
        self._ordered: deque[Pool] = deque()  # one entry for each batch that is not yet there
        try:
            self._send(settings)
            hello, handles = self._receive(_DESCRIPTORS)
            self._server, first = map(closed_pid_of, handles)  # 0: it cannot be seen from here
            self._first = Template(0, first)
            self.nested: bool = hello["nested"]  # children have namespaces of their own
            self.landlock: int = hello["landlock"]  # the kernel's version, 0: none
            self._admission = Admission(self._ask, self._server, self.nested, promise)
            self._admission.check_jail(hello["started_with"])
        except SandboxError:
            self.close()
            raise

    def open(self, terms: Terms, greeting: bytes) -> Child:
        """Take a child, and send it the greeting, which brings its player, once it is locked down as promised. Raises
        SandboxError."""
        if not self.is_ours:
            raise SandboxError("this jail was opened by another process; after a fork, open one of your own")
        pool = self._pool(terms)
        while not pool.spares:
            self._replenish(pool)
            self._hear()
        child = pool.spares.popleft()
        self._admission.apply(child, terms, greeting)
        return child

    def wait_for(self, child: Child) -> None:
        """Wait until it has been sent its greeting. Raises SandboxError if it is not locked down as promised."""
        try:
            self._admission.wait(child)
        except SandboxError:
            self.dead = True
            raise

    def _pool(self, terms: Terms) -> Pool:
        if pool := self._pools.get(terms):
            self._pools.move_to_end(terms)
            return pool
        self._pools[terms] = pool = Pool(terms, self._template(terms))
        while len(self._pools) > _POOLS:
            self._give_up(next(iter(self._pools.values())))
        return pool

    def _template(self, terms: Terms) -> Template:
        key = terms.imports, terms.modules
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
            send_long(self._control, marshal.dumps((terms.imports, dict(terms.modules)), MARSHAL))
            self._templates[key] = Template(number, self._answer())
        self._templates.move_to_end(key)
        return self._templates[key]

    def _give_up(self, pool: Pool) -> None:
        """Stop keeping children for these terms."""
        self._pools.pop(pool.terms, None)
        pool.wanted = False
        while pool.spares:
            self._dismiss(pool.spares.pop())

    def replenish(self, child: Child) -> None:
        """Have more children like this one made, if few are left, while there is other work. Raises SandboxError."""
        self._admission.go_on()
        self._replenish(child.pool)

    def _replenish(self, pool: Pool) -> None:
        if pool.wanted and len(pool.spares) + pool.ordered < _FEW:
            for pid in (self._server, pool.template.pid):
                if pid:
                    send_away(pid)
            self._send(("open", pool.template.number, _BATCH, *pool.terms[:4]))
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
        """Take one message of the fork server: an answer, or None after new children have been kept."""
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
        """How a dead child ended: its exit status, or minus the number of the signal. Raises SandboxError."""
        return os.waitstatus_to_exitcode(self._ask(("reap", child.number)))

    def clocks(self, child: Child) -> Clocks:
        """The CPU time of a child, and how the kernel has scheduled it, as the fork server sees it. While the jail is
        paused, this waits."""
        clocks: Clocks = self._ask(("clocks", child.number))
        return clocks

    def ask_where(self, child: Child) -> None:
        """Have a child report on its channel where in the player's file it is."""
        with contextlib.suppress(SandboxError):
            self._send(("where", child.number))

    def bury(self, child: Child) -> None:
        """Have a child killed, if it lives, and collected, without waiting."""
        self._admission.withdraw(child)
        with contextlib.suppress(SandboxError):  # a dead jail has taken it with it
            self._send(("bury", child.number))

    def retire(self, child: Child) -> None:
        """The same, at the cheapest moment: in a few milliseconds, or after the next children have been made."""
        self._admission.withdraw(child)
        with contextlib.suppress(SandboxError):
            self.replenish(child)
            self._send(("retire", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        super().close()
        for pool in [*self._pools.values()]:
            self._give_up(pool)
