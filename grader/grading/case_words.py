"""Describes a report's cases in terms of their game: gives each case a title, and explains why the right answer is
right. The descriptions are generated when cases are shown and never stored, so stored cases stay the same when
descriptions change."""

from ast import Call, literal_eval, parse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from grader.grading.report import QuestionReport, Report
from grader.programs.shown import CaseResult
from tournament.games.api import CaseWords, Game

Words: TypeAlias = Callable[[str, Sequence[Any], Any], CaseWords]

_LONGEST = 20_000  # the longest call or value that is parsed, in characters


def worded(report: Report, game: Game[Any] | None) -> Report:
    """Return the report with titles and reasons for the cases of its function questions."""
    words = words_of(game) if game else None
    return replace(report, questions=[_worded_question(each, words) for each in report.questions])


def _worded_question(question: QuestionReport, words: Words | None) -> QuestionReport:
    if question.build is not None:
        return question
    told = partial(_worded_case, question, words)
    twin = told(question.twin) if question.twin else None
    cases, more = ([told(case) for case in each] for each in (question.cases, question.more_twins))
    return replace(question, cases=cases, twin=twin, more_twins=more)


def _worded_case(question: QuestionReport, words: Words | None, case: CaseResult) -> CaseResult:
    args = _arguments(case.call) if words else None
    told = CaseWords() if words is None or args is None else _told(words, question.function, args, _value(case.got))
    why = told.why if case.got and case.failed else ""
    return replace(case, title=case.title or told.title or question.title, why=why)


def _arguments(call: str) -> Sequence[Any] | None:
    """Parse the arguments of a call; None if the text of the call was cut short."""
    try:
        tree = parse(call[:_LONGEST], mode="eval").body
        return [literal_eval(each) for each in tree.args] if isinstance(tree, Call) else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _value(text: str) -> Any:
    try:
        return literal_eval(text[:_LONGEST])
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def words_of(game: Game[Any]) -> Words | None:
    """Return the function `case_words(function, args, got)` of the game's module `case_words`, if that module exists.
    The game itself does not import the module, because kits contain the game and the module can reveal answers to
    questions."""
    name = f"{getattr(game, '__name__', '')}.case_words"
    try:
        words: Words = import_module(name).case_words
    except Exception:  # noqa: BLE001 - a missing or failing module must not prevent a report
        return None
    return words


def _told(words: Words, function: str, args: Sequence[Any], got: Any) -> CaseWords:
    try:
        return words(function, args, got)
    except Exception:  # noqa: BLE001 - an author's own question can pass any arguments to a function of this name
        return CaseWords()
