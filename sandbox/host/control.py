"""The host's end of the control channel of a jail, to the fork server or the launcher in it."""

import marshal
import os
import socket
from collections.abc import Sequence
from typing import Any, Final, Protocol

from sandbox import signs
from sandbox.api import SandboxError
from sandbox.inside.wire import MARSHAL, TICK_S, timeval

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
