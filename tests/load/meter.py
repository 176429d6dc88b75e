"""CPU time of the server's processes, if they run on this machine, and of this client: which part is busiest."""

import asyncio
import ipaddress
import os
import platform
import socket
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from time import monotonic, perf_counter
from urllib.parse import urlsplit

import psutil

from tests.bench.figures import percentile

EVERY_S, LOOK_EVERY = 5.0, 6
"""Seconds between two samples, and the number of samples between two searches for new processes."""

NAP_S = 0.1
"""This client sleeps so long, again and again, to see how late it wakes up."""

PARTS = {"web": "web", "grading": "grading", "players": "grading", "ladder": "playing", "scheduler": "scheduler"}
"""The parts of an installation, by the last word of a process's command."""

SERVERS = {"postgres": ("PostgreSQL", "QUADRILLE_DATABASE_URL"), "redis-server": ("Redis", "QUADRILLE_BROKER_URL")}
"""The title of each server, and the setting that says that the installation uses it, by the name of its process."""

YIELDS = ("playing", "scheduler")
"""Parts of low priority: they use what the others leave, so the others never wait for them."""


@dataclass(frozen=True, slots=True)
class CpuShare:
    """What a part used: it kept `cores` busy on average, of the `most` that it could."""

    name: str
    processes: int
    cores: float
    most: float

    @property
    def share(self) -> float:
        """The share of what it could use, 0 to 1."""
        return self.cores / self.most


@dataclass(frozen=True, slots=True)
class Usage:
    """What was measured: the server's parts (none if it runs elsewhere), this client's cores, the machine's busy share
    with and without low-priority work (0 to 1), and 95th percentiles in ms: how late this client itself was, which is
    part of the times it measured, and the wait for SQLite's write lock."""

    parts: Sequence[CpuShare]
    client_cores: float
    client_late_ms: float
    busy: float
    urgent: float
    write_lock_ms: float | None

    @property
    def bottleneck(self) -> CpuShare | None:
        """The part that is nearest to its limit."""
        return max((part for part in self.parts if part.name not in YIELDS), key=lambda part: part.share, default=None)


@dataclass
class Meter:
    """Measures the server at `address` while its task `run` runs."""

    address: str
    _processes: dict[psutil.Process, str] = field(default_factory=dict)
    _first: dict[psutil.Process, float] = field(default_factory=dict)
    _last: dict[psutil.Process, float] = field(default_factory=dict)
    _lock_ms: list[float] = field(default_factory=list)
    _late_ms: list[float] = field(default_factory=list)

    async def run(self) -> None:
        """Sample until cancelled."""
        self._site = await asyncio.to_thread(site_process, self.address)
        self._began, self._machine = monotonic(), psutil.cpu_times()
        self._own = psutil.Process().cpu_times()
        for sample in count():
            if sample % LOOK_EVERY == 0:
                self._processes |= await asyncio.to_thread(lambda: dict(parts_of(self._site)))
            await asyncio.to_thread(self._sample)
            await self._wait(EVERY_S)

    async def _wait(self, seconds: float) -> None:
        for _ in range(round(seconds / NAP_S)):
            wakes = monotonic() + NAP_S
            await asyncio.sleep(NAP_S)
            self._late_ms.append(1000 * (monotonic() - wakes))

    def _sample(self) -> None:
        for process in self._processes:
            with suppress(psutil.NoSuchProcess):
                self._last[process] = cpu_seconds(process)
                self._first.setdefault(process, self._last[process])
        if self._site and (database := sqlite_of(self._site)):
            with suppress(sqlite3.Error):
                self._lock_ms.append(1000 * write_lock_s(database))

    def usage(self) -> Usage:
        """What was used since `run` began."""
        self._sample()
        lasted = monotonic() - self._began
        own = psutil.Process().cpu_times()
        now, then = psutil.cpu_times(), self._machine
        total = sum(now) - sum(then)
        idle = now.idle - then.idle + getattr(now, "iowait", 0.0) - getattr(then, "iowait", 0.0)
        nice = getattr(now, "nice", 0.0) - getattr(then, "nice", 0.0)
        return Usage(
            [self._part(name, lasted) for name in sorted(set(self._processes.values()))],
            (own.user + own.system - self._own.user - self._own.system) / lasted,
            percentile(self._late_ms, 95) if self._late_ms else 0.0,
            (total - idle) / total,
            (total - idle - nice) / total,
            percentile(self._lock_ms, 95) if self._lock_ms else None,
        )

    def _part(self, name: str, lasted: float) -> CpuShare:
        seen = [process for process, part in self._processes.items() if part == name and process in self._last]
        running = sum(_alike(process) for process in seen if process.is_running())
        cores = psutil.cpu_count() or 1
        python = name in PARTS.values()
        most = min(cores, max(1, running)) if python else cores  # Python: one core a process
        return CpuShare(name, running, sum(self._last[each] - self._first[each] for each in seen) / lasted, most)


