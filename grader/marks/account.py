"""How a mark came about, step by step, in words: what a student reads, and what is kept of published marks."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from grader.definition.local_times import LocalTime, find_zone
from grader.definition.model import Counts
from grader.definition.question import label
from grader.marks.mark import Mark, Possible, by_hand, worth
from grader.marks.scheme import MarkScheme

WHICH = {
    Counts.LAST: "the last one that is not too late",
    Counts.BEST: "the best one that is not too late, after what lateness costs",
    Counts.CHOSEN: "the chosen one or, without a choice, the last one that is not too late",
}


class MarkStep(BaseModel):
    """A step to a mark: what, how, and the marks that it adds or takes off; None if it only tells something. Those of a
    step that is `instead` are the total, whatever the others add up to."""

    model_config = ConfigDict(frozen=True)

    what: str
    how: str
    marks: float | None = None
    instead: bool = False

    def __str__(self) -> str:
        marks = "" if self.marks is None else f": {self.marks!r}"
        return f"“{self.what} ({self.how})”{marks}{' in place of all' if self.instead else ''}"


class MarkAccount(BaseModel):
    """A mark with every step that led to it. `submission` is the upload that counts, `remark` what staff said about the
    work."""

    model_config = ConfigDict(frozen=True)

    total: float | None
    most: float
    excused: bool = False
    submission: int | None = None
    remark: str = ""
    steps: tuple[MarkStep, ...] = ()


class AskedQuestion(BaseModel):
    """A question as an account names it."""

    model_config = ConfigDict(frozen=True)

    slug: str
    title: str
    points: float

    @property
    def name(self) -> str:
        """What people read."""
        return f"{label(self.slug)}: {self.title}"


class MarkRules(BaseModel):
    """By what the marks of an assignment come about. `zone` is the name of that of the course."""

    model_config = ConfigDict(frozen=True)

    scheme: MarkScheme
    possible: Possible
    counts: Counts
    questions: tuple[AskedQuestion, ...]
    zone: str


def account(rules: MarkRules, mark: Mark) -> MarkAccount:
    """The account of a mark. Whoever changes a word of its steps gives the signed record another format: its steps are
    computed again and compared, see `grader.marks.record_check`."""
    steps = [*_points(rules, mark), *_rest(rules.scheme, rules.possible, mark), *_decided(mark)]
    decision, id_ = mark.decision, mark.upload.submission_id if mark.upload else None
    return MarkAccount(
        total=mark.total,
        most=mark.most,
        excused=decision.excused,
        submission=id_,
        remark=decision.remark,
        steps=tuple(steps),
    )


def _points(rules: MarkRules, mark: Mark) -> Iterator[MarkStep]:
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
        yield MarkStep(what="Late days", how=f"{late.days_spent} spent, which cost nothing")
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


def _decided(mark: Mark) -> Iterator[MarkStep]:
    decision = mark.decision
    if decision.override is not None and not decision.excused:
        how = f"{decision.override:g} instead: {decision.reason}"
        yield MarkStep(what="Decided by an instructor", how=how, marks=decision.override, instead=True)
    if decision.excused:
        yield MarkStep(what="Excused", how=f"This assignment does not count: {decision.reason}")
