"""Defines the data about each mark in a signed record of published marks, and checks records without a database. A
record is valid if its signature is valid, each total follows from the recorded steps, and the functions that
calculate marks derive the same steps from the recorded inputs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from math import fsum
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from grader.definition.local_times import find_zone
from grader.definition.question import label
from grader.grading.report import points_for
from grader.marks.mark import CountedUpload, Decision, Mark, MarkAccount, MarkRules, account, mark_of, rounded
from grader.marks.scheme import lateness
from tournament.final.record import BadFinalRecord, Signature, parse_line, signature_doubts


class _RecordedInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CaseCount(_RecordedInput):
    """The numbers for one question: cases passed, all cases, the points if all pass, and the points that warnings
    cost."""

    passed: int
    total: int
    most: float
    cost: float = 0.0

    @property
    def points(self) -> float:
        """The points that follow from these numbers."""
        return points_for(self.most, self.passed, self.total, Fraction(str(self.cost)))


class UploadInputs(_RecordedInput):
    """The upload that counts: its points, the points of each question, the numbers of cases from which these follow,
    and the data that determine its lateness. `due` and `cut_off` are the student's own dates, and `days_left` is the
    number of the student's late days."""

    submission: int
    at: AwareDatetime
    points: float
    questions: Mapping[str, float]
    cases: Mapping[str, CaseCount]
    due: AwareDatetime | None
    cut_off: AwareDatetime | None
    days_left: int


class MarkInputs(_RecordedInput):
    """All data about a student that affect the mark. `final` is the mark of the final, and `rubric` contains the marks
    given by hand."""

    upload: UploadInputs | None
    final: float | None
    rubric: Mapping[str, float]
    excused: bool
    override: float | None
    reason: str


def inputs_of(mark: Mark, cases: Mapping[str, CaseCount]) -> MarkInputs:
    """Return the inputs of a mark. The numbers of cases are left out where they give different points, because the
    report was created under other rules."""
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
    """Return how many questions have points, but lack the numbers of cases from which the points follow."""
    return len({*inputs.upload.questions} - {*inputs.upload.cases}) if inputs.upload else 0


def differences(rules: MarkRules, inputs: MarkInputs, told: MarkAccount) -> Iterator[str]:
    """Yield a sentence for each number that does not follow from the inputs."""
    titles = {each.slug: each.name for each in rules.questions}
    upload = inputs.upload
    for slug, count in upload.cases.items() if upload else ():
        given = upload.questions.get(slug) if upload else None
        if given != count.points:
            named = titles.get(slug, label(slug))
            yield f"“{named}” has {given} points; {count.passed} of {count.total} cases lead to {count.points}."
    if upload and upload.questions and round(sum(upload.questions.values()), 2) != upload.points:
        yield f"The upload has {upload.points} points; those of the questions add up to another number."
    right = _account_from(rules, inputs, told.remark)
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


def _account_from(rules: MarkRules, inputs: MarkInputs, remark: str) -> MarkAccount | None:
    """Return the account that follows from the inputs; None if the upload does not count."""
    upload, given = None, inputs.upload
    if given:
        zone, policy = find_zone(rules.zone), rules.scheme.late
        late = lateness(policy, zone, given.due, given.at, given.days_left, given.cut_off)
        if late is None:
            return None
        upload = CountedUpload(given.submission, given.points, given.at, late, given.questions)
    decision = Decision(inputs.rubric, remark, inputs.excused, inputs.override, inputs.reason)
    return account(rules, mark_of(rules.scheme, rules.possible, upload, inputs.final, decision))


FORMAT = 2
"""The format of records that contain the inputs of each step. It changes whenever the wording of a step changes."""

MOST_PROBLEMS = 20
KIND = b'"record":"marks"'


@dataclass
class MarksFindings:
    """The findings of a check. A record without `problems` is valid, even if it has `notes`. `totals` are by student.
    `rules` is None if the record has another format. `unchecked` counts the questions whose points could not be
    checked, because the numbers of cases are missing."""

    header: dict[str, Any] = field(default_factory=dict)
    totals: dict[int, float | None] = field(default_factory=dict)
    rules: MarkRules | None = None
    unchecked: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    public_key: str = ""

    def problem(self, line: int, what: str) -> None:
        """Add a problem, up to a maximum number of problems."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"Line {line}: {what}")
        elif len(self.problems) == MOST_PROBLEMS:
            self.problems.append("There are more problems.")


def is_of_marks(first: bytes) -> bool:
    """Whether this is the first line of a record of marks."""
    return KIND in first


def check_marks(lines: Iterable[bytes], key: str = "") -> MarksFindings:
    """Check the lines of a record. `key` is the public key for the signature. Never raises an exception, even if the
    record is malformed."""
    found, digest = MarksFindings(), sha256()
    number, last = 0, b""
    for number, line in enumerate(lines, 1):
        if number > 1:
            digest.update(last)
            _check_line(found, number - 1, last)
        last = line
    if found.unchecked:
        found.notes.append(
            f"Points of questions that are taken as recorded: {found.unchecked}. Their reports were made by other "
            "rules than the published ones, so there are no cases beside them."
        )
    try:
        if not last.endswith(b"\n"):
            raise BadFinalRecord("the record is cut short: it ends before its signature")
        made = parse_line(Signature, last[:-1].decode("ascii", "replace"))
    except BadFinalRecord as error:
        found.problem(number, f"This is not the signature: {error}.")
        return found
    found.public_key = made.public_key
    for doubt in signature_doubts(made, digest.digest(), key.strip().lower()):
        found.problem(number, doubt)
    return found


def _check_line(found: MarksFindings, number: int, line: bytes) -> None:
    try:
        data = json.loads(line)
        if number == 1:
            _header(found, data)
        else:
            _check_mark(found, number, data)
    except (ValueError, KeyError, TypeError, RecursionError, ArithmeticError):
        found.problem(number, "This is not a line of a record of marks.")


def _header(found: MarksFindings, data: dict[str, Any]) -> None:
    found.header = {**data, "decimals": int(data["scheme"]["decimals"])}
    if data.get("format") == FORMAT:
        found.rules = MarkRules.model_validate(data)
        find_zone(found.rules.zone)
    else:
        found.problem(
            1,
            f"This record has the format {data.get('format')}, and this version of Quadrille checks only the format "
            f"{FORMAT}. Publish the marks again for a record that can be checked.",
        )


def _check_mark(found: MarksFindings, number: int, data: dict[str, Any]) -> None:
    student, told = int(data["student"]), MarkAccount.model_validate(data)
    if student in found.totals:
        found.problem(number, f"Student {student} has a line already.")
    found.totals[student] = told.total
    if found.rules:
        if (right := total_of(told, found.header["decimals"])) != told.total:
            found.problem(number, f"Student {student} has the total {told.total}; the recorded steps lead to {right}.")
        inputs = MarkInputs.model_validate(data["inputs"])
        found.unchecked += unchecked(inputs)
        for each in differences(found.rules, inputs, told):
            found.problem(number, f"Student {student}: {each}")


def total_of(told: MarkAccount, decimals: int) -> float | None:
    """Return the total that follows from the steps."""
    if told.excused:
        return None
    for step in told.steps:
        if step.instead:
            return step.marks
    marks = [step.marks for step in told.steps if step.marks is not None]
    return rounded(fsum(marks), decimals) if marks or told.submission is not None else None
