"""One player's process as the host sees it: its channel, clocks, limits and output, and how it ended."""

import contextlib
import os
import select
import signal
import time
from typing import Final

from sandbox import signs
from sandbox.api import Fault, Limits, SandboxError, Verdict
from sandbox.host import fault_messages
from sandbox.host.jail import ChildSpec, Jail
from sandbox.host.jail_process import ANYWHERE, SchedulingLog, bring_here, let_go, send_away
from sandbox.inside.proc import (
    GIVE_UP,
    UNBORN,
    Scheduling,
    clocks,
    compelled_s,
    cpu_clock,
    is_ending,
    queued_s,
)
from sandbox.inside.wire import CODE, EXIT_MEMORY, NONCE, TICK_S, WHERE, send_long

_SHORTEST_WAIT_S: Final = 0.002
_DEATH_S: Final = 0.5
_FRAMES_HEARD: Final = 3
_WHERE_S: Final = 0.5  # the player answers as soon as a busy machine lets it run


class PlayerEnded(Exception):
    """The player ended with a fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class PlayerProcess:
    """A child of a jail's fork server.

    The time spent waiting for it is counted in ticks. A tick counts with its intended length, however late this process
    wakes up. After each tick the fork server must answer, and the wait for that answer does not count. So pauses of
    this process or of the jail are never charged to the player.
    """

    def __init__(self, jail: Jail, spec: ChildSpec, limits: Limits, greeting: bytes) -> None:
        """Take a child. `greeting` is its first frame, which contains its player. Raises SandboxError."""
        self._jail = jail
        self._limits = limits
        self._game_wall = limits.game_s * limits.wall_factor
        self._used = 0.0  # CPU time charged so far
        self._mark = 0.0  # the child's CPU clock when it was last charged
        self._since: tuple[float, Scheduling, int] | None = None  # at the start of a slow call: `_waited` etc.
        self._waited = 0.0  # the total time spent waiting for its replies, in ticks
        self._sent = 0  # frames sent
        self._log = SchedulingLog()
        self._ours = queued_s("thread-self")  # how long this thread had queued for a processor when the player started
        self._alive = True
        self._core = ANYWHERE
        self.spent = 0.0  # CPU time of the last call
        self.phase = "Loading your file"  # what the player is doing, for messages
        self.compiled = False
        self._before = 0  # bytes that it printed while loading
        self.cap = max(limits.reply, CODE) + NONCE + 1  # the most bytes of a frame
        self._child = jail.open(spec, greeting)
        self._channel = self._child.channel
        self._clock = cpu_clock(self._child.pid) if self._child.pid else None
        self._mark = self._cpu()
        if self.pid:
            let_go(self.pid)

    @property
    def pid(self) -> int:
        """The process's number on the host; 0 if it cannot be seen there."""
        return self._child.pid

    def wait_until_locked(self) -> None:
        """Wait until the child is locked down. Every failure until then is an internal error: raises SandboxError."""
        self._jail.wait_for(self._child)

    def replenish(self) -> None:
        self._jail.replenish(self._child)

    def send(self, frame: bytes) -> None:
        """Send a frame. If the player is dead, or does not read it, `receive` finds out."""
        self._sent += 1
        with contextlib.suppress(OSError):
            send_long(self._channel, frame)

    def start_call(self, phase: str) -> None:
        """Note that the process starts to work on something new."""
        self.phase = phase
        self._since = None
        if self.pid:
            self._core = bring_here(self.pid, self._core)

    def receive(self, limit: float) -> bytes:
        """Wait for the next frame within the limit (seconds of CPU time) and its wall-clock guard. Raises
        PlayerEnded."""
        frame = self._next(limit, limit * self._limits.wall_factor)
        if self._waited > self._game_wall and self.waited_s > self._game_wall:
            raise PlayerEnded(fault_messages.out_of_patience(fault_messages.WHOLE_GAME, self._game_wall, self._used))
        if not frame:
            raise PlayerEnded(self._autopsy())
        if len(frame) > self.cap:
            raise PlayerEnded(fault_messages.malformed(fault_messages.too_much_at_once(self.cap - NONCE - 1)))
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
            used = self._look() - self._mark
            left = min(limit - used, self._limits.game_s - self._used - used)
            patience = self._patience(wall)
            tick = min(TICK_S, max(_SHORTEST_WAIT_S, min(left, patience)))
            started = time.monotonic()
            heard = poll.poll(tick * 1000)
            self._waited += min(time.monotonic() - started, tick)
            signs.give()
            if heard:
                try:
                    return self._channel.recv(self.cap + 1)
                except OSError:
                    return b""
            if left <= 0 or patience <= 0:
                raise PlayerEnded(self._timed_out(limit, used, slept=left > 0))

    def check_patience(self, limit: float) -> None:
        """Raise PlayerEnded if the call has slept for too long in total, even if it asked questions in between."""
        wall = limit * self._limits.wall_factor
        if self._since and self._waited - self._since[0] < wall:
            return
        cpu_s = self._look()
        if self._patience(wall) <= 0:
            raise PlayerEnded(self._timed_out(limit, cpu_s - self._mark, slept=True))

    def _patience(self, wall: float) -> float:
        """Return how many more seconds this call may sleep. Call this right after `_look`. Queueing for a processor is
        not counted."""
        if self._since is None:
            self._since = self._waited, self._log.scheduling, self._sent
        waited, former, sent = self._since
        waited = self._waited - waited
        if waited > wall * GIVE_UP:
            raise SandboxError("this machine is too busy to run a player")
        return wall - waited + compelled_s(former, self._log.scheduling, self._sent - sent)

    @property
    def waited_s(self) -> float:
        """Total seconds spent waiting for the player, excluding pauses and the time that the player or this thread
        queued for a processor. The total is at least the player's CPU time, since this thread may have queued while the
        player computed."""
        if self._alive:
            self._look()
        queued = compelled_s(UNBORN, self._log.scheduling, self._sent) + queued_s("thread-self") - self._ours
        return max(self._used, self._waited - queued)

    def charge(self, limit: float) -> float:
        """Charge the CPU time since the last charge. Raises PlayerEnded if the limit is exceeded."""
        now = self._cpu()
        self.spent = now - self._mark
        self._mark = now
        if self.spent > limit or self._used + self.spent > self._limits.game_s:
            raise PlayerEnded(self._timed_out(limit, self.spent, slept=False))
        self._used += self.spent
        return self.spent

    def where(self, nonce: bytes) -> bytes:
        """After a time-out, return the player's own report of the lines that it is executing, or b"" if none comes
        soon."""
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

    def _look(self) -> float:
        """Read the clocks of the process and return its CPU time. Before that, wait for the fork server's answer, which
        shows that the jail is not paused."""
        now = self._jail.clocks(self._child)
        if self.pid:
            now = clocks(self.pid, self._cpu())
        self._log.look(now, self._waited)
        return now[0]

    def _cpu(self) -> float:
        if self._clock is None:  # its process namespace is not visible here: ask the fork server
            return self._jail.clocks(self._child)[0]
        try:
            return time.clock_gettime(self._clock)
        except OSError as error:
            raise SandboxError("the clock of a player's process cannot be read: was its jail killed?") from error

    def _autopsy(self) -> Fault:
        """Find out how the process ended, after its channel was closed."""
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
        """Wait for the process to end, even if a busy machine takes long. Returns False if the process is not about to
        end."""
        poll = select.poll()
        poll.register(self._child.handle, select.POLLIN)
        while not poll.poll(_DEATH_S * 1000):
            signs.give()
            if not is_ending(self.pid):
                return False
        return True

    def printed(self) -> tuple[bytes, bool]:
        """Return what the player has printed, and whether it printed more than is kept."""
        # The position is shared with the player, which may also move it.
        written = os.lseek(self._child.output, 0, os.SEEK_CUR)
        return os.pread(self._child.output, min(max(0, written), self._limits.output), 0), written > self._limits.output

    def note_loaded(self) -> None:
        self._before = os.lseek(self._child.output, 0, os.SEEK_CUR)

    def forget_output(self) -> None:
        """Forget what the player has printed since it was loaded. The player must not be running."""
        os.lseek(self._child.output, self._before, os.SEEK_SET)

    def kill(self) -> None:
        """Kill the process and let the fork server collect it."""
        if self._alive:
            with contextlib.suppress(OSError):  # gone, another user's, or in another namespace: then `bury` kills it
                signal.pidfd_send_signal(self._child.handle, signal.SIGKILL)
            self._jail.bury(self._child)
            self._release()

    def _release(self) -> None:
        self._alive = False
        self._child.close()

    def close(self) -> None:
        """Have the process killed soon, and forget its output. Call this only once."""
        if self._alive:
            if self.pid:
                send_away(self.pid)
            self._jail.retire(self._child)
            self._release()
        os.close(self._child.output)
