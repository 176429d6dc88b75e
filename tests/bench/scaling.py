"""What the scaler of deploy/kubernetes does for the reports of a large class, which begins with one grading worker."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Final

import yaml

from tests.bench.costs import Costs
from tests.bench.figures import Figure
from tests.bench.simulated_night import Load, Parts, Simulation

SCALING: Final = Path("deploy/kubernetes/scaling/scaling.yaml")
PROMETHEUS: Final = Path("deploy/monitoring/prometheus/prometheus.yaml")
SYNC_S: Final = 15.0
"""How often Kubernetes asks KEDA (`--horizontal-pod-autoscaler-sync-period`)."""

AT_ONCE: Final = 4
"""In each of these periods, Kubernetes adds so many pods or doubles them, whichever is more."""

CLASS: Final = Load(10_000)


@dataclass
class Scaler:
    """Adds grading workers to a simulated night as KEDA does. `helped`: when each of them began to work."""

    night: Simulation
    start_s: float
    rule: dict[str, Any]
    scrape_s: float
    age_s: float = 0.0
    wanted: int = 1
    helped: list[float] = field(default_factory=list)

    def begin(self) -> None:
        """Look at the queue from now on."""
        self._scrape()
        self.night.clock.after(SYNC_S, self._sync)

    def _scrape(self) -> None:
        self.age_s = self.night.grading.oldest_s
        self.night.clock.after(self.scrape_s, self._scrape)

    def _sync(self) -> None:
        (trigger,) = self.rule["triggers"]
        asked = min(self.rule["maxReplicaCount"], ceil(self.age_s / float(trigger["metadata"]["threshold"])))
        allowed = max(2 * self.wanted, self.wanted + AT_ONCE)
        for _ in range(self.wanted, min(asked, allowed)):
            self.wanted += 1
            self.night.clock.after(self.start_s, self._help)
        self.night.clock.after(SYNC_S, self._sync)

    def _help(self) -> None:
        self.helped.append(self.night.clock.now - self.night.arrival_s)
        self.night.grading.servers += 1
        self.night.grading.take()


def scaled(costs: Costs, load: Load = CLASS) -> Iterator[Figure]:
    """`capacity.scaling_<what>`: when the second and the last added worker began to work, in seconds after the first
    upload, and the time to a report, beside that of as many workers from the beginning."""
    rules = {each["metadata"]["name"]: each["spec"] for each in yaml.safe_load_all(SCALING.read_text())}
    interval = yaml.safe_load(PROMETHEUS.read_text())["global"]["scrape_interval"]
    many = load.students // 100  # so many that nothing else is too small
    night = Simulation(costs, load, Parts(many, 1, many))
    scaler = Scaler(night, costs.start_s, rules["grading"], float(interval.removesuffix("s")))
    night.clock.after(night.arrival_s, scaler.begin)
    times = night.play()
    fixed = Simulation(costs, load, Parts(many, scaler.wanted, many)).play()
    yield Figure("capacity.scaling_workers", scaler.wanted, "workers")
    if scaler.helped:
        yield Figure("capacity.scaling_second", scaler.helped[0], "s")
        yield Figure("capacity.scaling_last", scaler.helped[-1], "s")
    yield Figure("capacity.scaling_reports", times.reports_s, "s", fixed.reports_s)