def site_process(address: str) -> psutil.Process | None:
    """The process on this machine that listens at the address; None if it is elsewhere, or may not be inspected."""
    where = urlsplit(address)
    with suppress(OSError, psutil.Error):
        host = socket.gethostbyname(where.hostname or "")
        own = {each.address for each in chain.from_iterable(psutil.net_if_addrs().values())}
        if not ipaddress.ip_address(host).is_loopback and host not in own:
            return None
        for connection in psutil.net_connections("tcp"):
            listens = connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (where.port,)
            if listens and connection.pid:
                return psutil.Process(connection.pid)
    return None


def parts_of(site: psutil.Process | None) -> Iterator[tuple[psutil.Process, str]]:
    """The processes of the site's installation, database and broker included, each with the name of its part."""
    if site is None:
        return
    folder, environment = data_of(site), site.environ()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            server, setting = SERVERS.get(process.name(), ("", ""))
            if environment.get(setting):
                yield process, server
            elif (part := _part_of(process, folder)) and _part_of(process.parent(), folder) != part:
                yield process, part  # without its children, which are counted with it


def _part_of(process: psutil.Process | None, folder: str) -> str | None:
    command = [word for word in process.cmdline() if word] if process else []  # a copy's ends with empty ones
    if process is None or "deploy.cli" not in command or data_of(process) != folder:
        return None
    return PARTS.get(command[-1])


def _alike(process: psutil.Process) -> int:
    """The number of processes with the same work: the children with the same command, or just this one."""
    with suppress(psutil.Error):
        command = process.cmdline()
        return max(1, sum(child.cmdline() == command for child in process.children()))
    return 1


def data_of(process: psutil.Process) -> str:
    """The data folder of one of our processes."""
    return str(process.environ().get("QUADRILLE_DATA", ""))


def cpu_seconds(process: psutil.Process) -> float:
    """CPU time of a process and of all that it has started, ended or not; jails are children of their worker.
    Raises psutil.NoSuchProcess."""
    total = sum(process.cpu_times()[:4])
    for each in [] if process.name() in SERVERS else process.children(recursive=True):
        with suppress(psutil.Error):
            total += sum(each.cpu_times()[:4])
    return float(total)


def sqlite_of(site: psutil.Process) -> Path | None:
    """The site's database, if it is a file."""
    with suppress(psutil.Error):
        file = Path(data_of(site)) / "quadrille.sqlite"
        return file if file.exists() and not site.environ().get("QUADRILLE_DATABASE_URL") else None
    return None


def write_lock_s(database: Path) -> float:
    """The seconds that SQLite's write lock takes to get at this moment."""
    connection = sqlite3.connect(database, timeout=10, isolation_level=None)
    try:
        began = perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        waited = perf_counter() - began
        connection.execute("ROLLBACK")
        return waited
    finally:
        connection.close()


def hardware() -> Mapping[str, str | int | float]:
    """The hardware and the system of this machine."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    memory = round(psutil.virtual_memory().total / 2**30, 1)
    return {"processor": model, "cores": os.cpu_count() or 1, "memory_gb": memory, "system": platform.platform()}


def _lines(path: str) -> list[str]:
    with suppress(OSError):
        return Path(path).read_text().splitlines()
    return []
