"""A case that failed as a short test that its author runs at home: with unittest, or with pytest.

It holds nothing that the report does not show. It fails with the file as it was uploaded, and passes once the answer is
right, by the same comparison as here.
"""

from ast import Name, literal_eval, parse, walk
from dataclasses import replace

from grader.comparing.comparators import AnyOf, AnyOrder, Checker, Comparator, Exact, Floats, LikeSequences, Printed
from grader.definition.question import FunctionQuestion, label
from grader.programs.shown import CaseResult
from tournament.games.api import AtHome
from tournament.play.home_file import IN_TIME, LATE, TIME_IMPORTS, HomeFile

_TYPED = '''\
def typed(value):
    """The value with all its types: True is not 1, and a tuple is not a list."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [typed(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(repr, map(typed, value)))
    if isinstance(value, dict):
        return "dict", sorted(repr((typed(key), typed(item))) for key, item in value.items())
    return type(value).__name__, value
'''
_LISTS = '''\
def typed(value):
    """The value with all its types, but for tuples, which count as lists."""
    if isinstance(value, (list, tuple)):
        return "list", [typed(item) for item in value]
    return type(value).__name__, value
'''
_ORDERLESS = '''\
def typed(value, level=1):
    """The value with all its types, in any order at the outermost levels."""
    if isinstance(value, (list, tuple)):
        items = [typed(item, level + 1) for item in value]
        return sorted(items, key=repr) if level <= {levels} else (type(value).__name__, items)
    return type(value).__name__, value
'''
_CLOSE = '''\
def close(expected, result):
    """Whether two values are equal, and their numbers nearly so."""
    if isinstance(expected, float) and type(result) in (int, float):
        return math.isclose(expected, result, rel_tol={relative!r}, abs_tol={absolute!r})
    if type(expected) is not type(result):
        return False
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(result) and all(map(close, expected, result))
    if isinstance(expected, dict):
        return expected.keys() == result.keys() and all(close(expected[key], result[key]) for key in expected)
    return expected == result
'''
_LINES = '''\
def lines(text):
    """The lines without spaces at their ends, and without empty lines at the end."""
    return "\\n".join(line.rstrip() for line in text.splitlines()).rstrip("\\n").split("\\n")
'''
_EQUAL = "expected = {expected}\nresult = {call}\nself.assertEqual(typed(expected), typed(result))"


def offered(question: FunctionQuestion, case: CaseResult, home: AtHome | None = None) -> bool:
    """Whether the case can be run at home: not if a checker judges it, if the student writes something else than the
    function that is called, or if the report has not kept the whole call or value. What stands in for the function, and
    for the checker, may come with the game: `home`."""
    try:
        names = {each.id for text in (case.call, case.expected) for each in walk(parse(text)) if isinstance(each, Name)}
        if _has_helpers(question, home):
            return names <= {question.function} and _lists_turns(literal_eval(case.expected))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    if question.method or isinstance(question.comparator, Checker):
        return False
    return names <= {question.function, "set", "frozenset"}


def _has_helpers(question: FunctionQuestion, home: AtHome | None) -> bool:
    return home is not None and bool(question.method) and question.function in home.functions


def _lists_turns(expected: object) -> bool:
    """Whether it is a list of all right answers, each of them a tuple."""
    return isinstance(expected, tuple) and all(isinstance(each, tuple) for each in expected)


def test_name(question: FunctionQuestion, number: int) -> str:
    """The name of the file with the test of one case."""
    return f"test_{question.slug.replace('-', '_')}_{number}.py"


def unit_test(
    question: FunctionQuestion, case: CaseResult, filename: str, number: int, home: AtHome | None = None
) -> str:
    """The text of a file that tests one case of the player `filename`; see `offered`."""
    helped, late = _has_helpers(question, home), case.verdict in LATE
    if late:
        case = replace(case, call=f"in_time(lambda: {case.call}, {question.call_s:g})")
    further, helper, body = _parts(AnyOf() if helped else question.comparator, case)
    return HomeFile(
        about=f"{label(question.slug)}: {case.title or question.title}",
        name=test_name(question, number),
        filename=filename,
        functions=[] if helped else [question.function],
        body=body,
        helpers=[helper, *([home.helpers] if home and helped else []), *([IN_TIME] if late else [])],
        imports=[*further, *(TIME_IMPORTS if late else [])],
    ).text()


def _parts(comparator: Comparator, case: CaseResult) -> tuple[list[str], str, str]:
    """Further imports, a helper, and what the test does."""
    equal = _EQUAL.format(expected=case.expected, call=case.call)
    match comparator:
        case Exact():
            return [], _TYPED, equal
        case LikeSequences():
            return [], _LISTS, equal
        case AnyOrder(levels=levels):
            return [], _ORDERLESS.format(levels=levels), equal
        case AnyOf():
            among = "self.assertIn(typed(result), [typed(value) for value in expected])"
            return [], _TYPED, f"expected = {case.expected}  # one of them\nresult = {case.call}\n{among}"
        case Floats(relative=relative, absolute=absolute):
            near = 'self.assertTrue(close(expected, result), f"{result!r} is not close to {expected!r}")'
            helper = _CLOSE.format(relative=relative, absolute=absolute)
            return ["import math"], helper, f"expected = {case.expected}\nresult = {case.call}\n{near}"
        case Printed():
            run = f"with redirect_stdout(StringIO()) as printed:\n    {case.call}"
            equal = "self.assertEqual(lines(expected), lines(printed.getvalue()))"
            imports = ["from contextlib import redirect_stdout", "from io import StringIO"]
            return imports, _LINES, f"expected = {case.expected}\n{run}\n{equal}"
    raise ValueError(f"a case of the kind {comparator.kind} cannot be run at home")
