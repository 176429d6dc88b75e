"""A report as it is stored, and what of it a student may see."""

from dataclasses import replace

from grader.definition.question import Shows
from grader.grading.report import QuestionReport, Report
from sandbox.api import Verdict

KEPT_FAILURES = 20
"""Failing hidden cases of a question that are stored."""

KEPT_OUTPUT = 4000
"""Characters of what a player printed in one case that are stored."""


def trim(report: Report) -> Report:
    """The report as it is stored and shown: every example, and of the hidden cases only the first that failed."""
    return replace(report, questions=[_trim_question(question) for question in report.questions])


def _trim_question(question: QuestionReport) -> QuestionReport:
    examples = [case for case in question.cases if not case.hidden]
    run = [case for case in examples if case.verdict is not Verdict.NOT_RUN]
    failures = [case for case in question.cases if case.hidden and case.failed]
    not_run = [case for case in examples if case.verdict is Verdict.NOT_RUN]
    kept = (*run, *failures[:KEPT_FAILURES], *not_run)
    return replace(
        question,
        cases=[
            replace(case, output=case.output[:KEPT_OUTPUT], flood=True) if len(case.output) > KEPT_OUTPUT else case
            for case in kept
        ],
    )


def for_student(report: Report) -> Report:
    """What a student may see of a stored report: of the hidden cases only what each question shows of them."""
    return replace(report, questions=[_shown(question) for question in report.questions])


def _shown(question: QuestionReport) -> QuestionReport:
    examples = [case for case in question.cases if not case.hidden]
    hidden = [case for case in question.cases if case.hidden]
    match question.shows:
        case Shows.ALL:
            return question
        case Shows.SMALLEST:
            hidden = hidden[:1]
        case Shows.TWIN:
            hidden = [question.twin] if question.twin else []
        case Shows.NUMBER:
            hidden = []
    return replace(question, cases=examples + hidden)
