"""The simulated parts wait as long as the theory of queues says."""

from functools import partial
from itertools import accumulate
from math import factorial
from random import Random
from statistics import mean

import pytest

from tests.bench.queueing import Clock, Cores, Station, Work

SECONDS = 40_000.0


def waits(station: Station, rate: float, service: list[float]) -> list[float]:
    """How long each piece of work of a Poisson stream waits."""
    clock, rng, found = station.clock, Random(1), list[float]()

    def arrive(seconds: float) -> None:
        came = clock.now
        station.add(Work(seconds, lambda: found.append(clock.now - came - seconds)))

    for at, seconds in zip(accumulate(rng.expovariate(rate) for _ in service), service, strict=True):
        clock.after(at, partial(arrive, seconds))
    clock.run(SECONDS * 2)
    assert len(found) == len(service)
    return found


@pytest.mark.parametrize("servers", [1, 4])
def test_exponential_work_waits_as_in_m_m_c(servers: int) -> None:
    rate, rng, load = 0.8 * servers, Random(2), 0.8 * servers
    service = [rng.expovariate(1.0) for _ in range(int(SECONDS * rate))]
    last = load**servers / factorial(servers) / (1 - load / servers)
    must_wait = last / (sum(load**n / factorial(n) for n in range(servers)) + last)  # Erlang's C
    assert mean(waits(Station(Clock(), servers), rate, service)) == pytest.approx(must_wait / (servers - load), rel=0.1)


def test_equal_work_waits_as_in_m_d_1() -> None:
    found = waits(Station(Clock(), 1), 0.7, [1.0] * int(SECONDS * 0.7))
    assert mean(found) == pytest.approx(0.7 / (2 * (1 - 0.7)), rel=0.05)


@pytest.mark.parametrize("cores", [1, 2])
def test_servers_on_shared_cores_wait_as_if_the_cores_were_the_servers(cores: int) -> None:
    clock = Clock()
    rate = 0.7 * cores
    station = Station(clock, 50, Cores(clock, cores))
    found = waits(station, rate / 0.005, [0.005] * 40_000)  # no longer than a slice
    alone = waits(Station(Clock(), cores), rate / 0.005, [0.005] * 40_000)
    assert mean(found) == pytest.approx(mean(alone), rel=0.02)
    assert station.busy_s == pytest.approx(40_000 * 0.005)


def test_short_work_passes_long_work_in_turns() -> None:
    ends = dict[str, float]()
    clock = Clock()
    station = Station(clock, 1, Cores(clock, 1), in_turns=True)
    station.add(Work(1.0, lambda: ends.update(long=clock.now)))
    station.add(Work(0.005, lambda: ends.update(short=clock.now)))
    clock.run(2.0)
    assert ends == pytest.approx({"short": 0.01, "long": 1.005})


def test_a_server_that_sleeps_leaves_its_core_to_others() -> None:
    ends = list[float]()
    clock = Clock()
    station = Station(clock, 2, Cores(clock, 1))
    for _ in range(3):
        station.add(Work(0.005, lambda: ends.append(clock.now), idle_s=1.0))
    clock.run(3.0)
    assert ends == pytest.approx([1.005, 1.01, 2.01])
    assert station.busy_s == pytest.approx(3 * 1.005)


def test_new_servers_take_what_waits() -> None:
    ends = list[float]()
    clock = Clock()
    station = Station(clock, 1)
    for _ in range(2):
        station.add(Work(1.0, lambda: ends.append(clock.now)))

    def grow() -> None:
        station.servers = 2
        station.take()

    clock.after(0.5, grow)
    clock.run(3.0)
    assert ends == [1.0, 1.5]
