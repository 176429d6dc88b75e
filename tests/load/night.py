"""A whole night: plans who arrives and uploads when, runs all students, and collects the results."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from random import Random
from time import monotonic

from deploy.processes.site import allow_files
from tests.load.audit import Audit, audit, find_place
from tests.load.browser import CONNECTIONS, Browser
from tests.load.classroom import GAME, Credentials
from tests.load.meter import Meter, Usage
from tests.load.slow import dawdle
from tests.load.staff import SimulatedStaff
from tests.load.student import WAYS, LoadedAssignment, Planned, SimulatedStudent
from tests.load.visits import Visits

ARRIVALS = 1.0
"""First the students sign in one after another, for `Night.minutes` times this; then the uploads begin."""

TOLD_EVERY_S = 5.0
FILES_EACH, OTHER_FILES = CONNECTIONS + 1, 200


class NoPlace(Exception):
    """The accounts have no suitable assignment; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class Night:
    """The plan of a night. After its arrival the whole class is there for `minutes`, and uploads `uploads` files;
    `staff` is there from the beginning. All the time, `slow` clients that belong to no student send requests that are
    never complete."""

    address: str
    accounts: Sequence[Credentials]
    minutes: float
    uploads: int
    slow: int = 0
    seed: int = 1
    staff: Sequence[Credentials] = ()

    @property
    def arrival_s(self) -> float:
        """How long the class takes to sign in, one after another."""
        return self.minutes * 60 * ARRIVALS


@dataclass(frozen=True, slots=True)
class NightResult:
    """What was measured: the visits of students, and those of staff, the seconds from upload to report as the students
    saw it, what became of the uploads, and what the machine did."""

    visits: Visits
    waited: Sequence[float]
    audit: Audit
    usage: Usage
    lasted_s: float
    staff: Visits = field(default_factory=Visits)


async def play(night: Night, tell: Callable[[str], None]) -> NightResult:
    """Play the night. `tell` is called with its progress. Raises NoPlace."""
    allow_files(FILES_EACH * (len(night.accounts) + len(night.staff)) + OTHER_FILES + night.slow)
    visits, staff_visits, meter = Visits(), Visits(), Meter(night.address)
    async with AsyncExitStack() as stack:
        browsers = [await stack.enter_async_context(Browser(night.address, visits)) for _ in night.accounts]
        desks = [await stack.enter_async_context(Browser(night.address, staff_visits)) for _ in night.staff]
        place = await _place(night)
        watching = asyncio.create_task(meter.run())
        began = monotonic()
        students = list(_students(night, browsers, place, began))
        telling = asyncio.create_task(_tell(night, visits, students, began, tell))
        slow = [asyncio.create_task(dawdle(night.address, number, visits)) for number in range(night.slow)]
        every_s = night.arrival_s / len(students)
        await asyncio.gather(
            *(_arrive(student, began + number * every_s) for number, student in enumerate(students)),
            *(
                _arrive(each, began + number)
                for number, each in enumerate(_staff(night, desks, place, students[0].until))
            ),
        )
        lasted, usage = monotonic() - began, meter.usage()
        for task in (watching, telling, *slow):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        tell("asking what became of every upload")
        found = await audit(students)
    waited = [seconds for student in students for seconds in student.waited]
    return NightResult(visits, waited, found, usage, lasted, staff_visits)


async def _place(night: Night) -> LoadedAssignment:
    async with Browser(night.address, Visits()) as browser:
        scout = SimulatedStudent(night.accounts[0], browser, LoadedAssignment("", "", 0, 0), Random(0), 0.0, [])
        await scout.sign_in()
        place = await find_place(browser, GAME)
    if place is None:
        raise NoPlace(f"{night.accounts[0].login} is in no course with a tournament of {GAME}")
    return place


def _students(
    night: Night, browsers: Sequence[Browser], place: LoadedAssignment, began: float
) -> Iterator[SimulatedStudent]:
    rng = Random(night.seed)
    opens = began + night.arrival_s
    ends = opens + night.minutes * 60
    order = list(range(len(night.accounts)))
    rng.shuffle(order)
    plans: dict[int, list[Planned]] = {number: [] for number in order}
    for count in range(night.uploads):
        (way,) = rng.choices(list(WAYS), list(WAYS.values()))
        plans[order[count % len(order)]].append(Planned(rng.uniform(opens, ends), way))
    for number, (account, browser) in enumerate(zip(night.accounts, browsers, strict=True)):
        uploads = sorted(plans[number], key=lambda planned: planned.at)
        yield SimulatedStudent(account, browser, place, Random(rng.random()), ends, uploads)


def _staff(night: Night, browsers: Sequence[Browser], place: LoadedAssignment, ends: float) -> Iterator[SimulatedStaff]:
    for number, (account, browser) in enumerate(zip(night.staff, browsers, strict=True)):
        yield SimulatedStaff(account, browser, place, Random(f"{night.seed} {number}"), ends, [])


async def _arrive(student: SimulatedStudent, at: float) -> None:
    await asyncio.sleep(max(0.0, at - monotonic()))
    await student.live()


def phase(night: Night, passed_s: float) -> str:
    """What happens `passed_s` seconds after the beginning, and how many seconds are left."""
    ends = night.arrival_s + night.minutes * 60
    if passed_s < night.arrival_s:
        return f"the class arrives, {ends - passed_s:.0f} s left"
    return f"files are uploaded, {ends - passed_s:.0f} s left" if passed_s < ends else "the last reports are awaited"


async def _tell(
    night: Night, visits: Visits, students: Sequence[SimulatedStudent], began: float, tell: Callable[[str], None]
) -> None:
    while True:
        reports = sum(len(student.waited) for student in students)
        uploads = sum(each for what, each in visits.counts.items() if what.startswith("uploaded"))
        tell(
            f"{phase(night, monotonic() - began)}: {visits.requests:,} requests, {len(visits.failures)} failed; "
            f"{uploads} of {night.uploads} uploads, {reports} reports"
        )
        await asyncio.sleep(TOLD_EVERY_S)
