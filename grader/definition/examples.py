"""Reads examples as a lecturer writes them: doctest text becomes cases.

    >>> # the suit does not match
    >>> match('4C', ['2D', '3H'])
    False

Each example is one call with literal arguments and, on the line below, what it returns. A comment line directly above
a call is the case's title. `print(match(...))` is taken as `match(...)`.
"""

import ast
from collections.abc import Sequence
from doctest import DocTestParser, Example
from typing import Any

from sandbox import patterns
from sandbox.api import SentText
from sandbox.readers import in_reader
from tournament.games.api import Case

_TITLE = patterns.compile(r"\s*(?:>>>\s*)?#\s*(.*)")
_DOCTEST_LINE = patterns.compile(r"(?s)line (\d+) of the docstring for \S+ (.*)")


class ExampleError(ValueError):
    """A lecturer's mistake in the examples; `line` is counted from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"Line {line} of the examples: {problem}")
        self.line = line
        self.problem = problem


@in_reader(lambda message: ExampleError(1, message))
def parse_examples(text: SentText, function: str, parameters: Sequence[str] = (), prints: bool = False) -> list[Case]:
    """The cases in a doctest text, all calling `function`. `parameters` names its parameters in order, so that
    keyword arguments find their places. `prints`: below a call stands what it prints, and that is what is expected, as
    text; a line `<BLANKLINE>` is empty. Raises ExampleError."""
    try:
        examples = DocTestParser().get_examples(text)
    except ValueError as error:
        found = _DOCTEST_LINE.match(str(error))
        raise (ExampleError(int(found[1]), found[2]) if found else ExampleError(1, str(error))) from None
    lines = text.expandtabs().split("\n")
    return [_case(example, lines, function, parameters, prints) for example in examples]


def _case(example: Example, lines: Sequence[str], function: str, parameters: Sequence[str], prints: bool) -> Case:
    line = example.lineno + 1
    call, printed = _call(example.source, line)
    if not isinstance(call.func, ast.Name) or call.func.id != function:
        raise ExampleError(line, f"this must be a call of {function}, not of {ast.unparse(call.func)}.")
    args = [_literal(arg, line) for arg in call.args]
    args += _placed(call.keywords, parameters[len(args) :], line)
    shown = patterns.compile("(?m)^<BLANKLINE>$").sub("", example.want)
    expected = shown if prints else _expected(example.want, printed, line)
    return Case(tuple(args), expected, _title(lines, example.lineno))


def _call(source: str, line: int) -> tuple[ast.Call, bool]:
    """The call in an example, and whether it was wrapped into `print(...)`."""
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExampleError(line, f"this must be a single call, but it is not: {error.msg}.") from None
    except (ValueError, MemoryError, RecursionError):  # a NUL byte, or nested far too deeply
        raise ExampleError(line, "this must be a single call, but Python cannot read it.") from None
    if not isinstance(tree, ast.Call):
        raise ExampleError(line, f"this must be a single call, but it is not: {ast.unparse(tree)}")
    printed = isinstance(tree.func, ast.Name) and tree.func.id == "print"
    if printed and len(tree.args) == 1 and isinstance(tree.args[0], ast.Call):
        return tree.args[0], True
    return tree, False


def _literal(node: ast.expr, line: int) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ExampleError(line, f"an argument must be written out as a value, not as {ast.unparse(node)}.") from None


def _placed(keywords: Sequence[ast.keyword], free: Sequence[str], line: int) -> list[Any]:
    """The keyword arguments in the order of the parameters that are still free."""
    given = {keyword.arg: _literal(keyword.value, line) for keyword in keywords}
    wanted = free[: len(given)]
    if set(given) != set(wanted):
        names = ", ".join(str(name) for name in given)
        raise ExampleError(line, f"the places of the arguments {names} are not known. Write them without their names.")
    return [given[name] for name in wanted]


def _expected(want: str, printed: bool, line: int) -> Any:
    text = want.strip()
    if not text:
        raise ExampleError(
            line, "the line below the call must say what it returns (even if that is None), but it is empty."
        )
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        if printed:
            return text  # a printed string has no quotes
        raise ExampleError(line, f"what the call returns must be written as a Python value, not as: {text}") from None


def _title(lines: Sequence[str], index: int) -> str:
    """The comment on the line above an example's first line, or nothing."""
    found = _TITLE.fullmatch(lines[index - 1]) if index else None
    return found[1].strip() if found else ""
