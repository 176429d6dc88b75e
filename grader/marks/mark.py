"""Calculates marks. All functions are plain functions on plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import floor
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from grader.definition.local_times import LocalTime, find_zone
from grader.definition.model import Counts
from grader.definition.question import label
from grader.marks.scheme import IN_TIME, Lateness, LatePolicy, MarkScheme, RubricItem, lateness


class GradedUpload(NamedTuple):
    """A graded upload with its total points and its points in each question."""

    submission_id: int
    uploaded_at: datetime
    points: float
    questions: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class CountedUpload:
    """The upload that counts for a student, and how late it is. `by` contains the rules and dates by which it was
    chosen."""

    submission_id: int
    points: float
    uploaded_at: datetime
    late: Lateness = IN_TIME
    questions: Mapping[str, float] = field(default_factory=dict)
    by: "Choosing | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choosing:
    """The rules and dates that determine which upload of a student counts. `due`, `cut_off` and `chosen` are the
    student's own; `most` is the maximum number of points."""

    policy: LatePolicy
    counts: Counts
    zone: ZoneInfo
    due: datetime | None
    most: float
    days_left: int = 0
    chosen: int | None = None
    cut_off: datetime | None = None


def counting(uploads: Sequence[GradedUpload], by: Choosing) -> CountedUpload | None:
    """Return the upload that counts, among the uploads that are not too late: the last upload, the best upload after
    the cost of lateness (the first of equally good uploads), or the student's choice (without a choice, the last
    upload)."""
    if len(uploads) == 1 and (by.due is None or uploads[0].uploaded_at <= by.due):  # the usual case
        id_, at, points, questions = uploads[0]
        return CountedUpload(id_, points, at, IN_TIME, questions, by)
    able = []
    for id_, at, points, questions in sorted(uploads):
        if (late := lateness(by.policy, by.zone, by.due, at, by.days_left, by.cut_off)) is not None:
            able.append(CountedUpload(id_, points, at, late, questions, by))
    if by.counts is Counts.BEST and able:
        return max(able, key=lambda each: max(0.0, each.points - each.late.share * by.most))
    chosen = by.chosen if by.counts is Counts.CHOSEN else None
    return next((each for each in able if each.submission_id == chosen), able[-1] if able else None)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of staff about one student: marks given by hand, by the keys of the rubric's items; a remark about
    these marks; whether the student is excused; a total that replaces the calculated total; and the reason for
    excusing the student or replacing the total."""

    rubric: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    excused: bool = False
    override: float | None = None
    reason: str = ""
    revision: int = 0


NOTHING_DECIDED = Decision()


@dataclass(frozen=True, slots=True)
class Possible:
    """The maximum values: the points of all questions, and the mark for first place in the final."""

    points: float
    tournament: float = 0.0


class Mark(NamedTuple):
    """A mark and its parts, all in marks. `total` is None if the student is excused or there is nothing to mark.
    `final` is the mark of the final before scaling, and `tournament` after scaling."""

    total: float | None
    most: float
    points: float | None
    tournament: float | None
    manual: float | None
    bonus: float
    deduction: float
    upload: CountedUpload | None
    decision: Decision = NOTHING_DECIDED
    final: float | None = None


def rounded(value: float, decimals: int) -> float:
    """Round halves up, despite the inexactness of binary fractions."""
    scale: int = 10**decimals
    return floor(value * scale + 0.5 + 1e-6) / scale


def worth(scheme: MarkScheme, possible: Possible) -> tuple[float, float]:
    """Return how many marks are awarded for all points of the questions, and for first place in the final."""
    points = possible.points if scheme.points_worth is None else scheme.points_worth
    tournament = possible.tournament if scheme.tournament_worth is None else scheme.tournament_worth
    return points if possible.points else 0.0, tournament if possible.tournament else 0.0


def by_hand(item: RubricItem, decision: Decision) -> float | None:
    """Return the marks given for an item of the rubric, limited to the item's current maximum; None if the item is not
    marked."""
    given = decision.rubric.get(item.key)
    return None if given is None else min(given, item.most)


def mark_of(
    scheme: MarkScheme,
    possible: Possible,
    upload: CountedUpload | None,
    tournament: float | None,
    decision: Decision = NOTHING_DECIDED,
) -> Mark:
    """Calculate a student's mark. `tournament` is the student's mark of the final, or None."""
    points_worth, tournament_worth = worth(scheme, possible)
    points = upload.points / possible.points * points_worth if upload and possible.points else None
    final = tournament if tournament_worth else None
    scaled = None if final is None else final / possible.tournament * tournament_worth
    given = [(each.bonus, marks) for each in scheme.rubric if (marks := by_hand(each, decision)) is not None]
    bonus, parts = sum(marks for extra, marks in given if extra), [marks for extra, marks in given if not extra]
    manual = sum(parts) if parts else None
    deduction = min(points or 0.0, upload.late.share * points_worth) if upload else 0.0
    total = None
    if upload is not None or scaled is not None or given:
        total = rounded((points or 0) + (scaled or 0) + (manual or 0) + bonus - deduction, scheme.decimals)
    if decision.override is not None:
        total = decision.override
    if decision.excused:
        total = None
    most = rounded(points_worth + tournament_worth + scheme.rubric_most, scheme.decimals)
    return Mark(total, most, points, scaled, manual, bonus, deduction, upload, decision, tournament)


class Weighted(NamedTuple):
    """An assignment's mark as a part of the course total."""

    weight: float
    total: float | None
    most: float
    excused: bool = False


