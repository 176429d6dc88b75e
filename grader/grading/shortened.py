"""A report as it is stored, and what of it a student may see.

A player can put all that its process was given into whatever comes back: values, texts of exceptions, output, and
times. So a student sees what came out of processes that got no hidden case, and this alone of the others, here and on
pages, in the API, in tests to download and in notices:

- how many hidden cases of a question passed, and what follows from that: points, and whether a gate is open;
- with which verdicts the others failed, and why some were not run, unless the question shows only their number;
- whether a similar case, which is never one of the graded, is shown; or which of them is the smallest that fails, where
  the question shows that;
- everything, where the question shows all that fail.
"""

from collections import Counter
from dataclasses import replace

from grader.definition.question import Shows
from grader.grading.report import CaseResult, QuestionReport, Report
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
    """What a student may see of a stored report. The version of the questions is a digest, by which hidden cases could
    be guessed."""
    return replace(report, questions=[_shown(question) for question in report.questions], questions_version="")


def _shown(question: QuestionReport) -> QuestionReport:
    if question.shows is Shows.ALL:
        return question
    examples = [case for case in question.cases if not case.hidden]
    verdicts, stopped, shown = question.verdicts, question.stopped, list[CaseResult]()
    match question.shows:
        case Shows.NUMBER:
            verdicts = Counter(case.verdict.value for case in examples) | Counter({Verdict.AC.value: question.passed})
            stopped = next((case.message for case in examples if case.verdict is Verdict.NOT_RUN), "")
        case Shows.TWIN | Shows.SMALLEST if question.twin:
            shown = [question.twin]
        case Shows.SMALLEST if question.build:  # each run of a program is a process of its own
            shown = [case for case in question.cases if case.hidden][:1]
    # In order: the one in which they came tells more
    return replace(question, cases=examples + shown, verdicts=dict(sorted(verdicts.items())), stopped=stopped)
