"""The limits of a call that runs in this very process: an alarm clock."""

import signal
from threading import get_ident, main_thread
from time import monotonic, thread_time

from sandbox.clock import queued_s


class OutOfTime(BaseException):
    """The alarm rang. Not an Exception, so that a player's `except Exception` lets it pass."""

    def __init__(self, slept: bool) -> None:
        super().__init__()
        self.slept = slept


class Alarm:
    """Rings, in the main thread only, when the CPU limit or the wall-clock guard is reached."""

    def __init__(self) -> None:
        self._limit = self._wall = self._start = 0.0
        self._rung: tuple[float, float] | None = None  # since when, and how long this thread had queued by then

    def prepare(self) -> None:
        """Take the signal. (Not at each call: that alone would take longer than the rest of it.)"""
        if get_ident() == main_thread().ident:
            signal.signal(signal.SIGALRM, self._ring)

    def set(self, start: float, limit: float, wall: float) -> bool:
        """From now on; False in other threads, which get no signals."""
        if get_ident() != main_thread().ident:
            return False
        self._start, self._limit, self._wall, self._rung = start, limit, wall, None
        signal.setitimer(signal.ITIMER_REAL, limit)
        return True

    def stop(self) -> None:
        """No longer ring."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: object) -> None:
        if self._rung is None:  # the limit has gone by on the wall clock
            self._rung = monotonic() - self._limit, queued_s("thread-self")
        since, queued = self._rung
        waited = monotonic() - since - (queued_s("thread-self") - queued)
        spent = thread_time() - self._start
        left = min(self._limit - spent, self._wall - waited)
        if left <= 0:
            raise OutOfTime(slept=spent < self._limit)
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))
