"""Writes a failed case as a short test that the player's author can run on their own computer, with unittest or pytest.

The test contains only what the report shows. It compares as grading does: it fails with the uploaded file, and passes
once the answer is right.
"""

from ast import Name, literal_eval, parse, walk
from dataclasses import replace

from grader.comparing.comparators import AnyOf
from grader.definition.question import FunctionQuestion, label
from grader.programs.shown import CaseResult
from tournament.games.api import AtHome
from tournament.play.home_tests import IN_TIME, LATE, TIME_IMPORTS, HomeFile


def offered(question: FunctionQuestion, case: CaseResult, home: AtHome | None = None) -> bool:
    """Whether a test of the case can be offered. It cannot if a checker judges the case, if the student does not write
    the called function itself, or if the report does not contain the whole call or value. For the first two reasons,
    the game's `home` can provide substitutes for the checker and the function."""
    try:
        names = {each.id for text in (case.call, case.expected) for each in walk(parse(text)) if isinstance(each, Name)}
        if _has_helpers(question, home):
            turns = literal_eval(case.expected)  # a list of all right answers, each a tuple
            listed = isinstance(turns, tuple) and all(isinstance(each, tuple) for each in turns)
            return listed and names <= {question.function}
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    if question.method or question.comparator.at_home is None:
        return False
    return names <= {question.function, "set", "frozenset"}


def _has_helpers(question: FunctionQuestion, home: AtHome | None) -> bool:
    return home is not None and bool(question.method) and question.function in home.functions


def test_name(question: FunctionQuestion, number: int) -> str:
    """Return the file name of the test for one case."""
    return f"test_{question.slug.replace('-', '_')}_{number}.py"


def unit_test(
    question: FunctionQuestion, case: CaseResult, filename: str, number: int, home: AtHome | None = None
) -> str:
    """Return the content of a test file for one case of the player `filename`; see `offered`."""
    helped, late = _has_helpers(question, home), case.verdict in LATE
    if late:
        case = replace(case, call=f"in_time(lambda: {case.call}, {question.call_s:g})")
    asked = AnyOf().at_home if helped else question.comparator.at_home
    if asked is None:
        raise ValueError(f"a case of the kind {question.comparator.kind} cannot be run at home")
    note = f"  # {asked.note}" if asked.note else ""
    return HomeFile(
        about=f"{label(question.slug)}: {case.title or question.title}",
        name=test_name(question, number),
        filename=filename,
        functions=[] if helped else [question.function],
        body=f"expected = {case.expected}{note}\n{asked.run.format(call=case.call)}\n{asked.check}",
        helpers=[asked.helper, *([home.helpers] if home and helped else []), *([IN_TIME] if late else [])],
        imports=[*asked.imports, *(TIME_IMPORTS if late else [])],
    ).text()
