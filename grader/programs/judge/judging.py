"""Says whether what a program printed is right, whatever the question compares it with.

An author's own checker runs in the jail of authors, and a validator in a program jail of its own: neither is ever
together with a student's program.
"""

from contextlib import ExitStack
from typing import Self

from grader.authoring.checker import CheckerProcess
from grader.definition.programs import OutputChecker, ProgramCase, ProgramQuestion, Validator
from grader.programs.jails import ProgramJails
from grader.programs.judge.comparing import RIGHT, OutputJudgement, judge_text
from grader.programs.judge.validating import OutputValidator
from sandbox.api import SentBytes

REFUSED = "What your program prints is not right."


class Judging:
    """How the output of one question's cases is judged. Close it after a grading."""

    def __init__(self, question: ProgramQuestion, jails: ProgramJails) -> None:
        self._stack = ExitStack()
        self._comparator = question.comparator
        self._checker: CheckerProcess | None = None
        self._validator: OutputValidator | None = None
        if isinstance(self._comparator, OutputChecker):
            self._checker = CheckerProcess(jails.authors, self._comparator.source, takes=3)
            self._stack.callback(self._checker.close)
        elif isinstance(self._comparator, Validator):
            self._validator = self._stack.enter_context(OutputValidator(self._comparator, jails))

    def judge(self, case: ProgramCase, printed: SentBytes) -> OutputJudgement:
        """Judge the output of one run. Raises AuthorError for a mistake in a checker or a validator, and SandboxError:
        neither is the student's."""
        if self._checker:
            said = self._checker.says(case.input, case.output, printed.decode("utf-8", "replace"))
            return RIGHT if said is True else OutputJudgement(False, said or REFUSED)
        if self._validator:
            said = self._validator.says(case, printed)
            return RIGHT if said is True else OutputJudgement(False, said or REFUSED)
        return judge_text(self._comparator, case.output, printed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()
