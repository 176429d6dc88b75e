"""The hidden cases as they are graded, made once for all tests of a process."""

from grader.cases import checks
from tournament.games.api import Case, Question


def hidden(question: Question) -> list[Case]:
    """Those of a question; none if it has none."""
    return [check.case for check in checks(question) if check.hidden]
