"""Explains Python's messages about the most common mistakes to beginners, in plain words.

Python's own messages differ from version to version; the patterns cover versions 3.9 to 3.14. Kits contain this module,
so it must run on Python 3.9 and imports only the standard library.
"""

import re
from typing import Final, NamedTuple

_LONGEST: Final = 60
_SEARCHED: Final = 500  # characters of a line that are searched for patterns
_LINE: Final = re.compile(r'", line (\d+)(?:, in (.*))?$')


class Traced(NamedTuple):
    """The end of a traceback: the line number, function and text of its last line of source, and Python's own
    message."""

    line: int
    function: str
    source: str
    error: str


def traced(traceback: str) -> Traced:
    """Parse the end of a traceback. Missing parts are empty."""
    number, function, source, lines = 0, "", "", traceback.split("\n")
    for line in lines[lines[0].startswith("Traceback") :]:
        if line.startswith("  File "):
            found = _LINE.search(line[:_SEARCHED])
            number, function, source = int(found[1]) if found else 0, (found and found[2]) or "", ""
        elif not line.startswith(" "):
            return Traced(number, function, source, line)
        elif not source and line.startswith("    "):
            source = line.strip()
    return Traced(number, function, source, "")


def explained(end: Traced, line: int) -> str:
    """Say what to do about the exception at the end of a traceback, raised on `line`. An example is `Syntax error, line
    27: a colon is missing after …`, without a full stop. Returns "" for an unknown message."""
    kind, words = end.error.partition(":")[0], in_plain_words(end.error, end.source)
    where = f"Syntax error, line {line}" if kind in _SYNTAX_ERRORS else f"{kind} on line {line}"
    return f"{where}: {words}" if words else ""


def advised(traceback: str) -> str:
    """Say what to do about the exception at the end of a traceback, in a sentence; "" for an unknown message."""
    end = traced(traceback)
    told = explained(end, end.line) if end.line else ""
    return told + "." if told and not told.endswith("?") else told


def in_plain_words(error: str, source: str) -> str:
    """Say why the line `source` is wrong, in a phrase without a full stop and with code between backticks; "" for an
    unknown message. `error` is the last line of a traceback, such as `SyntaxError: expected ':'`."""
    error, source = error[:_SEARCHED], source[:_SEARCHED]
    kind, _, text = error.partition(": ")
    if kind in _SYNTAX_ERRORS:
        of_line = (words.format(code=code(source)) for pattern, words in _LINES if pattern.search(source))
        return next(of_line, "") or _first_words(_SYNTAX, text, source)
    return _first_words(_RAISED, error, source)


def code(text: str) -> str:
    """Put a line of source between backticks, shortened to fit into a sentence."""
    text = text.strip().replace("`", "'")
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def _first_words(table: "list[tuple[re.Pattern[str], str]]", text: str, source: str) -> str:
    for pattern, words in table:
        if match := pattern.search(text):
            groups = [each.replace("`", "'")[:_LONGEST] for each in match.groups("")]
            return words.format(*groups, code=code(source) if source else "this line")
    return ""


def _patterns(*rows: tuple[str, str]) -> "list[tuple[re.Pattern[str], str]]":
    return [(re.compile(pattern), words) for pattern, words in rows]


_SYNTAX_ERRORS: Final = ("SyntaxError", "IndentationError", "TabError")

_LINES: Final = _patterns(
    (r"^\s*(>>>|In \[)", "{code} is copied from a console: leave out the prompt and the output below it"),
    (r"^\s*else\s+if\b", "write `elif` instead of `else if` in {code}"),
    (r"^\s*(<<<<<<<|=======|>>>>>>>)", "{code} was left behind by Git: choose one of the two versions"),
    (r"^[^'\"#]*(\+\+|--)\s*$", "Python has no `++` or `--`: write `+= 1` or `-= 1` in {code}"),
    (r"^[^'\"#]*(&&|\|\|)", "write `and` and `or` instead of `&&` and `||` in {code}"),
)

