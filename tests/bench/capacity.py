"""How many workers and cores a class needs in a deadline night, and which part gives way first.

Everything is measured on this machine (`tests.bench.costs`), then nights of larger classes are simulated
(`tests.bench.simulated_night`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from math import inf
from typing import Final

from deploy.health.servers import FOR_COMMANDS
from tests.bench.costs import Costs, measured
from tests.bench.figures import Figure
from tests.bench.pages import NIGHT
from tests.bench.scaling import scaled
from tests.bench.simulated_night import Load, Parts, SimulatedTimes, Simulation
from tournament.store.database import USUAL_THREADS, WORKER_THREADS, most_connections

CLASSES: Final = (1_000, 10_000, 100_000)
QUICK: Final = (1_000,)
FULL: Final = 0.9  # a part that is busier than this needs more servers
ONE_HOST: Final = 1_000  # students: in larger classes each process has a core
GUESS, MORE = 0.7, 1.06  # the share of what is busy that is tried first, and the factor of the next attempt

NAMES: Final = {"": "right", "raise": "raises", "while": "loops", "time.sleep": "slow"}
"""The mistakes of players, by how they begin."""

ENTRY_BLOCKS: Final = 25  # of four games, for the 400 games of a new entry, four at a table
RIGHT: Final = 0.88  # of the uploads, which play
GAMES_MINUTES: Final = 30
"""The games of all new entries shall be over so long after the deadline."""


def measure(classes: tuple[int, ...] = CLASSES) -> Iterator[Figure | str]:
    """`capacity.cost_<what>`: what each part spends. `capacity.<students>_<part>`: the processes and cores that reach
    the targets of the load test, and how busy they are. `capacity.<students>_twice_<what>`: what becomes of them under
    twice the load; the part that is busiest then gives way first. Raises SandboxUnavailable."""
    for each in measured():
        yield from [each] if isinstance(each, str) else simulated(each, classes)


def simulated(costs: Costs, classes: Sequence[int]) -> Iterator[Figure | str]:
    """The figures of nights with these costs."""
    yield from spent(costs)
    for students in classes:
        yield f"nights of {students:,} students are simulated"
        yield from needed(costs, Load(students))
    yield "workers are added while a class of 10,000 uploads"
    yield from scaled(costs)


def spent(costs: Costs) -> Iterator[Figure]:
    """The costs, in ms, beside that of a right player where they are of a wrong one."""
    right = costs.grading[""]
    ms = {
        "page": sum(costs.pages[page] * number for page, number in NIGHT.items()) / sum(NIGHT.values()),
        "gradebook": costs.staff["gradebook"],
        "sign_in": costs.sign_in,
        "upload": costs.upload,
        "leaderboard_computed": costs.board,
        "request_in_database": costs.database_request,
        "upload_in_database": costs.database_upload,
        "block": costs.block,
        "message": costs.message,
    }
    yield from (Figure(f"capacity.cost_{name}", 1000 * value, "ms") for name, value in ms.items())
    for mistake, each in costs.grading.items():
        name = NAMES.get(mistake.partition(" ")[0].partition("(")[0], mistake)
        reference = right.cpu_s + right.idle_s
        yield Figure(f"capacity.grading_{name}", each.cpu_s + each.idle_s, "s", reference)
    yield Figure("capacity.start", costs.start_s, "s")


def needed(costs: Costs, load: Load) -> Iterator[Figure]:
    """The smallest installation for a class, and what twice its load does to it."""
    parts, times = smallest(costs, load)
    playing, ends_s = players(costs, load, parts, times)
    name = f"capacity.{load.students}"
    numbers = {"web": parts.web, "grading": parts.grading, "PostgreSQL": parts.database}
    cores = parts.cores or parts.web + parts.grading + parts.database + playing
    yield Figure(f"{name}_cores", cores, "cores", used(parts, times))
    for part, number in numbers.items():
        yield Figure(
            f"{name}_{part}", number, "cores" if part == "PostgreSQL" else "processes", times.busy[part] * number
        )
    yield Figure(f"{name}_playing", playing, "processes", playing_s(costs, load) / (60 * load.minutes))
    yield Figure(f"{name}_games_end", ends_s / 60, "min")
    yield Figure(f"{name}_pages", times.slowest_ms(boards=False), "ms")
    yield Figure(f"{name}_boards", times.slowest_ms(boards=True), "ms")
    yield Figure(f"{name}_reports", times.reports_s, "s")
    yield Figure(f"{name}_turns", times.turns_s, "s")
    yield Figure(f"{name}_connections", connections(parts, playing), "connections")
    twice = Simulation(costs, replace(load, students=2 * load.students), parts).play()
    yield Figure(f"{name}_twice_pages", twice.slowest_ms(boards=False), "ms", times.slowest_ms(boards=False))
    yield Figure(f"{name}_twice_reports", twice.reports_s, "s", times.reports_s)
    for part in numbers:
        yield Figure(f"{name}_twice_{part}", 100 * twice.busy[part], "% busy", 100 * times.busy[part])


def connections(parts: Parts, playing: int) -> int:
    """How many connections PostgreSQL has to take, as docs/plan-capacity.md says."""
    workers = parts.grading + playing + 1
    return parts.web * most_connections(USUAL_THREADS) + workers * most_connections(WORKER_THREADS) + FOR_COMMANDS


def smallest(costs: Costs, load: Load) -> tuple[Parts, SimulatedTimes]:
    """The fewest processes that reach the targets with a core each. If one host is enough, then the fewest cores that
    they can share."""
    parts = guessed(costs, load)
    while True:
        times = Simulation(costs, load, parts).play()
        small = {*times.too_small, *(part for part, share in times.busy.items() if share > FULL)}
        if not small:
            break
        parts = Parts(
            more(parts.web, times.busy["web"]) if "web" in small else parts.web,
            more(parts.grading, times.busy["grading"]) if "grading" in small else parts.grading,
            more(parts.database, times.busy["PostgreSQL"]) if "PostgreSQL" in small else parts.database,
        )
    if load.students > ONE_HOST:
        return parts, times
    for cores in range(1, parts.web + parts.grading + parts.database):
        shared = replace(parts, cores=cores)
        found = Simulation(costs, load, shared).play()
        if not found.too_small:
            return shared, found
    return parts, times


def guessed(costs: Costs, load: Load) -> Parts:
    """Too few of each, but not by far: a share of what is busy where there is enough."""
    many = max(4, load.students // 50)
    busy = Simulation(costs, load, Parts(many, many, many)).play().busy
    return Parts(*(max(1, int(GUESS * many * busy[part])) for part in ("web", "grading", "PostgreSQL")))


def more(servers: int, busy: float) -> int:
    """How many servers to try next where so many are too few."""
    return max(servers + 1, round(servers * (2 if busy > 1 else MORE)))


def playing_s(costs: Costs, load: Load) -> float:
    """The seconds of a core for the games of all new entries."""
    entries = load.uploads * load.minutes * load.students * RIGHT
    return entries * ENTRY_BLOCKS * (costs.block + costs.database_block)


def players(costs: Costs, load: Load, parts: Parts, times: SimulatedTimes) -> tuple[int, float]:
    """The fewest playing processes whose games are over in time, and when they are, in seconds after the deadline. On
    shared cores they use what the other parts leave, and all of it afterwards; elsewhere each has a core."""
    left = (parts.cores - used(parts, times)) if parts.cores else inf
    for processes in count(1):
        meanwhile = min(processes, left) * 60 * load.minutes
        ends_s = max(0.0, playing_s(costs, load) - meanwhile) / min(processes, parts.cores or inf)
        if ends_s <= 60 * GAMES_MINUTES or processes == parts.cores:
            return processes, ends_s
    raise AssertionError


def used(parts: Parts, times: SimulatedTimes) -> float:
    """The cores that are busy on average, without games."""
    numbers = {"web": parts.web, "grading": parts.grading, "PostgreSQL": parts.database, "Redis": 1}
    return sum(number * times.busy[part] for part, number in numbers.items())
