"""Records how long each request of the students took, and what went wrong."""

from collections import defaultdict
from dataclasses import dataclass, field

from tests.bench.figures import percentile


@dataclass(frozen=True, slots=True)
class PageTimes:
    """The requests of one kind; times in milliseconds. `unchanged`: those answered with 304; `addresses`: how many
    different ones were asked for."""

    page: str
    requests: int
    unchanged: int
    addresses: int
    p50: float
    p95: float
    p99: float


@dataclass
class Visits:
    """Collects requests as they are answered. `failures` are sentences; `counts` counts what else happened; `cut_off`
    counts the requests of slow clients that the server did not wait for."""

    addresses: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    unchanged: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bytes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    failures: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    cut_off: int = 0

    def note(self, page: str, path: str, status: int, seconds: float, size: int) -> None:
        """Record a request that was answered as expected."""
        self.addresses[page].add(path)
        self.unchanged[page] += status == 304
        self.seconds[page].append(seconds)
        self.bytes[page] += size

    def fail(self, page: str, why: str) -> None:
        """Record a request that was not."""
        self.failures.append(f"{page}: {why}")

    @property
    def requests(self) -> int:
        """The number of answered requests."""
        return sum(map(len, self.seconds.values()))

    def pages(self) -> list[PageTimes]:
        """The times of each kind, most requested first."""
        kinds = sorted(self.seconds.items(), key=lambda kind: -len(kind[1]))
        return [
            PageTimes(
                page,
                len(times),
                self.unchanged[page],
                len(self.addresses[page]),
                *(1000 * percentile(times, p) for p in (50, 95, 99)),
            )
            for page, times in kinds
        ]
