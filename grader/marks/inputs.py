"""What a mark is made from, as the signed record keeps it, so that each step can be computed again by the functions
that made it. Plain functions on plain data."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from pydantic import AwareDatetime, BaseModel, ConfigDict

from grader.definition.local_times import find_zone
from grader.definition.question import label
from grader.grading.report import points_for
from grader.marks.account import MarkAccount, MarkRules, account
from grader.marks.late import lateness
from grader.marks.mark import CountedUpload, Decision, Mark, mark_of


class _RecordedInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CaseCount(_RecordedInput):
    """How many cases of a question passed, of how many, the points for all, and those that warnings cost."""

    passed: int
    total: int
    most: float
    cost: float = 0.0

    @property
    def points(self) -> float:
        """Those that follow."""
        return points_for(self.most, self.passed, self.total, Fraction(str(self.cost)))


class UploadInputs(_RecordedInput):
    """The upload that counts: its points, those of each question with the cases that they follow from, and what decides
    how late it is. `due` and `cut_off` are the student's own dates, `days_left` their late days."""

    submission: int
    at: AwareDatetime
    points: float
    questions: Mapping[str, float]
    cases: Mapping[str, CaseCount]
    due: AwareDatetime | None
    cut_off: AwareDatetime | None
    days_left: int


class MarkInputs(_RecordedInput):
    """All of a student that a mark is made from; `final` is the mark of the final, `rubric` the marks by hand."""

    upload: UploadInputs | None
    final: float | None
    rubric: Mapping[str, float]
    excused: bool
    override: float | None
    reason: str


def inputs_of(mark: Mark, cases: Mapping[str, CaseCount]) -> MarkInputs:
    """What a mark was made from. Cases from which other points would follow, because the report was made by other
    rules, are left out."""
    upload, decision = None, mark.decision
    if mark.upload and (by := mark.upload.by):
        got = mark.upload.questions
        upload = UploadInputs(
            submission=mark.upload.submission_id,
            at=mark.upload.uploaded_at,
            points=mark.upload.points,
            questions=got,
            cases={slug: each for slug, each in cases.items() if slug in got and each.points == got[slug]},
            due=by.due,
            cut_off=by.cut_off,
            days_left=by.days_left,
        )
    return MarkInputs(
        upload=upload,
        final=mark.final,
        rubric=decision.rubric,
        excused=decision.excused,
        override=decision.override,
        reason=decision.reason,
    )


def unchecked(inputs: MarkInputs) -> int:
    """How many questions have points without the cases that they follow from."""
    return len({*inputs.upload.questions} - {*inputs.upload.cases}) if inputs.upload else 0


def differences(rules: MarkRules, inputs: MarkInputs, told: MarkAccount) -> Iterator[str]:
    """What does not follow from the inputs, a sentence for each step."""
    titles = {each.slug: each.name for each in rules.questions}
    upload = inputs.upload
    for slug, count in upload.cases.items() if upload else ():
        given = upload.questions.get(slug) if upload else None
        if given != count.points:
            named = titles.get(slug, label(slug))
            yield f"“{named}” has {given} points; {count.passed} of {count.total} cases lead to {count.points}."
    if upload and upload.questions and round(sum(upload.questions.values()), 2) != upload.points:
        yield f"The upload has {upload.points} points; those of the questions add up to another number."
    right = _account(rules, inputs, told.remark)
    if right is None:
        yield "The upload that counts came too late to count."
        return
    for at in range(max(len(told.steps), len(right.steps))):
        is_, ought = (str(each.steps[at]) if at < len(each.steps) else "missing" for each in (told, right))
        if is_ != ought:
            yield f"Step {at + 1} is recorded as {is_}; its inputs lead to {ought}."
    for name in ("total", "most", "excused", "submission"):
        if getattr(told, name) != getattr(right, name):
            yield f"The {name} is recorded as {getattr(told, name)}; the inputs lead to {getattr(right, name)}."


def _account(rules: MarkRules, inputs: MarkInputs, remark: str) -> MarkAccount | None:
    """The account that follows; None if the upload does not count."""
    upload, given = None, inputs.upload
    if given:
        zone, policy = find_zone(rules.zone), rules.scheme.late
        late = lateness(policy, zone, given.due, given.at, given.days_left, given.cut_off)
        if late is None:
            return None
        upload = CountedUpload(given.submission, given.points, given.at, late, given.questions)
    decision = Decision(inputs.rubric, remark, inputs.excused, inputs.override, inputs.reason)
    return account(rules, mark_of(rules.scheme, rules.possible, upload, inputs.final, decision))
