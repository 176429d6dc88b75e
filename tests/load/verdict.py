"""Whether a night reached its targets, and what the bottleneck was."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tests.bench.figures import percentile
from tests.load.meter import CpuShare, hardware
from tests.load.night import Night, NightResult
from tests.load.student import NEXT_PAGE, THINK_S, WAYS
from tests.load.turns import longest_queue, waits
from tests.load.visits import PageTimes

PAGE_MS, BOARD_MS, STAFF_MS, TURN_S = 300, 100, 300, 30
BOARDS = ("leaderboard", "leaderboard refresh")


@dataclass(frozen=True, slots=True)
class Target:
    """A target, what was found, and whether the target was reached."""

    name: str
    found: str
    reached: bool


def targets(outcome: NightResult) -> list[Target]:
    """The targets, as this night reached them or not."""
    pages = outcome.visits.pages()
    slowest = max((page for page in pages if page.page not in BOARDS), key=lambda page: page.p95)
    board = max((page for page in pages if page.page in BOARDS), key=lambda page: page.p95, default=None)
    turns = waits(outcome.audit.graded)
    failed, lost, slow = len(failures(outcome)), len(outcome.audit.lost), sum(wait > TURN_S for wait in turns)
    staff = max(outcome.staff.pages(), key=lambda page: page.p95, default=None)
    return [
        Target("no failed request", f"{failed} of {requests(outcome) + failed:,}", failed == 0),
        Target(f"every page within {PAGE_MS} ms (p95)", _page(slowest), slowest.p95 <= PAGE_MS),
        Target(
            f"the leaderboard within {BOARD_MS} ms (p95)", _page(board), board is not None and board.p95 <= BOARD_MS
        ),
        *_of_staff(staff),
        Target(
            f"every upload graded within {TURN_S} s of its turn",
            f"{slow} later, the last after {max(turns, default=0):.1f} s",
            slow == 0 and bool(turns),
        ),
        Target("nothing lost", f"{lost} of {len(turns)} uploads", lost == 0 and bool(turns)),
    ]


def _of_staff(slowest: PageTimes | None) -> list[Target]:
    """The target of a night with staff."""
    name = f"every page of staff within {STAFF_MS} ms (p95)"
    return [Target(name, _page(slowest), slowest.p95 <= STAFF_MS)] if slowest else []


def failures(outcome: NightResult) -> list[str]:
    """What failed, of students and of staff."""
    return [*outcome.visits.failures, *(f"staff: {each}" for each in outcome.staff.failures)]


def requests(outcome: NightResult) -> int:
    """The number of answered requests, of students and of staff."""
    return outcome.visits.requests + outcome.staff.requests


def _page(page: PageTimes | None) -> str:
    return f"{page.page} {page.p95:.0f} ms" if page else "nobody looked at it"


def bottleneck(part: CpuShare | None, outcome: NightResult) -> str:
    """The part that is nearest to its limit, in a sentence."""
    if part is None:
        queue = longest_queue(outcome.audit.graded)
        return f"unknown: the server's processes are not on this machine; at most {queue} submissions waited"
    return f"{part.name}: busy for {part.share:.0%} of the time, {part.cores:.2f} of {part.most:g} cores"


def grading(outcome: NightResult) -> Mapping[str, float]:
    """Seconds from upload to report as students saw it, and from turn to report."""
    seen, turns = outcome.waited or [0.0], waits(outcome.audit.graded) or [0.0]
    return {
        **{f"seen_p{p}_s": percentile(seen, p) for p in (50, 95, 99)},
        **{f"turn_p{p}_s": percentile(turns, p) for p in (50, 95, 99)},
        "turn_longest_s": max(turns),
        "longest_queue": longest_queue(outcome.audit.graded),
    }


def costs(outcome: NightResult) -> Mapping[str, float]:
    """Milliseconds of CPU time for a request, and seconds for an upload that is graded, its jail included; empty if the
    server's processes are not on this machine."""
    used = {part.name: part.cores * outcome.lasted_s for part in outcome.usage.parts}
    graded = len(outcome.audit.graded)
    web = {"web_ms_a_request": 1000 * used["web"] / requests(outcome)} if "web" in used else {}
    return web | ({"grading_s_an_upload": used["grading"] / graded} if graded and "grading" in used else {})


