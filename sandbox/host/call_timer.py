"""Limits the time of a call that runs in this very process (`backends/trusted.py`)."""

import signal
from _thread import interrupt_main
from collections.abc import Callable
from functools import partial
from threading import Timer, get_ident, main_thread
from time import monotonic, thread_time
from typing import Final

from sandbox.inside.proc import queued_s
from sandbox.inside.wire import TICK_S


class OutOfTime(BaseException):
    """The call ran out of time. Not an Exception, so that a player's `except Exception` lets it pass."""

    def __init__(self, slept: bool) -> None:
        super().__init__()
        self.slept = slept


class ThreadAlarm:
    """Rings as `signal.setitimer` does, where there is no such thing: on Windows, on a student's own machine. It
    reaches what computes, but wakes nothing that sleeps."""

    def __init__(self) -> None:
        self._timer = Timer(0, interrupt_main)

    def __call__(self, seconds: float) -> None:
        self._timer.cancel()
        if seconds:
            self._timer = Timer(seconds, interrupt_main, (ALARM,))
            self._timer.daemon = True
            self._timer.start()


ALARM: Final = getattr(signal, "SIGALRM", signal.SIGTERM)
_ring_in: Callable[[float], object] = (
    partial(signal.setitimer, signal.ITIMER_REAL) if hasattr(signal, "setitimer") else ThreadAlarm()
)


class CallTimer:
    """Raises OutOfTime, in the main thread only, when the CPU limit or the wall-clock guard is reached.

    Until then it ticks. The time between two ticks counts as one tick, so that no pause of this process is charged."""

    def __init__(self) -> None:
        self._limit = self._wall = self._start = self._ticked = 0.0
        self._set = False
        self._waited = 0.0  # in ticks
        self._queued: float | None = None  # how long this thread had queued for a processor at the first tick

    def prepare(self) -> None:
        """Install the signal handler. (Doing it for each call would take longer than the rest of the call.)"""
        if get_ident() == main_thread().ident:
            signal.signal(ALARM, self._tick)

    def set(self, start: float, limit: float, wall: float) -> bool:
        """Start it; False in other threads, which get no signals. `start`: the thread's CPU time, in seconds."""
        if get_ident() != main_thread().ident:
            return False
        self._set, self._start, self._limit, self._wall = True, start, limit, wall
        self._ticked, self._waited, self._queued = monotonic(), 0.0, None
        _ring_in(min(TICK_S, limit))
        return True

    def stop(self) -> float:
        """Stop it; the time since `set`, counted in ticks, in seconds."""
        self._set = False
        _ring_in(0)
        self._count()
        return self._waited

    def _count(self) -> None:
        now = monotonic()
        self._waited += min(now - self._ticked, TICK_S)
        self._ticked = now

    def _tick(self, number: int, frame: object) -> None:
        if not self._set:  # the signal arrived after it was stopped
            return
        self._count()
        queued = queued_s("thread-self")
        if self._queued is None:
            self._queued = queued
        spent = thread_time() - self._start
        left = min(self._limit - spent, self._wall - self._waited + queued - self._queued)
        if left <= 0:
            raise OutOfTime(slept=spent < self._limit)
        _ring_in(min(TICK_S, max(left, 0.001)))
