"""The comparator of a question as something that judges an answer."""

from grader.comparing.comparators import Checker, Comparator
from grader.comparing.judging import Checks, Judging, judge_of, solution_judge_of


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