def plain(night: Night, outcome: NightResult) -> dict[str, Any]:
    """The night and its result as plain data."""
    usage = outcome.usage
    return {
        "address": night.address,
        "students": len(night.accounts),
        "slow_clients": night.slow,
        "slow_cut_off": outcome.visits.cut_off,
        "minutes": night.minutes,
        "arrival_s": night.arrival_s,
        "think_s": THINK_S,
        "pages": NEXT_PAGE,
        "ways": WAYS,
        "lasted_s": outcome.lasted_s,
        "requests": outcome.visits.requests,
        "times_ms": [asdict(page) for page in outcome.visits.pages()],
        "staff": len(night.staff),
        "staff_requests": outcome.staff.requests,
        "staff_times_ms": [asdict(page) for page in outcome.staff.pages()],
        "megabytes": sum(outcome.visits.bytes.values()) / 1e6,
        "uploads": dict(outcome.visits.counts),
        "grading": dict(grading(outcome)),
        "failures": failures(outcome),
        "lost": list(outcome.audit.lost),
        "targets": [asdict(target) for target in targets(outcome)],
        "parts": [{**asdict(part), "share": part.share} for part in usage.parts],
        "costs": dict(costs(outcome)),
        "bottleneck": bottleneck(usage.bottleneck, outcome),
        "client_cores": usage.client_cores,
        "client_late_p95_ms": usage.client_late_ms,
        "machine_busy": usage.busy,
        "machine_busy_without_playing": usage.urgent,
        "write_lock_p95_ms": usage.write_lock_ms,
        "hardware": dict(hardware()),
    }


def remarks(night: Night, outcome: NightResult) -> Iterator[str]:
    """The results that are in no table, line by line."""
    usage, facts = outcome.usage, grading(outcome)
    yield (
        f"{len(night.accounts):,} students for {night.minutes:g} min after {night.arrival_s:.0f} s of arrivals, "
        f"{THINK_S[0]:g} to {THINK_S[1]:g} s on each page; {outcome.visits.requests:,} requests, "
        f"{outcome.visits.requests / outcome.lasted_s:.0f}/s"
    )
    if night.staff:
        roles = ", ".join(
            f"{number} {role}s" for role, number in Counter(each.role.value for each in night.staff).items()
        )
        yield f"staff: {roles}; {outcome.staff.requests:,} requests"
    ways = ", ".join(f"{number} {what.removeprefix('uploaded ')}" for what, number in outcome.visits.counts.items())
    yield f"uploads: {ways}"
    if night.slow:
        yield f"{night.slow} slow clients meanwhile, cut off {outcome.visits.cut_off} times"
    yield (
        f"upload to report: p50 {facts['seen_p50_s']:.1f} s, p95 {facts['seen_p95_s']:.1f} s, "
        f"p99 {facts['seen_p99_s']:.1f} s; at most {facts['longest_queue']} waited at once"
    )
    if spent := costs(outcome):
        yield "CPU time: " + ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in spent.items())
    yield f"first bottleneck: {bottleneck(usage.bottleneck, outcome)}"
    lock = (
        ""
        if usage.write_lock_ms is None
        else f"; SQLite's write lock is free within {usage.write_lock_ms:.1f} ms (p95)"
    )
    yield (
        f"this client took {usage.client_cores:.2f} cores, and was itself {usage.client_late_ms:.0f} ms late (p95), "
        f"which is part of the times above; the machine was busy for {usage.busy:.0%}, "
        f"{usage.urgent:.0%} without low-priority work{lock}"
    )
    machine = hardware()
    yield f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GB, {machine['system']}"
