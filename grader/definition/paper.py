"""Builds papers. A paper contains the questions of a definition with all their cases, ready for grading a player. Also
reads cases that authors write as doctest text:

    >>> # the suit does not match
    >>> match('4C', ['2D', '3H'])
    False

Each case is one call with literal arguments and, on the next line, its return value. A comment directly above a call is
the case's title. `print(match(...))` is treated as `match(...)`.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from doctest import DocTestParser, Example
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from grader.author_code.authored import NO_GAME, Authored, AuthorError, GameModules, game_modules
from grader.definition.model import Definition, game_of
from grader.definition.question import FunctionQuestion, ProgramQuestion
from sandbox import patterns
from sandbox.api import SentText
from sandbox.readers import in_reader
from sandbox.visible import value_text
from tournament.games.api import Case, Guest, Request
from tournament.games.judges import key
from tournament.play.games import find_game
from tournament.play.referee import call_text

PLAIN = Guest({})  # for a problem set without a game, which needs nothing in the sandbox


@dataclass(frozen=True, slots=True)
class Check:
    """A case that is ready to run. `call` is the exact text of the call, and `expected` is the expected value as a
    Python literal."""

    case: Case
    hidden: bool
    call: str
    expected: str


@dataclass(frozen=True, slots=True)
class Paper:
    """The questions of a definition with their cases. `checks` contains the checks of each function question by slug:
    the examples, then the hidden cases, without repeated calls. `version` is an identifier of eight characters,
    which changes with the questions, right answers, points and time limits. `authored` contains the code of the
    authors of function questions, and `asked` the `judges.key` of the arguments of each check, both by slug."""

    questions: tuple[FunctionQuestion | ProgramQuestion, ...]
    checks: Mapping[str, tuple[Check, ...]]
    guest: Guest
    version: str
    authored: Mapping[str, Authored]
    asked: Mapping[str, frozenset[str]]

    @property
    def functions(self) -> tuple[FunctionQuestion, ...]:
        """The function questions."""
        return tuple(each for each in self.questions if isinstance(each, FunctionQuestion))

    @property
    def programs(self) -> tuple[ProgramQuestion, ...]:
        """The program questions."""
        return tuple(each for each in self.questions if isinstance(each, ProgramQuestion))

    def count(self, question: FunctionQuestion | ProgramQuestion) -> int:
        """Return the number of a question's cases."""
        return len(question.cases if isinstance(question, ProgramQuestion) else self.checks[question.slug])


def paper(definition: Definition, hidden: Mapping[str, Sequence[Case]]) -> Paper:
    """Build the paper of a definition. `hidden` contains the hidden cases of each question by slug. Raises
    ExampleError."""
    functions = definition.functions
    checks = {question.slug: checks_of(question, hidden.get(question.slug, ())) for question in functions}
    return Paper(
        questions=definition.asked,
        checks=checks,
        guest=guest_of(definition),
        version=_hash_of(definition.asked, checks),
        authored={question.slug: authored_of(definition, question) for question in functions},
        asked={slug: frozenset(key(check.case.args) for check in each) for slug, each in checks.items()},
    )


def guest_of(definition: Definition) -> Guest:
    """Return what a player needs in the sandbox in addition to its file."""
    return game_of(definition).guest if definition.game else PLAIN


def authored_of(definition: Definition, question: FunctionQuestion) -> Authored:
    """Return the author's code for one question, to be run in a jail."""
    return Authored(
        cases=question.cases,
        solution=question.solution,
        function=question.function,
        arities=question.arities,
        seed=f"quadrille hidden {question.slug}",
        modules=_modules(definition.game) if definition.game else NO_GAME,
        call_s=question.call_s,
        prints=question.comparator.kind == "printed",
    )


@lru_cache(maxsize=16)
def _modules(game: str) -> GameModules:
    """Return the source of a game's modules. It is cached because it never changes while this process runs, and because
    reading it takes longer than hashing it."""
    return game_modules(find_game(game))


def examples_of(question: FunctionQuestion) -> list[Case]:
    """Return the examples of a question. Raises ExampleError."""
    return written_out(question, question.examples)


def written_out(question: FunctionQuestion, text: str) -> list[Case]:
    """Return the cases of a question that are given in a doctest text. Raises ExampleError."""
    return parse_examples(SentText(text), question.function, question.parameters, question.comparator.kind == "printed")


