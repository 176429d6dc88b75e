"""Groups the failing cases of a report by cause, so that students read about each cause, and fix it, only once. Also
says in one line what to do about a cause, with code between backticks."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from grader.definition.question import Shows, label
from grader.grading.messages import meaning
from grader.grading.python_words import code
from grader.grading.report import QuestionReport, Report, unloadable
from grader.grading.same_cause import OF_THE_FILE, FailedCall, advice_on, cause_of
from grader.programs.headings import build_heading, output_heading
from grader.programs.shown import Build, CaseResult
from sandbox.api import Verdict


@dataclass(slots=True)
class Cause:
    """A cause of failing cases. `cases` are the cases that the report shows, each with its question, the shortest
    first. `unseen` counts further cases of the same question with the same verdict that the report does not show.
    `number` is the cause's place in the reading order, counted from 1."""

    cases: list[tuple[QuestionReport, CaseResult]] = field(default_factory=list)
    unseen: int = 0
    number: int = 0

    @property
    def slugs(self) -> set[str]:
        """The questions that the cause affects."""
        return {question.slug for question, _ in self.cases}

    @property
    def verdict(self) -> Verdict:
        """The verdict of all cases with this cause."""
        return self.cases[0][1].verdict

    @property
    def of_the_file(self) -> bool:
        """Whether the cause lies in the file itself and can be understood without an example call."""
        return self.verdict in OF_THE_FILE

    @property
    def headlines(self) -> list[str]:
        """What to do about the cause, in one line or, for misnamed functions, one line for each function."""
        found = [headline(question, case) for question, case in self.cases]
        return list(dict.fromkeys(found)) if self.cases[0][1].meant else found[:1]

    @property
    def title(self) -> str:
        """The headline or, if there are several, their common title."""
        several = len(self.headlines)
        return self.headlines[0] if several == 1 else f"{several} functions have the wrong name"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The causes of a report: `shared` causes affect several questions; `own` contains the causes that affect a single
    question, by its slug. `unseen` counts, by question, the failing cases without a cause. `whole` is true if the
    first cause made every case fail."""

    shared: list[Cause]
    own: dict[str, list[Cause]]
    unseen: dict[str, int]
    whole: bool

    @property
    def causes(self) -> list[Cause]:
        """All causes, in reading order."""
        return [*self.shared, *(cause for causes in self.own.values() for cause in causes)]


def diagnosis(report: Report) -> Diagnosis:
    """Find the causes of all failing cases that a report shows."""
    found: dict[Hashable, Cause] = {}
    for question, case in _failing_cases(report):
        found.setdefault(cause_key(question, case), Cause()).cases.append((question, case))
    for cause in found.values():
        cause.cases.sort(key=lambda pair: pair[1].length)
    causes = list(found.values())
    unseen = {question.slug: _count_unseen(question, causes) for question in report.questions}
    causes.sort(key=lambda cause: len(cause.slugs) == 1)  # causes that affect several questions first
    for number, cause in enumerate(causes, start=1):
        cause.number = number
    return Diagnosis(
        shared=[cause for cause in causes if len(cause.slugs) > 1],
        own={each.slug: [cause for cause in causes if cause.slugs == {each.slug}] for each in report.questions},
        unseen=unseen,
        whole=len(causes) == 1 and (unloadable(report) is not None or causes[0].verdict is Verdict.SYNTAX),
    )


def _failing_cases(report: Report) -> Iterator[tuple[QuestionReport, CaseResult]]:
    """Yield the failing cases. A function that another question asks for is not treated as misnamed."""
    asked = {question.function for question in report.questions}
    for question in report.questions:
        for case in question.cases:
            if case.failed:
                yield question, replace(case, meant="") if case.meant in asked else case


def cause_key(question: QuestionReport, case: CaseResult) -> Hashable:
    """Return a key that is equal for two cases only if they probably failed for the same reason."""
    if question.build:
        return case.verdict, question.slug, case.run.where if case.run else "", headline(question, case)
    if case.verdict is Verdict.MISSING and case.meant:
        return Verdict.MISSING
    return cause_of(_failed_call(question, case))


def _failed_call(question: QuestionReport, case: CaseResult) -> FailedCall:
    title, line = meaning(case.verdict).title, case.line or 0
    texts = (case.message, case.expected, case.got, case.traceback)
    return FailedCall(question.slug, case.verdict, title, *texts, line, case.call)


def _count_unseen(question: QuestionReport, causes: list[Cause]) -> int:
    """Some failing cases of a question are not shown. Add these to the cause with their verdict if there is exactly one
    such cause, and return the number of the others. The others include cases without a stated verdict and, unless
    the whole file is wrong, all cases of a question that shows no hidden case."""
    adds, left = any(case.hidden for case in question.cases), 0
    for word, total in question.verdicts.items():
        if word in (Verdict.AC, Verdict.NOT_RUN):
            continue
        alike = [each for each in causes if each.verdict == word and question.slug in each.slugs]
        more = total - sum(_number_shown(each, question, word) for each in alike)
        if len(alike) == 1 and (adds or alike[0].of_the_file) and more > 0:
            alike[0].unseen += more
        else:
            left += max(0, more)
    return left + question.untold


def _number_shown(cause: Cause, question: QuestionReport, verdict: str) -> int:
    """Return how many cases of a question with this verdict are shown for a cause. Twins are not counted, because they
    do not belong to the question's cases."""
    mine = [case for each, case in cause.cases if each.slug == question.slug and case.verdict == verdict]
    return sum(case not in question.twins or question.shows is Shows.SMALLEST for case in mine)


def headline(question: QuestionReport, case: CaseResult) -> str:
    """Say what to do about a failing case, without a full stop: `Syntax error, line 27: a colon is missing after …`."""
    if question.build:
        return _of_program(question.build, case)
    if case.verdict is Verdict.MISSING and case.meant:
        return f"{label(question.slug)} needs `{question.function}`; you have `{case.meant}`: rename it?"
    return advice_on(_failed_call(question, case))


def _of_program(build: Build, case: CaseResult) -> str:
    title = meaning(case.verdict, program=True).title
    if case.run is None:
        return build_heading(build) or title
    if case.run.where:
        return f"{title} at {code(case.run.where)}"
    return (output_heading(case) if case.verdict is Verdict.WA else "") or title
