"""Words a report's cases in terms of their game: a title for each case, and why the right answer is right. The words
are made when the cases are shown, and are not stored, so stored cases do not change when the words do."""

from ast import Call, literal_eval, parse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from grader.grading.report import QuestionReport, Report
from grader.programs.shown import CaseResult
from tournament.games.api import CaseWords, Game

_LONGEST = 20_000  # characters of a call or value that are read


def worded(report: Report, game: Game[Any] | None) -> Report:
    """The report with titles and reasons for the cases of its function questions."""
    return replace(report, questions=[_worded_question(each, game) for each in report.questions])


def _worded_question(question: QuestionReport, game: Game[Any] | None) -> QuestionReport:
    if question.build is not None:
        return question
    words = partial(_worded_case, question, game)
    twin = words(question.twin) if question.twin else None
    cases, more = ([words(case) for case in each] for each in (question.cases, question.more_twins))
    return replace(question, cases=cases, twin=twin, more_twins=more)


def _worded_case(question: QuestionReport, game: Game[Any] | None, case: CaseResult) -> CaseResult:
    args = _arguments(case.call)
    told = case_words(game, question.function, args, _value(case.got)) if game and args is not None else None
    why = told.why if told and case.got and case.failed else ""
    return replace(case, title=case.title or (told.title if told else "") or question.title, why=why)


def _arguments(call: str) -> Sequence[Any] | None:
    """The arguments of a call; None if its text was cut short."""
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


def case_words(game: Game[Any], function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """What the game says about a call. The words come from `case_words(function, args, got)` in its module
    `case_words`, if it has one. The game itself does not import that module, which may know the answers to questions,
    because kits contain the game."""
    name = f"{getattr(game, '__name__', '')}.case_words"
    try:
        words: CaseWords = import_module(name).case_words(function, args, got)
        return words
    except ModuleNotFoundError:
        return CaseWords()
    except Exception:  # noqa: BLE001 - an author's own question may pass anything to a function of this name
        return CaseWords()
