"""A case that failed as a short test that its author runs at home: with unittest, or with pytest.

It holds nothing that the report does not show. It fails with the file as it was uploaded, and passes once the answer is
right, by the same comparison as here.
"""

import re
from ast import Name, parse, walk
from textwrap import indent

from grader.definition.comparators import AnyOf, AnyOrder, Checker, Comparator, Exact, Floats, LikeSequences, Printed
from grader.definition.question import FunctionQuestion
from grader.grading.report import CaseResult

_FILE = '''\
"""{title}

Put this file into the folder of {filename}, and run:  python {name}
"""

{imports}

spec = importlib.util.spec_from_file_location("player", Path(__file__).with_name({filename!r}))
player = importlib.util.module_from_spec(spec)
spec.loader.exec_module(player)
{function} = player.{function}


{helper}

class Case(unittest.TestCase):
    maxDiff = None

    def test_it(self):
{body}


if __name__ == "__main__":
    unittest.main()
'''
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


def offered(question: FunctionQuestion, case: CaseResult) -> bool:
    """Whether the case can be run at home: not if a checker judges it, if the student writes something else than the
    function that is called, or if the report has not kept the whole call or value."""
    if question.method or isinstance(question.comparator, Checker):
        return False
    try:
        names = [each.id for text in (case.call, case.expected) for each in walk(parse(text)) if isinstance(each, Name)]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return set(names) <= {question.function, "set", "frozenset"}


def test_name(question: FunctionQuestion, number: int) -> str:
    """The name of the file with the test of one case."""
    return f"test_{question.slug.replace('-', '_')}_{number}.py"


def unit_test(question: FunctionQuestion, case: CaseResult, filename: str, number: int) -> str:
    """The text of a file that tests one case of the player `filename`; see `offered`."""
    further, helper, body = _parts(question.comparator, case)
    imports = ["import importlib.util", "import unittest", "from pathlib import Path", *further]
    return _FILE.format(
        imports="\n".join(sorted(imports, key=lambda line: (line.startswith("from"), line))),
        title=_plain(f"{question.slug}: {case.title or question.title}"),
        filename=filename,
        name=test_name(question, number),
        function=question.function,
        helper=helper,
        body=indent(body, " " * 8),
    )


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


def _plain(text: str) -> str:
    """Text for a docstring."""
    return re.sub(r'[\\"\x00-\x1f]', " ", text)
