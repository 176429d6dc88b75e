"""What a student should do about a case that failed, in one line. Code in it stands between backticks."""

from typing import Final

from grader.definition.question import label
from grader.grading.messages import PRINTED_INSTEAD, meaning
from grader.grading.python_words import code, explained, traced
from grader.grading.report import CaseResult, QuestionReport
from grader.programs.shown import Build
from sandbox.api import Verdict

_KINDS: Final = {
    "[": "a list",
    "(": "a tuple",
    "{": "a dictionary or set",
    "s": "a set",
    "'": "a string",
    '"': "a string",
    "T": "a boolean",
    "F": "a boolean",
    "N": "None",
}
"""What a value is called, by the first character of its text."""


def headline(question: QuestionReport, case: CaseResult) -> str:
    """What to do about a case that failed, such as `Syntax error, line 27: a colon is missing after …`. It ends without
    a full stop."""
    title, end = meaning(case.verdict, question.build is not None).title, traced(case.traceback)
    if question.build:
        return _of_program(question.build, case, title)
    match case.verdict:
        case Verdict.MISSING if case.meant:
            return f"{label(question.slug)} needs `{question.function}`; you have `{case.meant}`: rename it?"
        case Verdict.SYNTAX | Verdict.RTE if case.line and (words := explained(end, case.line)):
            return words
        case Verdict.TLE | Verdict.WTLE | Verdict.MLE if case.line:
            return f"{title} on line {case.line}" + (f": {code(end.source)}" if end.source else "")
        case Verdict.SYNTAX | Verdict.RTE | Verdict.MISSING | Verdict.BLOCKED | Verdict.EXIT:
            return case.message.removesuffix(".")
        case Verdict.WA if case.expected in ("True", "False"):
            return f"Returns {case.got} where {case.expected} is right"
        case Verdict.TYPE if case.message == PRINTED_INSTEAD:
            return "Prints the answer instead of returning it"
        case Verdict.TYPE if case.got == "None":
            return "Returns None: is a return statement missing?"
        case Verdict.TYPE:
            return _of_types(case)
        case Verdict.WA if case.call:
            return f"{title}: follow the call shown step by step"
    return title


def _of_types(case: CaseResult) -> str:
    expected, got = (_KINDS.get(value[:1], "a number") for value in (case.expected, case.got))
    if not case.got or expected == got:
        return "A value has the wrong type: compare what is expected with what you return"
    return f"Returns {got} where {expected} is right"


def _of_program(build: Build, case: CaseResult, title: str) -> str:
    if build.diagnostics and not build.built:
        first = build.diagnostics[0]
        return f"{title}: {first.file}, line {first.line}: {(first.plain or first.message).removesuffix('.')}"
    return f"{title} at {code(case.run.where)}" if case.run and case.run.where else title
