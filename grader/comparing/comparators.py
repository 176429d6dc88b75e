"""How an answer is compared with what is right, as data: a model for each kind, and what it is in
`grader.comparing.judging`."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.comparing.judging import Checks, Judging, judge_of, solution_judge_of


class ComparatorModel(BaseModel):
    """A kind of comparison with its parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Exact(ComparatorModel):
    """Equal, types included, at every level."""

    kind: Literal["exact"] = "exact"


class LikeSequences(ComparatorModel):
    """Lists and tuples count as the same; everything else is exact."""

    kind: Literal["sequences"] = "sequences"


class Floats(ComparatorModel):
    """Numbers may differ by `absolute`, or by `relative` times the larger one; everything else is exact."""

    kind: Literal["floats"] = "floats"
    relative: float = Field(default=1e-9, ge=0, lt=1)
    absolute: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class AnyOrder(ComparatorModel):
    """The order does not matter at the outermost `levels` levels (1: the items of the value itself)."""

    kind: Literal["unordered"] = "unordered"
    levels: int = Field(default=1, ge=1, le=10)


class AnyOf(ComparatorModel):
    """The solution returns the list of all right answers; one of them must be returned."""

    kind: Literal["any"] = "any"


class Printed(ComparatorModel):
    """What the call prints is compared, without spaces at the ends of lines and empty lines at the end."""

    kind: Literal["printed"] = "printed"


class Checker(ComparatorModel):
    """The author's own `checker.py`, which defines `accepts(args, got)`: True, False, or the reason for a refusal."""

    kind: Literal["checker"] = "checker"
    source: str


Comparator = Annotated[
    Exact | LikeSequences | Floats | AnyOrder | AnyOf | Printed | Checker, Field(discriminator="kind")
]
"""Any of them."""

KINDS: Final[Mapping[str, type[ComparatorModel]]] = {
    "exact": Exact,
    "sequences": LikeSequences,
    "floats": Floats,
    "unordered": AnyOrder,
    "any": AnyOf,
    "printed": Printed,
    "checker": Checker,
}
"""Each by the name that authors write."""


def judging_of(comparator: Comparator, checker: Checks | None = None) -> Judging:
    """How a player's answers are judged; `checker` runs the author's, if the comparator is one."""
    return judge_of(comparator.kind, _parameters(comparator), checker)


def agreement(comparator: Comparator) -> Judging:
    """How a solution's answer to an example is compared with what the example expects. Where a checker decides, the
    solution must give the very answer of the example."""
    if isinstance(comparator, Checker):
        return judge_of("exact", {})
    return solution_judge_of(comparator.kind, _parameters(comparator))


def _parameters(comparator: Comparator) -> dict[str, object]:
    return comparator.model_dump(exclude={"kind", "source"})
