"""Explains compilers' messages about the most common mistakes to beginners, in plain words."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from sandbox import patterns


class Said(NamedTuple):
    """A message of a compiler, with straight quotation marks, and the line that it refers to."""

    text: str
    line: int


def in_plain_words(said: Said, notes: Sequence[Said]) -> str:
    """Return the message in words for a beginner; "" for an unknown message. `notes` are the compiler's notes on the
    message."""
    for pattern, words in _TABLE:
        if match := pattern.search(said.text):
            if not isinstance(words, str):
                return words(match, said, notes)
            return words.format(*(_clipped(each) for each in match.groups("")), line=said.line)
    return ""


_HEADERS: Final = {
    "algorithm": "sort find count reverse shuffle max_element min_element transform copy remove_if",
    "array": "array",
    "cctype": "isdigit isalpha isspace isupper islower toupper tolower",
    "cmath": "sqrt pow abs floor ceil round",
    "cstdlib": "rand srand exit",
    "functional": "function",
    "fstream": "ifstream ofstream",
    "iomanip": "setw setprecision setfill",
    "iostream": "cout cin cerr endl getline",
    "map": "map",
    "memory": "unique_ptr shared_ptr make_unique make_shared",
    "numeric": "accumulate iota",
    "random": "mt19937 uniform_int_distribution random_device",
    "set": "set",
    "sstream": "stringstream istringstream ostringstream",
    "stdexcept": "runtime_error invalid_argument out_of_range logic_error",
    "string": "string to_string stoi stod",
    "utility": "pair move swap",
    "vector": "vector",
    "deque": "deque",
    "optional": "optional",
    "queue": "queue priority_queue",
    "stack": "stack",
}
_HEADER_OF: Final = {name: header for header, names in _HEADERS.items() for name in names.split()}
_TYPES: Final = {
    "const char*": "a text",
    "const char *": "a text",
    "char *": "a text",
    "int": "a whole number (int)",
    "std::string": "a string",
    "bool": "a bool",
    "double": "a number (double)",
    "char": "a single character (char)",
}
_AKA: Final = patterns.compile(r" \{aka '?[^}]*\}|std::__cxx11::basic_string<char>(?: ?&)?")
_INCLUDE: Final = patterns.compile(r"'#include <([\w.]+)>'")
_FIRST: Final = patterns.compile(r"; (?:\S+\.o:)?([^\s:()]+):\S* first defined here")
_VIRTUAL: Final = patterns.compile(r"\s*'virtual (.+)'$")
_LONGEST: Final = 80


def _clipped(text: str) -> str:
    text = _AKA.sub(lambda match: "std::string" if match[0].startswith("std") else "", text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _type_in_words(type_: str) -> str:
    plain = _clipped(type_)
    return _TYPES.get(plain, f"a value of the type {plain}")


def _semicolon(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    return f"A semicolon is missing. Look at the end of line {said.line}." if said.line else "A semicolon is missing."


def _unknown(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    name, meant = match[1], match[2] or ""
    if (name in _HEADER_OF and meant in ("", f"std::{name}")) or any(f"'std::{name}'" in note.text for note in notes):
        header = f", and #include <{_HEADER_OF[name]}> at the top" if name in _HEADER_OF else ""
        return f"{name} belongs to the standard library: write std::{name}{header}."
    if meant:
        return f"{name} is not known here. Did you mean {meant}?"
    return f"{name} is not known here. Is it spelt differently, declared further down or in another block?"


def _not_in_std(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    name = match[1]
    named = (found[1] for note in notes if (found := _INCLUDE.search(note.text)))
    if header := next(named, _HEADER_OF.get(name)):
        return f"std::{name} is declared in a header that is not included here. Add #include <{header}> at the top."
    return f"The standard library has no {name}, or its header is not included here. Check the spelling."


def _conversion(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    return f"This is {_type_in_words(match[1])}, but {_type_in_words(match[2])} is needed here."


def _brace(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    opened = next((note.line for note in notes if "to match this" in note.text), 0)
    which = f": the one opened on line {opened}, or a later one, is never closed" if opened else ""
    return f"A closing brace is missing before the end of the file{which}."


def _undefined(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    name = _clipped(match[1])
    if name == "main":
        return "The program has no function main. Is the file with main among the files compiled?"
    if name.startswith(("vtable for ", "typeinfo for ")):
        class_ = name.partition(" for ")[2]
        return (
            f"A virtual function of {class_} is declared but not defined. Define every virtual function, or make it "
            "pure (= 0)."
        )
    return f"{name} is declared and used, but never defined. Write its body, with the same name, class and parameters."


def _twice(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    first = _FIRST.search(said.text)
    where = f", also in {first[1]}" if first else ""
    return f"{_clipped(match[1])} is defined twice{where}. Define it in one .cpp file, and only declare it in headers."


def _abstract(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    missing = [found[1] for note in notes if (found := _VIRTUAL.match(note.text))]
    which = f": {_clipped(missing[0])}{' and others' if len(missing) > 1 else ''}" if missing else ""
    return f"Objects of {match[1]} cannot be created: the class does not define all pure virtual functions{which}."


def _no_operator(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    operator, left, right = match[1], _clipped(match[2]), _clipped(match[3])
    if operator == "<<" and "ostream" in left:
        return f"A {right} cannot be printed with <<. Print its members one by one, or define operator<< for it."
    if operator == ">>" and "istream" in left:
        return f"A {right} cannot be read with >>. Read its members one by one, or define operator>> for it."
    return f"{operator} is not defined for {left} and {right}. Use their members, or define the operator."


def _no_such_file(match: patterns.Match[str], said: Said, notes: Sequence[Said]) -> str:
    return f"There is no file {match[1]}. Check its name, including upper and lower case, and its folder."


_Words: TypeAlias = str | Callable[[patterns.Match[str], Said, Sequence[Said]], str]

_ENTRIES: Final[list[tuple[str, _Words]]] = [
    # Missing or superfluous characters
    (r"expected ';' after (class|struct|union|enum) definition", "A semicolon is missing after the closing brace."),
    (r"^expected .*';' (?:before|after|at end)|^expected ';'", _semicolon),
    (r"expected '}' at end of input", _brace),
    (r"expected declaration before '}'", "There is one closing brace too many, here or above."),
    (
        r"a function-definition is not allowed here",
        "A function begins inside another function: a closing brace is missing above.",
    ),
    (
        r"'else' without a previous 'if'",
        "This else belongs to no if: braces are missing, or there is an extra semicolon.",
    ),
    (r"expected '\)' before '(.*)'", "A closing parenthesis is missing before {0}."),
    (
        r"expected primary-expression before '(.*)'",
        "A value is expected before {0}: something is missing or superfluous.",
    ),
    (r"expected unqualified-id before '(.*)'", "{0} is not expected here. Is there an extra brace or semicolon above?"),
    (r"missing terminating (.) character", "A quotation mark {0} is missing at the end of the text."),
    (
        r"stray '(.*)' in program",
        "This character is not C++. Text copied from a document may contain different quotation marks.",
    ),
    # Names
    (r"'([^']+)' was not declared in this scope(?:; did you mean '([^']+)'\?)?", _unknown),
    (r"'([^']+)' undeclared(?: \(first use in this function\))?(?:; did you mean '([^']+)'\?)?", _unknown),
    (r"'([^']+)' is not a member of 'std'", _not_in_std),
    (r"'([^']+)' does not name a type(?:; did you mean '([^']+)'\?)?", _unknown),
    (r"unknown type name '([^']+)'(?:; did you mean '([^']+)'\?)?", _unknown),
    (r"implicit declaration of function '([^']+)'", "{0} is not known here. Include its header, or declare it above."),
    (r"^([^:]+): No such file or directory", _no_such_file),
    (r"has no member named '([^']+)'; did you mean '([^']+)'", "There is no member {0}. Did you mean {1}?"),
    (
        r"'(?:class |struct |const )*([^']+)' has no member named '([^']+)'",
        "{0} has no member {1}. Check the spelling.",
    ),
    (
        r"no declaration matches '(.*)'",
        "The class does not declare {0}. The name, parameters and const must be the same.",
    ),
    (
        r"(?:redefinition|redeclaration) of '(.*?)'",
        "{0} is declared twice. If it is in a header, begin the header with #pragma once.",
    ),
    (r"conflicting (?:declaration|types for) '(.*?)'", "{0} is declared twice, in different ways."),
    # Functions and values
    (r"too (few|many) arguments to (?:function )?'(.*)'", "{1} is called with too {0} arguments."),
    (
        r"no matching function for call to '(.*)'",
        "No function matches the call {0}. Compare its arguments with the declaration.",
    ),
    (r"(?:no return statement in function|control reaches end of non-void)", "This function can end without a return."),
    (
        r"return-statement with (a|no) value",
        "This return does not match the function’s return type: void returns no value.",
    ),
    (r"invalid conversion from '(.*?)'.* to '(.*?)'", _conversion),
    (r"conversion from '(.*?)'.* to non-scalar type '(.*?)'", _conversion),
    (r"cannot convert '(.*?)'.* to '(.*?)'", _conversion),
    (
        r"(?:initialization|assignment) (?:of|to) '(.*?)' from '(.*?)' makes",
        "A value of the type {1} does not fit {0}.",
    ),
    (
        r"cannot bind non-const lvalue reference",
        "A parameter with & can be changed, so it needs a variable, not a value.",
    ),
    (r"no match for 'operator(\S+)' \(operand types are '(.*?)'.* and '(.*?)'", _no_operator),
    (r"format '(.*?)' expects argument of type '(.*?)'.* has type '(.*?)'", "{0} needs the type {1}, but gets {2}."),
    # Classes
    (
        r"marked 'override', but does not override",
        "No virtual function in the base class has the same name, parameters and const.",
    ),
    (r"abstract (?:class )?type '(.*?)'", _abstract),
    (r"'(.*)' is (private|protected) within this context", "{0} is {1}: only functions of its class can use it."),
    (r"passing '(.*?)' as 'this' argument discards", "A function that is not const is called on a const object."),
    (r"assignment of member '(.*?)' in read-only object", "A const function cannot change {0}."),
    (r"(?:assignment|increment|decrement) of read-only \w+ '(.*?)'", "{0} is const, so it cannot be changed."),
    # Warnings
    (r"^this line hides warnings$", "This hides compiler warnings. Remove pragmas, #line and __has_include."),
    (r"unused (variable|parameter) '(.*?)'", "The {0} {1} is never used. Remove it, or use it."),
    (r"variable '(.*?)' set but not used", "{0} gets a value that is never used. Remove it, or use it."),
    (
        r"comparison of integer expressions of different signedness",
        "An int is compared with an unsigned number, such as a size. Use the same type for both, such as std::size_t.",
    ),
    (r"assignment used as truth value", "A single = assigns. To compare, write ==."),
    (
        r"'(.*?)' (?:is|may be) used uninitialized",
        "{0} may be read before it has a value. Give it a value where it is declared.",
    ),
    (
        r"'(.*?)' will be initialized after",
        "The constructor sets members in a different order than the class declares them.",
    ),
    (r"enumeration value '(.*?)' not handled in switch", "The switch has no case for {0}. Add one, or a default."),
    (r"this statement may fall through", "This case falls through to the next one: a break is missing."),
    # The linker
    (r"undefined reference to [`'](.*)'", _undefined),
    (r"multiple definition of [`'](.*?)'", _twice),
    # Python
    (
        r"SyntaxError: invalid syntax",
        "Python cannot read this line. Something is missing or extra, here or just above.",
    ),
    (r"SyntaxError: expected ':'", "A colon is missing at the end of this line."),
    (r"SyntaxError: '(.)' was never closed", "The {0} is never closed."),
    (r"IndentationError|TabError", "The indentation of this line does not match the lines above."),
]
_TABLE: Final = [(patterns.compile(pattern), words) for pattern, words in _ENTRIES]
"""Patterns of messages, each with its explanation; the first pattern that matches is used. An explanation is a text
with placeholders for the groups of the pattern, or a function that returns the text."""
