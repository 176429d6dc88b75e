"""One measured figure, as `make bench` prints it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`name` is `area.what`. `reference` is the bare operation measured in the same run and in the same unit, None
    where there is no such operation; `ratio` is value / reference."""

    name: str
    value: float
    unit: str
    reference: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the reference the value is."""
        return self.value / self.reference if self.reference else None

    def as_dict(self) -> dict[str, str | float | None]:
        """The object that `--json` prints."""
        return asdict(self) | {"ratio": self.ratio}


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which that share of the values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
