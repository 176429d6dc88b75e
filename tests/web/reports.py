"""Reports to show."""

from dataclasses import replace

from grader.grading.report import QuestionReport, Report
from grader.programs.shown import CaseResult
from sandbox.api import Verdict

PASSED = CaseResult("q1", "a title", "f(1)", "True", "True", Verdict.AC, "", 0.04, False)
WRONG = CaseResult("q1", "", "f(2)", "True", "'True'", Verdict.TYPE, "Returned a string.", 1.5, False)
NOT_RUN = CaseResult("q1", "", "f(4)", "5", "", Verdict.NOT_RUN, "Three ran out of time.", 0.0, False)
HIDDEN = CaseResult("q1", "", "f(3)", "4", "5", Verdict.WA, "Returned 5, expected 4.", 12.0, True)


def question(*cases: CaseResult, total: int, qualifies: bool = True) -> QuestionReport:
    """A question, of whose `total` cases only `cases` are kept."""
    failed = sum(not case.passed for case in cases)
    counts = {verdict.value: sum(case.verdict is verdict for case in cases) for verdict in Verdict}
    counts["AC"] = total - failed
    used = {word: number for word, number in counts.items() if number}
    points = (total - failed) / total
    return QuestionReport("q1", "The first", "f", total - failed, total, points, 1.0, qualifies, used, list(cases))


def report(*cases: CaseResult, total: int = 0, notes: tuple[str, ...] = ()) -> Report:
    """A report with one question; it qualifies if all cases passed."""
    only = question(*cases, total=total or len(cases))
    return _of(only, notes)


def stopped() -> Report:
    """Two cases of 1,000 failed, 597 were not run, an example among them."""
    only = question(PASSED, WRONG, HIDDEN, NOT_RUN, total=1000)
    counts = {"AC": 401, "TYPE": 1, "WA": 1, "NOT_RUN": 597}
    return _of(replace(only, passed=401, points=0.4, verdicts=counts, stopped="Three ran out of time."))


def _of(only: QuestionReport, notes: tuple[str, ...] = ()) -> Report:
    return Report(only.passed == only.total, only.points, 1.0, [only], list(notes))


def good() -> Report:
    """Everything passed."""
    return report(PASSED, total=1001)


def bad() -> Report:
    """An example and a generated case failed."""
    return report(PASSED, WRONG, HIDDEN, total=1002, notes=("Two mutable globals.",))


def unloadable(message: str = "Line 1 is not Python.") -> Report:
    """A file that cannot be loaded."""
    case = replace(PASSED, verdict=Verdict.SYNTAX, message=message, traceback="  def f(:\n", got="")
    only = question(case, replace(case, call="f(2)"), total=2)
    return Report(False, 0.0, 2.0, [only, replace(only, slug="q2")])