_SYNTAX: Final = _patterns(
    (r"^expected ':'", "a colon is missing after {code}"),
    (r"^expected '\('", "brackets are missing after the function’s name in {code}"),
    (r"Maybe you meant '==' or|Maybe you meant '==' instead", "to compare, write `==` instead of `=` in {code}"),
    (r"^cannot (?:assign to|delete) ([\w -]+?)(?: here)?(?:\.|$)", "nothing can be assigned to a {0}, as in {code}"),
    (r"^'(.)' was never closed", "the bracket `{0}` in {code} is never closed"),
    (r"^closing parenthesis '(.)' does not match .*'(.)'(.*)", "the bracket `{1}`{2} is closed by `{0}` in {code}"),
    (r"^unmatched '(.)'", "there is one `{0}` too many in {code}"),
    (
        r"^(?:unterminated|EO[LF] while scanning) .*triple",
        "the string that begins here with three quotation marks is never closed",
    ),
    (r"^(?:unterminated|EO[LF] while scanning) ", "a quotation mark is missing in {code}"),
    (r"^expected an indented block after (.+) on line (\d+)", "{code} must be indented below the {0} on line {1}"),
    (r"^expected an indented block", "{code} must be indented"),
    (r"^unexpected indent", "{code} is indented too far"),
    (r"^unindent does not match", "{code} is not indented like any block above it"),
    (r"tabs and spaces", "tabs and spaces are mixed: have your editor replace every tab with spaces"),
    (r"^Missing parentheses in call to '(\w+)'", "brackets are missing after `{0}` in {code}"),
    (r"Perhaps you forgot a comma", "a comma may be missing in {code}"),
    (r"^'(\w+)' outside (?:async )?function", "`{0}` is outside a function: is {code} indented far enough?"),
    (r"^'(\w+)' (?:outside|not properly in) loop", "`{0}` is outside a loop: is it indented far enough?"),
    (r"^expected 'except' or 'finally'", "the `try` above {code} needs an `except`"),
    (
        r"^invalid (?:decimal|hexadecimal|octal|binary) literal",
        "a number runs into a word in {code}; names cannot begin with a digit",
    ),
    (r"^leading zeros in decimal", "a number begins with 0 in {code}: leave out the 0"),
    (r"U\+201[89CD]\b", "a quotation mark in {code} comes from a text document: type ' or \" instead"),
    (r"U\+00A0\b", "a space in {code} is not an ordinary one, as in text copied from a web page: type it again"),
    (
        r"^invalid (?:non-printable )?character (?:'(.+)' )?\(?(U\+\w+)",
        "the character {0} ({1}) in {code} has no meaning in Python",
    ),
    (r"^positional argument follows", "arguments with a name must come after the others in {code}"),
    (
        r"^(?:non-default argument|parameter without a default) follows",
        "parameters with a default must come last in {code}",
    ),
    (r"^duplicate (?:argument|parameter) '(\w+)'", "two parameters are called `{0}` in {code}"),
    (r"^name '(\w+)' is .* global declaration", "`global {0}` must come before `{0}` is used"),
    (r"^name '(\w+)' is parameter and global", "`{0}` is a parameter, so it cannot be global too"),
    (r"^invalid syntax\. Did you mean '(\w+)'", "did you mean `{0}` in {code}?"),
    (r"^unexpected EOF", "the file ends too early: is a closing bracket missing?"),
    (r"^unexpected character after line continuation", "there is a backslash in the middle of {code}"),
    (r"^f-string: (.+)", "the f-string in {code} is invalid: {0}"),
    (
        r"^invalid syntax",
        "check {code} and the line above it for a missing bracket, quotation mark or operator",
    ),
)
"""Python's messages about syntax errors."""

_NONE: Final = "the value before it is None: did a function end without a return?"
_RAISED: Final = _patterns(
    (r"^IndexError: pop from (?:an )?empty", "there is nothing left to `pop`"),
    (
        r"^IndexError: (\w+) (?:assignment )?index out of range",
        "the {0} has no item at that index: it is too short or empty",
    ),
    (r"^KeyError: (.+)", "the dictionary has no key `{0}`"),
    (
        r"^UnboundLocalError: .*?'(\w+)'",
        "`{0}` has no value yet: on this path through the function nothing was assigned to it",
    ),
    (
        r"^NameError: name '(\w+)' is not defined",
        "`{0}` is not defined: is it misspelt, or only set in another function?",
    ),
    (r"^NameError: .*'(\w+)'", "`{0}` has no value yet"),
    (r"^TypeError: 'NoneType' object is not", f"{{code}} does not work, because {_NONE}"),
    (r"^AttributeError: 'NoneType' object has no attribute '(\w+)'", f"`.{{0}}` does not work, because {_NONE}"),
    (r"^AttributeError: '(\w+)' object has no attribute '(\w+)'", "a value of the type {0} has no `.{1}`"),
    (
        r"^TypeError: '(\w+)' object is not callable",
        "a value of the type {0} is called like a function: do a variable and a function share a name?",
    ),
    (r"^TypeError: '(\w+)' object is not subscriptable", "a value of the type {0} has no items that [ ] could select"),
    (
        r"^TypeError: '(\w+)' object does not support item assignment",
        "the items of a {0} cannot be changed: make a new one, or use a list",
    ),
    (
        r"^TypeError: '(\w+)' object is not iterable|^TypeError: argument of type '(\w+)' is not",
        "a value of the type {0}{1} has no items to go through",
    ),
    (
        r"^TypeError: unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'",
        "`{0}` does not work between the types {1} and {2}",
    ),
    (
        r"^TypeError: can only concatenate (\w+) \(not \"(\w+)\"\)",
        "`+` cannot join the types {0} and {1}: convert one of them",
    ),
    (
        r"^TypeError: '(\S+)' not supported between instances of '(\w+)' and '(\w+)'",
        "`{0}` cannot compare the types {1} and {2}",
    ),
    (r"^TypeError: (\w+) (?:indices|index) must be integers", "an index of a {0} must be a whole number"),
    (r"^TypeError: unhashable type: '(\w+)'", "a {0} cannot be a key of a dictionary or an item of a set: use a tuple"),
    (r"^TypeError: (?:\w+\.)*(\w+)\(\) missing \d+ required .*: (.+)", "`{0}` is called without {1}"),
    (
        r"^TypeError: (?:\w+\.)*(\w+)\(\) takes (.+) positional arguments? but (\d+)",
        "`{0}` is called with {2} arguments, but takes {1}",
    ),
    (r"^ValueError: (not enough|too many) values to unpack", "there are {0} values for the names on the left of `=`"),
    (r"^ValueError: invalid literal for int\(\) with base \d+: (.+)", "int() cannot read `{0}` as a number"),
    (r"^ValueError: list\.remove\(x\)", "`remove` did not find the item in the list"),
    (r"^ValueError: (.+) is not in (list|tuple)", "`index` did not find `{0}` in the {1}"),
    (r"^ZeroDivisionError", "{code} divides by zero"),
    (r"^RecursionError", "a function calls itself without end: the case that stops it is missing or never reached"),
    (
        r"^RuntimeError: (\w+) changed size during iteration",
        "the {0} is changed inside the loop that iterates over it: loop over a copy",
    ),
    (r"^AssertionError", "the assertion {code} is not true"),
)
"""Messages of other exceptions, as in the last line of a traceback."""
