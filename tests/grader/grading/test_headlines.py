"""What a student reads first about a case that failed: common mistakes in plain words, whatever Python calls them."""

from dataclasses import replace

import pytest

from grader.comparing.judging import PRINTED_INSTEAD
from grader.grading.causes import headline
from grader.grading.python_words import in_plain_words, traced
from grader.grading.report import QuestionReport
from grader.programs.shown import CaseResult
from sandbox.api import Limits, Verdict
from sandbox.host.codec import decode
from sandbox.host.fault_messages import SourceFile, from_report
from sandbox.inside.reports import syntax_report
from sandbox.inside.wire import encode

QUESTION = QuestionReport("q1", "First", "comp10001bo_match_build", 0, 1, 0.0, 1.0, True, {}, [])
CASE = CaseResult("q1", "", "f(1)", "True", "False", Verdict.WA, "Returned False, expected True.", 0.1, hidden=False)

SYNTAX = [
    ("if not build_pile\n    pass\n", 1, "a colon is missing after `if not build_pile`"),
    ("if x:\n    y\nelse if z:\n    y\n", 3, "write `elif` instead of `else if` in `else if z:`"),
    ("def f():\n\n\n", 3, "this line must be indented below the function definition on line 1"),
    ("if x = 3:\n    pass\n", 1, "to compare, write `==` instead of `=` in `if x = 3:`"),
    ("print(max(1, 2)\nx = 1\n", 1, "the bracket `(` in `print(max(1, 2)` is never closed"),
    ("x = [1, 2)\n", 1, "the bracket `[` is closed by `)` in `x = [1, 2)`"),
    ("x = 1)\n", 1, "there is one `)` too many in `x = 1)`"),
    ("x = 'a\n", 1, "a quotation mark is missing in `x = 'a`"),
    ("def f():\n    '''text\n", 2, "the string that begins here with three quotation marks is never closed"),
    ("def f():\nreturn 1\n", 2, "`return 1` must be indented below the function definition on line 1"),
    ("x = 1\n    y = 2\n", 2, "`y = 2` is indented too far"),
    ("if x:\n        y\n    z\n", 3, "`z` is not indented like any block above it"),
    ("print 'a'\n", 1, "brackets are missing after `print` in `print 'a'`"),
    ("x = [1 2]\n", 1, "a comma may be missing in `x = [1 2]`"),
    ("return 1\n", 1, "`return` is outside a function: is `return 1` indented far enough?"),
    ("break\n", 1, "`break` is outside a loop: is it indented far enough?"),
    ("x = 2nd\n", 1, "a number runs into a word in `x = 2nd`; names cannot begin with a digit"),
    ("x = “a”\n", 1, "a quotation mark in `x = “a”` comes from a text document: type ' or \" instead"),
    (">>> x = 1\n", 1, "`>>> x = 1` is copied from a console: leave out the prompt and the output below it"),
    ("def f(a=1, b):\n    pass\n", 1, "parameters with a default must come last in `def f(a=1, b):`"),
    ("def f(x):\n    x++\n", 2, "Python has no `++` or `--`: write `+= 1` or `-= 1` in `x++`"),
]


def of_source(source: str) -> CaseResult:
    """The case of a file that Python cannot read."""
    with pytest.raises(SyntaxError) as raised:
        compile(source, "player.py", "exec")
    program = SourceFile(source.encode(), "my bot.py")
    fault = from_report(decode(encode(syntax_report(raised.value)).encode()), program, Limits())
    return replace(CASE, verdict=fault.verdict, message=fault.message, traceback=fault.traceback, line=fault.line)


@pytest.mark.parametrize(("source", "line", "words"), SYNTAX)
def test_a_syntax_error_says_what_is_missing(source: str, line: int, words: str) -> None:
    assert headline(QUESTION, of_source(source)) == f"Syntax error, line {line}: {words}"