def checks_of(question: FunctionQuestion, hidden: Sequence[Case]) -> tuple[Check, ...]:
    """Return the checks of a question. Raises ExampleError."""
    examples = examples_of(question)
    shown = {repr(case.args) for case in examples}
    return (
        *(check_of(question, case, False) for case in examples),
        *(check_of(question, case, True) for case in hidden if repr(case.args) not in shown),
    )


def check_of(question: FunctionQuestion, case: Case, hidden: bool) -> Check:
    """Turn a case of the question into a check that is ready to run."""
    return Check(case, hidden, call_text(Request(0, question.function, case.args)), value_text(case.expected))


_ASKED = ("slug", "function", "arities", "comparator", "points", "call_s")
# Fields that program questions lack
_ASKED_OF_PROGRAM = {"title", "text", "gate", "visible", "shows", "solution", "submissions"}


def _hash_of(questions: Sequence[FunctionQuestion | ProgramQuestion], checks: Mapping[str, Sequence[Check]]) -> str:
    digest = sha256()
    for question in questions:
        if isinstance(question, ProgramQuestion):
            digest.update(question.model_dump_json(exclude=_ASKED_OF_PROGRAM).encode())
            continue
        data = question.model_dump(mode="json", include=set(_ASKED))
        digest.update(repr({name: data[name] for name in _ASKED}).encode())
        for check in checks[question.slug]:
            digest.update(repr((check.hidden, check.call, check.expected)).encode())
    return digest.hexdigest()[:8]


_TITLE = patterns.compile(r"\s*(?:>>>\s*)?#\s*(.*)")
_DOCTEST_LINE = patterns.compile(r"(?s)line (\d+) of the docstring for \S+ (.*)")


MOST_MISTAKES: Final = 50  # that are listed at once


class ExampleError(AuthorError):
    """A mistake in a question's examples."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__("examples.txt", line, problem)

    def __str__(self) -> str:
        return f"Line {self.line} of the examples: {self.problem}"


@in_reader(lambda message: ExampleError(1, message))
def parse_examples(text: SentText, function: str, parameters: Sequence[str] = (), prints: bool = False) -> list[Case]:
    """Parse the cases in a doctest text, all of which must call `function`. `parameters` are the function's parameters
    in order, which determine the positions of keyword arguments. With `prints`, the lines below a call are the
    expected output; a line `<BLANKLINE>` stands for an empty line. Raises ExampleError."""
    try:
        examples = DocTestParser().get_examples(text)
    except ValueError as error:
        found = _DOCTEST_LINE.match(str(error))
        raise (ExampleError(int(found[1]), found[2]) if found else ExampleError(1, str(error))) from None
    lines, cases, wrong = text.expandtabs().split("\n"), list[Case](), list[ExampleError]()
    for example in examples:
        try:
            cases.append(_as_case(example, lines, function, parameters, prints))
        except ExampleError as error:
            wrong.append(error)
    if wrong:
        wrong[0].more = [(each.line, each.problem) for each in wrong[1:MOST_MISTAKES]]
        raise wrong[0]
    return cases


def _as_case(example: Example, lines: Sequence[str], function: str, parameters: Sequence[str], prints: bool) -> Case:
    line = example.lineno + 1
    call, printed = _call_in(example.source, line)
    if not isinstance(call.func, ast.Name) or call.func.id != function:
        raise ExampleError(line, f"this must be a call to {function}, not to {ast.unparse(call.func)}.")
    args = [_literal(arg, line) for arg in call.args]
    args += _placed(call.keywords, parameters[len(args) :], line)
    shown = patterns.compile("(?m)^<BLANKLINE>$").sub("", example.want)
    expected = shown if prints else _expected(example.want, printed, line)
    title = _TITLE.fullmatch(lines[example.lineno - 1]) if example.lineno else None  # the comment on the line above
    return Case(tuple(args), expected, title[1].strip() if title else "")


def _call_in(source: str, line: int) -> tuple[ast.Call, bool]:
    """Return the call in an example, and whether it is inside `print(...)`."""
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
    """Return the values of the keyword arguments, in the order of the parameters without positional arguments."""
    given = {keyword.arg: _literal(keyword.value, line) for keyword in keywords}
    wanted = free[: len(given)]
    if set(given) != set(wanted):
        names = ", ".join(str(name) for name in given)
        why = f"the positions of the arguments {names} are not known. Write them without their names."
        raise ExampleError(line, why)
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
            return text  # printed strings have no quotes
        raise ExampleError(line, f"write the return value of the call as a Python value, not as: {text}") from None
