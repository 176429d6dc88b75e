"""A simulated deadline night: the requests and uploads of `tests.load`, and parts that cost what was measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from random import Random
from typing import Final

from deploy.processes.site import SWITCHED_AFTER_S
from tests.bench.costs import Costs, Grading
from tests.bench.figures import percentile
from tests.bench.pages import NIGHT, NIGHT_MINUTES, NIGHT_STUDENTS
from tests.bench.queueing import Clock, Cores, Station, Work
from tests.load.classroom import MISTAKES
from tests.load.night import ARRIVALS
from tests.load.staff import STAFF_PAGES
from tests.load.student import THINK_S, WAYS
from tests.load.verdict import BOARD_MS, PAGE_MS, TURN_S
from web.overview.standings import FRESH_S, ROW_S

LADDER: Final = 1000
"""The most students who share a ladder: a larger class has several."""

BOARD: Final = "leaderboard"
MOST_LADDERS: Final = 10
"""With more ladders, a process of the site computes nearly every leaderboard that it is asked for again. No number of
processes reaches the target of leaderboards then, so it does not count."""

SHOWS_PLACES: Final = (BOARD, "assignment", "home", "entry card", "entry card, unchanged")
"""The pages for which a process computes a leaderboard again when its copy is too old."""

LAST_S: Final = 120.0  # after the last upload, in which its report may come

POSTS: Final[Mapping[str, int]] = {"twice": 2, "two tabs": 2}
"""How often a form is sent, by the way of uploading, if more than once."""

STUDENT_SECONDS: Final = 6e5
"""Of the pages of a larger class, only those around the end of its arrival are simulated: so many seconds of all its
students together. All uploads are."""


@dataclass(frozen=True, slots=True)
class Load:
    """A class: how long it stays, in minutes after its arrival, and how many staff and uploads a minute there are for
    each student."""

    students: int
    minutes: float = 5.0
    staff: float = 0.01
    uploads: float = 0.06


@dataclass(frozen=True, slots=True)
class Parts:
    """The processes of each part, and the cores that they share; without `cores`, each process has one of its own.
    `database` counts the cores of PostgreSQL."""

    web: int
    grading: int
    database: int
    cores: int | None = None


@dataclass
class SimulatedTimes:
    """What was seen: the seconds of each request by its kind, and when each upload came and had its report. The target
    of leaderboards may not count."""

    judges_boards: bool = True
    requests: dict[str, list[float]] = field(default_factory=dict)
    uploads: list[tuple[float, float]] = field(default_factory=list)
    busy: Mapping[str, float] = field(default_factory=dict)  # each part, 0 to 1

    def slowest_ms(self, boards: bool) -> float:
        """The 95th percentile of the slowest kind of pages."""
        kinds = (times for kind, times in self.requests.items() if (kind == BOARD) == boards)
        return max((1000 * percentile(times, 95) for times in kinds), default=0.0)

    @property
    def reports_s(self) -> float:
        """The 95th percentile of the time from upload to report."""
        return percentile([done - came for came, done in self.uploads] or [0.0], 95)

    @property
    def turns_s(self) -> float:
        """The 95th percentile of the time from an upload's turn to its report. Its turn comes when all uploads before
        it have theirs. A queue may grow for ever without this time growing."""
        ordered = sorted(self.uploads)
        turns = accumulate((done for _, done in ordered), max, initial=0.0)
        waits = [max(0.0, done - max(came, turn)) for (came, done), turn in zip(ordered, turns, strict=False)]
        return percentile(waits or [0.0], 95)

    @property
    def too_small(self) -> Sequence[str]:
        """The parts that miss a target of the load test. Reports have to come within the time after the upload, which
        is stricter than after their turn."""
        slow = self.slowest_ms(boards=False) > PAGE_MS
        slow |= self.judges_boards and self.slowest_ms(boards=True) > BOARD_MS
        return [*(["web"] if slow else []), *(["grading"] if self.reports_s > TURN_S else [])]


class Simulation:
    """A night of a class, on these parts."""

    def __init__(self, costs: Costs, load: Load, parts: Parts, seed: int = 1) -> None:
        self.costs, self.load, self.rng = costs, load, Random(seed)
        self.clock, self.times = Clock(), SimulatedTimes(load.students <= MOST_LADDERS * LADDER)
        station = partial(Station, self.clock, cores=Cores(self.clock, parts.cores) if parts.cores else None)
        self.web = [station(1, in_turns=True, slice_s=SWITCHED_AFTER_S) for _ in range(parts.web)]
        self.grading, self.database, self.redis = station(parts.grading), station(parts.database), station(1)
        self.arrival_s = 60 * load.minutes * ARRIVALS
        self.ends = self.arrival_s + 60 * load.minutes
        self.lasts = min(self.ends, STUDENT_SECONDS / load.students)
        self.begins = self.arrival_s * (1 - self.lasts / self.ends)
        self.computed: dict[tuple[int, int], float] = {}

    def play(self) -> SimulatedTimes:
        """Play it."""
        asked = WEIGHTS[-1] / (NIGHT_STUDENTS * 60 * NIGHT_MINUTES * (1 + ARRIVALS / 2))
        self.clock.now = self.begins
        self._repeat(asked, self._page)
        self._repeat(self.load.staff / (sum(THINK_S) / 2), self._staff_page)
        self._repeat(1 / self.arrival_s, self._sign_in, self.arrival_s)
        uploads = partial(self._repeat, self.load.uploads / 60, self._upload, self.ends)
        self.clock.after(self.arrival_s - self.begins, uploads)
        self.clock.run(self.begins + self.lasts)
        asking = {
            "web": sum(each.busy_s for each in self.web) / len(self.web),
            "PostgreSQL": self._share(self.database),
        }
        self.clock.run(self.ends)
        self.times.busy = {part: seconds / self.lasts for part, seconds in asking.items()}
        self.times.busy |= {
            "grading": self._share(self.grading) / (60 * self.load.minutes),
            "Redis": self.redis.busy_s / (60 * self.load.minutes),
        }
        self.clock.run(self.ends + LAST_S)
        # What still waits then missed every target:
        self.times.uploads += [(each.came, self.clock.now) for each in self.grading.waiting()]
        return self.times

    def _share(self, part: Station) -> float:
        return part.busy_s / part.servers

    def _repeat(self, rate: float, act: Callable[[], object], until: float = 0.0) -> None:
        """Do that so many times a second for each student, at random moments."""

        def again() -> None:
            act()
            if self.clock.now < (until or self.begins + self.lasts):
                self.clock.after(self.rng.expovariate(rate * self.load.students), again)

        self.clock.after(self.rng.expovariate(rate * self.load.students), again)

    def _sign_in(self) -> None:
        self._ask("sign-in", self.costs.sign_in)
        for _ in range(round(NIGHT[FILE] / NIGHT_STUDENTS)):  # which their browser keeps
            self.clock.after(self.rng.random(), partial(self._ask, FILE, self.costs.pages[FILE]))

    def _page(self) -> None:
        if self.rng.random() < self.clock.now / self.arrival_s:  # the others have not signed in yet
            (page,) = self.rng.choices(PAGES, cum_weights=WEIGHTS)
            self._ask(page, self.costs.pages[page])

    def _staff_page(self) -> None:
        (page,) = self.rng.choices(list(STAFF_PAGES), list(STAFF_PAGES.values()))
        self._ask(f"staff: {page}", self.costs.staff.get(page, self.costs.pages["report"]))

    def _ask(self, kind: str, cost: float, then: Callable[[], object] | None = None) -> None:
        """Send a request to a process, which asks the database."""
        began, process = self.clock.now, self.rng.randrange(len(self.web))
        if kind in SHOWS_PLACES:
            cost += self._board(process)

        def answered() -> None:
            self.times.requests.setdefault(kind, []).append(self.clock.now - began)
            if then:
                then()

        asks = Work(self.costs.database_request, answered)
        self.web[process].add(Work(cost, partial(self.database.add, asks)))

    def _board(self, process: int) -> float:
        """What a process spends on the leaderboard of a student: nothing if it has a copy that is new enough."""
        ladders = -(-self.load.students // LADDER)
        rows = self.load.students / ladders
        which = process, self.rng.randrange(ladders)
        if self.computed.get(which, self.begins) > self.clock.now:
            return 0.0
        self.computed[which] = self.clock.now + max(FRESH_S, ROW_S * rows)
        return self.costs.board * rows / LADDER

    def _upload(self) -> None:
        (way,) = self.rng.choices(list(WAYS), list(WAYS.values()))
        for _ in range(1, POSTS.get(way, 1)):
            self._ask("upload", self.costs.upload)
        self._ask("upload", self.costs.upload, self._grade)

    def _grade(self) -> None:
        came, spent = self.clock.now, self._spent()

        def reported() -> None:
            self.times.uploads.append((came, self.clock.now))

        stores = Work(self.costs.database_upload, reported)
        grades = Work(spent.cpu_s, partial(self.database.add, stores), spent.idle_s)
        self.redis.add(Work(self.costs.message, partial(self.grading.add, grades)))

    def _spent(self) -> Grading:
        return self.costs.grading[MISTAKES.get(self.rng.randrange(100), "")]


FILE: Final = "file of a page"
PAGES: Final = tuple(page for page in NIGHT if page != FILE)
WEIGHTS: Final = tuple(accumulate(NIGHT[page] for page in PAGES))
