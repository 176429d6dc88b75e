"""Simulates the parts of an installation: their servers do one piece of work at a time, and share processors."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Final

SLICE_S: Final = 0.005
"""The longest time for which a piece of work keeps a processor while others wait for one."""

Act = Callable[[], object]


@dataclass
class Clock:
    """The simulated time in seconds, and what happens when."""

    now: float = 0.0
    _events: list[tuple[float, int, Act]] = field(default_factory=list)
    _numbers: "count[int]" = field(default_factory=count)

    def after(self, seconds: float, act: Act) -> None:
        """Let that happen so many seconds from now."""
        heappush(self._events, (self.now + seconds, next(self._numbers), act))

    def run(self, until: float) -> None:
        """Let everything happen until then."""
        while self._events and self._events[0][0] <= until:
            self.now, _, act = heappop(self._events)
            act()
        self.now = until


@dataclass
class Cores:
    """Processors that all parts share. Those that ask first get one first."""

    clock: Clock
    number: int
    used_s: float = 0.0
    _running: int = 0
    _waiting: deque[tuple[float, Act]] = field(default_factory=deque)

    def use(self, seconds: float, then: Act) -> None:
        """Use one for so long, once it is free."""
        if self._running < self.number:
            self._running += 1
            self._start(seconds, then)
        else:
            self._waiting.append((seconds, then))

    def _start(self, seconds: float, then: Act) -> None:
        self.used_s += seconds
        self.clock.after(seconds, partial(self._end, then))

    def _end(self, then: Act) -> None:
        if self._waiting:
            self._start(*self._waiting.popleft())
        else:
            self._running -= 1
        then()


@dataclass(slots=True)
class Work:
    """A piece of work: it needs a processor for `cpu_s`, then keeps its server for `idle_s` more without one."""

    cpu_s: float
    then: Act
    idle_s: float = 0.0
    came: float = 0.0


@dataclass
class Station:
    """A part of an installation: so many servers with one queue. With `in_turns`, a server turns to the next piece of
    work after each slice, as threads of one process do. Without `cores` it has as many processors as servers."""

    clock: Clock
    servers: int
    cores: Cores | None = None
    in_turns: bool = False
    slice_s: float = SLICE_S
    busy_s: float = 0.0
    _busy: int = 0
    _waiting: deque[Work] = field(default_factory=deque)

    def add(self, work: Work) -> None:
        """Let this be done after what waits already."""
        work.came = self.clock.now
        self._waiting.append(work)
        self.take()

    @property
    def oldest_s(self) -> float:
        """How long the oldest piece of work has waited; 0 if none waits."""
        return self.clock.now - self._waiting[0].came if self._waiting else 0.0

    def waiting(self) -> Sequence[Work]:
        """What waits, in order."""
        return tuple(self._waiting)

    def take(self) -> None:
        """Start what waits, if a server is free; to be called after `servers` has grown."""
        while self._waiting and self._busy < self.servers:
            self._busy += 1
            self._do(self._waiting.popleft())

    def _do(self, work: Work) -> None:
        share = min(work.cpu_s, self.slice_s) if self.cores or self.in_turns else work.cpu_s
        work.cpu_s -= share
        self.busy_s += share
        use = self.cores.use if self.cores else self.clock.after
        use(share, partial(self._done, work))

    def _done(self, work: Work) -> None:
        if work.cpu_s > 0:
            if self.in_turns and self._waiting:
                self._waiting.append(work)
                work = self._waiting.popleft()
            self._do(work)
        elif work.idle_s:
            self.busy_s += work.idle_s
            self.clock.after(work.idle_s, partial(self._finish, work))
        else:
            self._finish(work)

    def _finish(self, work: Work) -> None:
        self._busy -= 1
        work.then()
        self.take()
