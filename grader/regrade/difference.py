"""What grading again has changed: the difference of two reports, by pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from grader.grading.report import QuestionReport, Report


@dataclass(frozen=True, slots=True)
class CasesPassed:
    """How a question went: cases passed, cases in all, and points."""

    passed: int
    total: int
    points: float

    @property
    def complete(self) -> bool:
        """Whether every case passed."""
        return self.passed == self.total


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question whose result changed; None where it was not asked."""

    slug: str
    former: CasesPassed | None
    now: CasesPassed | None

    @property
    def gained(self) -> bool:
        """Whether the change is to the student's advantage."""
        return _worth(self.now) > _worth(self.former)


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """Points in all before and now, the questions that changed, and the ids of the tournaments for which the submission
    qualifies now but did not (`gained`), or did but does not (`lost`)."""

    points: tuple[float, float]
    questions: list[QuestionChange]
    gained: list[int]
    lost: list[int]

    @property
    def changed(self) -> bool:
        """Whether the student must be told."""
        return bool(self.questions or self.gained or self.lost)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for the database."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(ReportDifference)


def from_json(data: dict[str, Any] | None) -> ReportDifference:
    """The difference that `to_json` wrote; every regrade that is done has one."""
    assert data is not None  # noqa: S101  # nobody asks before
    return _ADAPTER.validate_python(data)


def difference(former: Report, report: Report, qualified: set[int], qualifies: set[int]) -> ReportDifference:
    """Compare two reports. `qualified` and `qualifies` are ids of tournaments, before and now."""
    points = (former.points, report.points)
    questions = question_changes(former.questions, report.questions)
    return ReportDifference(points, questions, sorted(qualifies - qualified), sorted(qualified - qualifies))


def question_changes(former: Sequence[QuestionReport], now: Sequence[QuestionReport]) -> list[QuestionChange]:
    """The questions whose points changed, or that are complete now or were before. More cases alone, or another
    message, change nothing for the student."""
    before, after = (
        {each.slug: CasesPassed(each.passed, each.total, each.points) for each in asked} for asked in (former, now)
    )
    slugs = dict.fromkeys([*after, *before])
    pairs = [QuestionChange(slug, before.get(slug), after.get(slug)) for slug in slugs]
    return [each for each in pairs if _worth(each.former) != _worth(each.now)]


def _worth(score: CasesPassed | None) -> tuple[float, bool]:
    return (score.points, score.complete) if score else (0.0, False)
