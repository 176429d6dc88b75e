"""One measured figure, as `quadrille bench` prints it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`name` is `area.what`; `reference` is what the bare operation took in the same run (None where there is none),
    in the same unit, and `ratio` is value / reference."""

    name: str
    value: float
    unit: str
    reference: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the reference."""
        return self.value / self.reference if self.reference else None

    def as_dict(self) -> dict[str, str | float | None]:
        """The object that `--json` prints."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "reference": self.reference,
            "ratio": self.ratio,
        }


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which that share of the values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