def course_total(parts: Sequence[Weighted], decimals: int = 2) -> float | None:
    """Calculate the course total from the assignments that are over; None if no assignment counts. A missing mark
    counts as 0. The weight of an excused assignment is distributed over the other assignments."""
    counted = [each for each in parts if not each.excused]
    left = sum(each.weight for each in counted)
    if not left:
        return None
    shares = (each.weight * (each.total or 0.0) / each.most for each in counted if each.most)
    return rounded(sum(shares) / left * sum(each.weight for each in parts), decimals)


WHICH = {
    Counts.LAST: "the last one that is not too late",
    Counts.BEST: "the best one that is not too late, after the deduction for lateness",
    Counts.CHOSEN: "the chosen one or, without a choice, the last one that is not too late",
}


class MarkStep(BaseModel):
    """A step in the calculation of a mark: its name, how it was calculated, and the marks that it adds or deducts (None
    if it is only information). If `instead` is true, the step's marks replace the sum of the other steps."""

    model_config = ConfigDict(frozen=True)

    what: str
    how: str
    marks: float | None = None
    instead: bool = False

    def __str__(self) -> str:
        marks = "" if self.marks is None else f": {self.marks!r}"
        return f"“{self.what} ({self.how})”{marks}{' in place of all' if self.instead else ''}"


class MarkAccount(BaseModel):
    """A mark with every step of its calculation. `submission` is the upload that counts; `remark` is the staff's remark
    about the mark."""

    model_config = ConfigDict(frozen=True)

    total: float | None
    most: float
    excused: bool = False
    submission: int | None = None
    remark: str = ""
    steps: tuple[MarkStep, ...] = ()


class AskedQuestion(BaseModel):
    """The fields of a question that an account shows."""

    model_config = ConfigDict(frozen=True)

    slug: str
    title: str
    points: float

    @property
    def name(self) -> str:
        """The name for pages and messages."""
        return f"{label(self.slug)}: {self.title}"


class MarkRules(BaseModel):
    """The rules by which the marks of an assignment are calculated. `zone` is the name of the course's time zone."""

    model_config = ConfigDict(frozen=True)

    scheme: MarkScheme
    possible: Possible
    counts: Counts
    questions: tuple[AskedQuestion, ...]
    zone: str


def account(rules: MarkRules, mark: Mark) -> MarkAccount:
    """Return the account of a mark. If the wording of any step changes, the format of the signed record must change
    too, because `grader.marks.record_check` calculates the steps again and compares them."""
    return MarkAccount(
        total=mark.total,
        most=mark.most,
        excused=mark.decision.excused,
        submission=mark.upload.submission_id if mark.upload else None,
        remark=mark.decision.remark,
        steps=(*_point_steps(rules, mark), *_rest(rules.scheme, rules.possible, mark)),
    )


def _point_steps(rules: MarkRules, mark: Mark) -> Iterator[MarkStep]:
    scheme, possible = rules.scheme, rules.possible
    if not possible.points:
        return
    if mark.upload is None:
        yield MarkStep(what="Points of the questions", how="no upload counts")
        return
    upload, in_all = mark.upload, worth(scheme, possible)[0]
    at = LocalTime(upload.uploaded_at, find_zone(rules.zone)).in_words
    yield MarkStep(what="Upload that counts", how=f"{WHICH[rules.counts]}: submission {upload.submission_id}, {at}")
    for question in rules.questions:
        if question.slug in upload.questions:
            got = upload.questions[question.slug]
            yield MarkStep(what=question.name, how=f"{got:g} of {question.points:g} points")
    how = f"{upload.points:g} of {possible.points:g} points"
    scaled = how if in_all == possible.points else f"{how}, scaled to {in_all:g}"
    yield MarkStep(what="Points of the questions", how=scaled, marks=mark.points)
    late = upload.late
    if late.days_spent:
        yield MarkStep(what="Late days", how=f"{late.days_spent} used, at no cost")
    if late.started:
        per = scheme.late.per.value + ("s" if late.started > 1 else "")
        how = f"{late.started} {per} late: {late.share:.6g} × {in_all:g}"
        yield MarkStep(what="Lateness", how=how, marks=-mark.deduction)


def _rest(scheme: MarkScheme, possible: Possible, mark: Mark) -> Iterator[MarkStep]:
    in_all = worth(scheme, possible)[1]
    if in_all and mark.tournament is None:
        yield MarkStep(what="Mark of the final", how="no mark")
    elif in_all and mark.tournament is not None:
        got = mark.tournament / in_all * possible.tournament
        how = f"{got:g} of {possible.tournament:g}"
        scaled = how if in_all == possible.tournament else f"{how}, scaled to {in_all:g}"
        yield MarkStep(what="Mark of the final", how=scaled, marks=mark.tournament)
    for each in scheme.rubric:
        given = by_hand(each, mark.decision)
        kind = "bonus" if each.bonus else f"of {each.most:g}"
        if given is not None or not each.bonus:
            how = "not marked" if given is None else f"{given:g} {kind}, marked by hand"
            yield MarkStep(what=each.title, how=how, marks=given)
    decision = mark.decision
    if decision.override is not None and not decision.excused:
        how = f"{decision.override:g} instead: {decision.reason}"
        yield MarkStep(what="Decided by an instructor", how=how, marks=decision.override, instead=True)
    if decision.excused:
        yield MarkStep(what="Excused", how=f"This assignment does not count: {decision.reason}")
