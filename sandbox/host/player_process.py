"""One player's process as the host sees it: its channel, its clocks and limits, its output, and how it ended."""

import contextlib
import os
import select
import signal
import time
from typing import Final

from sandbox.api import Fault, Limits, SandboxError, Verdict
from sandbox.host import fault_messages
from sandbox.host.cores import ANYWHERE, bring_here, let_go, send_away
from sandbox.host.jail import Jail
from sandbox.host.pools import Terms
from sandbox.inside.clock import GIVE_UP, UNBORN, Scheduling, compelled_s, cpu_clock, is_ending, queued_s, scheduling
from sandbox.inside.wire import CODE, EXIT_MEMORY, NONCE, TICK_S, WHERE, send_long

_SHORTEST_WAIT_S: Final = 0.002
_DEATH_S: Final = 0.5
_FRAMES_HEARD: Final = 3
_WHERE_S: Final = 0.5  # it answers at once, as soon as a busy machine lets it


class Ended(Exception):
    """The player ended with a fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class PlayerProcess:
    """A child of a jail's fork server.

    The time for which it is waited is counted in ticks. A tick counts as long as it was meant to be, however late we
    woke up after it; and after each tick the fork server must answer, for which no time counts. So no pause is charged
    to the player, neither of this process nor of the jail."""

    def __init__(self, jail: Jail, terms: Terms, limits: Limits, greeting: bytes) -> None:
        """Have a child given its player by its first frame. (The fork server itself is told nothing.) Raises
        SandboxError."""
        self._jail = jail
        self._limits = limits
        self._game_wall = limits.game_s * limits.wall_factor
        self._used = 0.0  # CPU time charged so far
        self._mark = 0.0  # its CPU clock when it was last charged
        self._since: tuple[float, Scheduling, int] | None = None  # `_waited`, and more, when a slow call began
        self._waited = 0.0  # for its replies so far, in ticks, whatever it did meanwhile
        self._sent = 0  # frames
        self._treated = UNBORN  # how the kernel has treated it, when we last looked
        self._ours = queued_s("thread-self")  # how long we had queued for a processor at its start
        self._alive = True
        self._core = ANYWHERE
        self.spent = 0.0  # CPU time of the last call
        self.phase = "Loading your file"  # what it is doing, for messages
        self.compiled = False
        self.cap = max(limits.reply, CODE) + NONCE + 1  # bytes of a frame
        self._child = jail.open(terms, greeting)
        self._channel = self._child.channel
        self._clock = cpu_clock(self._child.pid) if self._child.pid else None
        self._mark = self._cpu()
        if self.pid:
            let_go(self.pid)

    @property
    def pid(self) -> int:
        """Its number on the host, 0 if we cannot see it."""
        return self._child.pid

    def wait_until_locked(self) -> None:
        """Until the child is known to be locked down, whatever happens is our own failure: SandboxError."""
        self._jail.wait_for(self._child)

    def replenish(self) -> None:
        """See `Jail`."""
        self._jail.replenish(self._child)

    def send(self, frame: bytes) -> None:
        """Send a frame. A player that is dead, or reads no more, is found out when its reply is waited for."""
        self._sent += 1
        with contextlib.suppress(OSError):
            send_long(self._channel, frame)

    def start_call(self, phase: str) -> None:
        """From here on the process works on something new."""
        self.phase = phase
        self._since = None
        if self.pid:
            self._core = bring_here(self.pid, self._core)

    def receive(self, limit: float) -> bytes:
        """The next frame, waited for within the limit (seconds of CPU time) and its wall-clock guard. Raises Ended."""
        frame = self._next(limit, limit * self._limits.wall_factor)
        if self._waited > self._game_wall and self.waited_s > self._game_wall:
            raise Ended(fault_messages.out_of_patience(fault_messages.WHOLE_GAME, self._game_wall, self._used))
        if not frame:
            raise Ended(self._autopsy())
        if len(frame) > self.cap:
            raise Ended(fault_messages.malformed(fault_messages.too_much_at_once(self.cap - NONCE - 1)))
        return frame

    def _next(self, limit: float, wall: float) -> bytes:
        started = time.monotonic()
        try:
            frame = self._channel.recv(self.cap + 1)
        except BlockingIOError:
            self._waited += TICK_S
            return self._wait(limit, wall)
        except OSError:
            return b""
        took = time.monotonic() - started
        self._waited += took if took < TICK_S else TICK_S
        return frame

    def _wait(self, limit: float, wall: float) -> bytes:
        if self._core != ANYWHERE:
            self._core = let_go(self.pid)
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        while True:
            cpu_s, treated = self._look()
            used = cpu_s - self._mark
            left = min(limit - used, self._limits.game_s - self._used - used)
            patience = self._patience(wall, treated)
            if self._hears(poll, min(left, patience)):
                try:
                    return self._channel.recv(self.cap + 1)
                except OSError:
                    return b""
            if left <= 0 or patience <= 0:
                raise Ended(self._timed_out(limit, used, slept=left > 0))

    def _hears(self, poll: select.poll, longest: float) -> bool:
        """Wait for it to say something, for a tick at most."""
        tick = min(TICK_S, max(_SHORTEST_WAIT_S, longest))
        started = time.monotonic()
        heard = poll.poll(tick * 1000)
        self._waited += min(time.monotonic() - started, tick)
        return bool(heard)

    def check_patience(self, limit: float) -> None:
        """Raise Ended if the call has slept too long, however often it was heard of meanwhile."""
        wall = limit * self._limits.wall_factor
        if self._since and self._waited - self._since[0] < wall:
            return
        cpu_s, treated = self._look()
        if self._patience(wall, treated) <= 0:
            raise Ended(self._timed_out(limit, cpu_s - self._mark, slept=True))

    def _patience(self, wall: float, treated: Scheduling) -> float:
        """How much longer this call may sleep: what it queued for a processor is not counted. `treated`: how the kernel
        has treated it so far."""
        if self._since is None:
            self._since = self._waited, treated, self._sent
        waited, former, sent = self._since
        waited = self._waited - waited
        if waited > wall * GIVE_UP:
            raise SandboxError("this machine is too busy to let a player compute")
        return wall - waited + compelled_s(former, treated, self._sent - sent)

    @property
    def waited_s(self) -> float:
        """How long it has been waited for in all, without pauses and the time in which it, or we, queued for a
        processor; at least as long as it computed, for we may have queued meanwhile."""
        if self._alive:
            self._look()
        queued = compelled_s(UNBORN, self._treated, self._sent) + queued_s("thread-self") - self._ours
        return max(self._used, self._waited - queued)

    def charge(self, limit: float) -> float:
        """Charge the CPU time since the last charge. Raises Ended when it is too much."""
        now = self._cpu()
        self.spent = now - self._mark
        self._mark = now
        if self.spent > limit or self._used + self.spent > self._limits.game_s:
            raise Ended(self._timed_out(limit, self.spent, slept=False))
        self._used += self.spent
        return self.spent

    def where(self, nonce: bytes) -> bytes:
        """Where in its file a player that is out of time is, as it says itself; empty if it does not, or not soon."""
        self._jail.ask_where(self._child)
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        for _ in range(_FRAMES_HEARD):
            with contextlib.suppress(OSError):
                if poll.poll(_WHERE_S * 1000) and (frame := self._channel.recv(self.cap + 1)).startswith(WHERE + nonce):
                    return frame[len(WHERE + nonce) :]
        return b""

    def _timed_out(self, limit: float, used: float, slept: bool) -> Fault:
        if slept:
            return fault_messages.out_of_patience(self.phase, limit * self._limits.wall_factor, used)
        if self._used + used >= self._limits.game_s:
            return fault_messages.out_of_time(fault_messages.WHOLE_GAME, self._limits.game_s, used)
        return fault_messages.out_of_time(self.phase, limit, used)

    def _look(self) -> tuple[float, Scheduling]:
        """Its CPU time, and how the kernel has treated it, once the fork server shows that the jail is not paused."""
        cpu_s, self._treated = self._jail.clocks(self._child)
        if self.pid:
            cpu_s, self._treated = self._cpu(), scheduling(self.pid)
        return cpu_s, self._treated

    def _cpu(self) -> float:
        if self._clock is None:  # a process namespace that is not below ours: the fork server must tell
            return self._jail.clocks(self._child)[0]
        try:
            return time.clock_gettime(self._clock)
        except OSError as error:
            raise SandboxError("the clock of a player's process cannot be read: was its jail killed?") from error

    def _autopsy(self) -> Fault:
        """The channel is closed: find out how the process ended."""
        if not self._gone():
            return Fault(Verdict.EXIT, f"{self.phase} closed the connection to the game.")
        used = self.spent = self._cpu()
        status = self._jail.reap(self._child)
        self._release()
        if status == -signal.SIGKILL:
            if used >= self._limits.game_s:
                return self._timed_out(self._limits.game_s, used, slept=False)
            raise SandboxError("a player's process was killed by something outside the sandbox")
        if status == EXIT_MEMORY or b"MemoryError" in self.printed()[0][-2000:]:
            return fault_messages.out_of_memory(self._limits)
        if status < 0 and not self.compiled:
            return fault_messages.unreadable()
        return fault_messages.died(status, self.phase)

    def _gone(self) -> bool:
        """Whether the process ends soon, or as soon as a busy machine lets it."""
        poll = select.poll()
        poll.register(self._child.handle, select.POLLIN)
        while not poll.poll(_DEATH_S * 1000):
            if not is_ending(self.pid):
                return False
        return True

    def printed(self) -> tuple[bytes, bool]:
        """What it has printed, and whether that was more than is kept."""
        written = os.lseek(
            self._child.output, 0, os.SEEK_CUR
        )  # the position is shared with the player, who may also move it
        return os.pread(self._child.output, min(max(0, written), self._limits.output), 0), written > self._limits.output

    def kill(self) -> None:
        """Kill the process and let the fork server collect it."""
        if self._alive:
            with contextlib.suppress(OSError):  # gone, another user's, or of another namespace: then `bury` kills it
                signal.pidfd_send_signal(self._child.handle, signal.SIGKILL)
            self._jail.bury(self._child)
            self._release()

    def _release(self) -> None:
        self._alive = False
        self._child.close()

    def close(self) -> None:
        """Have it killed soon, and forget its output. Once only."""
        if self._alive:
            if self.pid:
                send_away(self.pid)
            self._jail.retire(self._child)
            self._release()
        os.close(self._child.output)