OF_OTHER_VERSIONS = [
    ("SyntaxError: EOL while scanning string literal", "x = 'a", "a quotation mark is missing in `x = 'a`"),
    ("SyntaxError: unexpected EOF while parsing", "f(1", "the file ends too early: is a closing bracket missing?"),
    ("SyntaxError: non-default argument follows default argument", "def f(a=1, b):", "parameters with a default must"),
    ("SyntaxError: invalid syntax. Did you mean 'while'?", "whlie x:", "did you mean `while` in `whlie x:`?"),
    ("IndentationError: expected an indented block", "return 1", "`return 1` must be indented"),
    ("SyntaxError: expected '('", "def f:", "brackets are missing after the function’s name in `def f:`"),
    ("UnboundLocalError: local variable 'x' referenced before assignment", "", "`x` has no value yet"),
    ("UnboundLocalError: cannot access local variable 'x' where it is not associated", "", "`x` has no value yet"),
    ("TypeError: list indices must be integers or slices, not str", "", "an index of a list must be a whole number"),
    (
        "TypeError: A.f() takes 1 positional argument but 2 were given",
        "",
        "`f` is called with 2 arguments, but takes 1",
    ),
    ("TypeError: f() missing 1 required positional argument: 'x'", "", "`f` is called without 'x'"),
    ("ValueError: too many values to unpack (expected 2, got 3)", "", "there are too many values for the names"),
    ("IndexError: list index out of range", "", "the list has no item at that index"),
    ("RecursionError: maximum recursion depth exceeded in comparison", "", "a function calls itself without end"),
    ("Whatever: `x`", "x = 1", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("error", "source", "words"), OF_OTHER_VERSIONS)
def test_the_words_of_other_versions_of_python_are_known(error: str, source: str, words: str) -> None:
    assert in_plain_words(error, source).startswith(words)
    assert words or not in_plain_words(error, source)


TRACEBACK = 'Traceback (most recent call last):\n  File "a, in b.py", line 9, in f\n    x = hand[7]\n'
RAISED = replace(CASE, verdict=Verdict.RTE, line=9, traceback=f"{TRACEBACK}IndexError: list index out of range\nmore")
HEADLINES = [
    (RAISED, "IndexError on line 9: the list has no item at that index: it is too short or empty"),
    (replace(RAISED, traceback="", message="Your program raised X on line 9."), "Your program raised X on line 9"),
    (
        replace(CASE, verdict=Verdict.TLE, line=9, traceback=f"{TRACEBACK}Out of time"),
        "Out of time on line 9: `x = hand[7]`",
    ),
    (replace(CASE, verdict=Verdict.TLE), "Out of time"),
    (
        replace(CASE, verdict=Verdict.MISSING, meant="match_build"),
        "Q1 needs `comp10001bo_match_build`; you have `match_build`: rename it?",
    ),
    (replace(CASE, verdict=Verdict.MISSING, message="There is none."), "There is none"),
    (CASE, "Returns False instead of True"),
    (replace(CASE, expected="[1]", got="[2]"), "Wrong value: follow the call shown step by step"),
    (replace(CASE, expected="[1]", got="[2]", call=""), "Wrong value"),
    (replace(CASE, verdict=Verdict.TYPE, expected="(1, 2)", got="[1, 2]"), "Returns a list instead of a tuple"),
    (replace(CASE, verdict=Verdict.TYPE, expected="None", got="0"), "Returns a number instead of None"),
    (
        replace(CASE, verdict=Verdict.TYPE, expected="(1, 2)", got="(1, '2')"),
        "A value has the wrong type: compare what is expected with what you return",
    ),
    (replace(CASE, verdict=Verdict.TYPE, got="None"), "Returns None: is a return statement missing?"),
    (replace(CASE, verdict=Verdict.TYPE, message=PRINTED_INSTEAD), "Prints the answer instead of returning it"),
]


@pytest.mark.parametrize(("case", "words"), HEADLINES)
def test_a_headline_says_what_to_do(case: CaseResult, words: str) -> None:
    assert headline(QUESTION, case) == words


@pytest.mark.parametrize("traceback", ["", "\n", "  File", "Traceback (most recent call last):", "  File \n    x\n  y"])
def test_a_traceback_may_be_cut_anywhere(traceback: str) -> None:
    assert traced(traceback).error == ""


def test_patterns_are_sought_at_the_beginning_of_a_line() -> None:
    assert in_plain_words("NameError: x 'a'", "")
    assert not in_plain_words(f"NameError: {'x' * 1000} 'a'", "")
    where = f'  File "{"a" * 1000}", line 7, in play'
    assert traced(f"Traceback (most recent call last):\n{where}\nNameError: x").line == 0
