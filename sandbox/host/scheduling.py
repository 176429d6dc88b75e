"""How the kernel has scheduled a process, as seen at several looks."""

from sandbox.inside.clock import UNBORN, Clocks, Scheduling, held_up_s


class SchedulingLog:
    """What is seen of a process so far. Time in which something that the kernel has not counted kept it from computing
    counts as queueing."""

    def __init__(self) -> None:
        self._clocks: Clocks = (0.0, UNBORN, False)
        self._waited = 0.0
        self._held_up = 0.0

    def look(self, clocks: Clocks, waited: float) -> None:
        """Note what is seen of it now, when we have waited for it so long in all, in seconds."""
        self._held_up = held_up_s(self._held_up, self._clocks, clocks, waited - self._waited)
        self._clocks, self._waited = clocks, waited

    @property
    def scheduling(self) -> Scheduling:
        """At the last look."""
        queued, preempted, slept = self._clocks[1]
        return queued + self._held_up, preempted, slept
