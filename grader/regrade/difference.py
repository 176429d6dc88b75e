"""What grading again has changed: pure functions on two reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from grader.report import QuestionReport, Report


@dataclass(frozen=True, slots=True)
class Score:
    """How a question went: cases passed of all, and points."""

    passed: int
    total: int
    points: float

    @property
    def complete(self) -> bool:
        """Whether every case passed."""
        return self.passed == self.total


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that went otherwise than before; None where it was not asked."""

    slug: str
    former: Score | None
    now: Score | None

    @property
    def gained(self) -> bool:
        """Whether that is to the student's advantage."""
        return _worth(self.now) > _worth(self.former)


@dataclass(frozen=True, slots=True)
class Difference:
    """Points in all, the questions that changed, and the ids of the tournaments for which the submission qualifies now
    and did not, or did and does not."""

    points: tuple[float, float]
    questions: list[QuestionChange]
    gained: list[int]
    lost: list[int]

    @property
    def changed(self) -> bool:
        """Whether the student is to hear of it."""
        return bool(self.questions or self.gained or self.lost)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for the database."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(Difference)


def from_json(data: dict[str, Any] | None) -> Difference:
    """What `to_json` made; a regrade that is done has it."""
    assert data is not None  # noqa: S101  # nobody asks before
    return _ADAPTER.validate_python(data)


def difference(former: Report, report: Report, qualified: set[int], qualifies: set[int]) -> Difference:
    """The two reports held against each other. `qualified` and `qualifies` are ids of tournaments, before and now."""
    points = (former.points, report.points)
    questions = question_changes(former.questions, report.questions)
    return Difference(points, questions, sorted(qualifies - qualified), sorted(qualified - qualifies))


def question_changes(former: Sequence[QuestionReport], now: Sequence[QuestionReport]) -> list[QuestionChange]:
    """The questions whose points changed, or of which every case passes now or did before. More cases alone, or another
    message, change nothing for the student."""
    before, after = ({each.slug: _score(each) for each in asked} for asked in (former, now))
    slugs = dict.fromkeys([*after, *before])
    pairs = [QuestionChange(slug, before.get(slug), after.get(slug)) for slug in slugs]
    return [each for each in pairs if _worth(each.former) != _worth(each.now)]


def _score(question: QuestionReport) -> Score:
    return Score(question.passed, question.total, question.points)


def _worth(score: Score | None) -> tuple[float, bool]:
    return (score.points, score.complete) if score else (0.0, False)
