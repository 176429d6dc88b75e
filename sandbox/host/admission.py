"""Who is let in: a jail that is as promised, and in it a child that is, before it gets its player.

A child's lock-down takes a while, so nobody stands and waits for it while there is something else to do."""

import contextlib
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sandbox.api import SandboxError
from sandbox.host.inspection import Promise, Seen, of_child, of_jail, of_limits
from sandbox.host.pools import Child, Terms
from sandbox.inside.proc import CHILDS, limits, look, mounts
from sandbox.inside.wire import LOCKED, TICK_S, send_long

_MESSAGE: Final = 4096
_PATIENCE_S: Final = 60.0  # a lock-down takes less than a millisecond; this is for a machine that swaps


@dataclass(slots=True)
class _Candidate:
    """A child, what it was made for, what it is sent once it is let in, and why it is not."""

    child: Child
    terms: Terms
    greeting: bytes
    error: SandboxError | None = None


class Admission:
    """Of one jail."""

    def __init__(self, ask: Callable[[tuple[Any, ...]], Any], server: int, nested: bool, promise: Promise) -> None:
        """`ask`: the fork server, about what cannot be seen from here. `server`: its number, 0 if it cannot be seen.
        `nested`: it says that children have namespaces of their own. Raises SandboxError."""
        self._ask = ask
        self._nested = nested
        self._promise = promise
        self._server = Seen(look(server) if server else ask(("look", "self")))
        self._mounts = mounts(server) if server else ask(("mounts", "self"))
        self._candidates: dict[int, _Candidate] = {}
        self._known: set[Terms] = set()  # a child of these had the right limits and namespaces: the next are made alike

    def check_jail(self, started_with: int) -> None:
        """Raises SandboxError if the jail is not as promised. `started_with`: the capabilities that its guest had."""
        ours = Seen(look("self"))
        _refuse("the jail", [*of_jail(self._server, ours, self._mounts, self._nested, started_with, self._promise)])

    def apply(self, child: Child, terms: Terms, greeting: bytes) -> None:
        """Send a child its greeting as soon as it is let in: now, or at one of the next occasions."""
        self._candidates[child.number] = _Candidate(child, terms, greeting)
        self.go_on()

    def go_on(self) -> None:
        """Let in all that are ready."""
        for candidate in [*self._candidates.values()]:
            self._try(candidate, socket.MSG_DONTWAIT)

    def wait(self, child: Child) -> None:
        """Until a child has been let in. Raises SandboxError if it is not to be."""
        ticks = 0  # of our own: a pause of ours is only one of them
        while candidate := self._candidates.get(child.number):
            if candidate.error:
                raise candidate.error
            if ticks * TICK_S > _PATIENCE_S:
                raise SandboxError(f"a player's process was not locked down within {_PATIENCE_S:g} s")
            self._try(candidate, 0)
            ticks += 1
        self.go_on()  # those that were made together are ready together

    def withdraw(self, child: Child) -> None:
        """It is no longer needed."""
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
        with contextlib.suppress(OSError):  # it has ended: found out when its reply is waited for
            send_long(child.channel, candidate.greeting)

    def _inspect(self, child: Child, terms: Terms, word: bytes) -> None:
        if word != LOCKED:
            said = word[:500].decode(errors="replace") or "no answer"
            raise SandboxError(f"a player's process could not be locked down: {said}")
        first = terms not in self._known
        try:
            names = CHILDS if first else ()
            seen = Seen(look(child.pid, names) if child.pid else self._ask(("look", child.number, names)))
            wrong = [*of_child(seen, self._server, child.output, self._nested, self._promise)]
            if first and "rlimits" in self._promise.layers:
                text = limits(child.pid) if child.pid else self._ask(("limits", child.number))
                wrong += of_limits(text, terms.memory, terms.cpu_s, terms.output)
        except OSError as error:
            raise SandboxError("a player's process ended before it had its player") from error
        _refuse("a player's process", wrong)
        self._known.add(terms)


def _refuse(what: str, wrong: Sequence[str]) -> None:
    if wrong:
        raise SandboxError(f"{what} is not as promised: {'; '.join(wrong)}")
