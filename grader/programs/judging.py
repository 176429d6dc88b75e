"""Says whether what a program printed is right, whatever the question compares it with.

An author's own checker runs in the jail of authors, and a validator in a program jail of its own: neither is ever
together with a student's program. Validators are called as problem packages have them: `validator INPUT ANSWER
FEEDBACK_FOLDER FLAGS… < printed`. Their exit code says whether the output is right. What they write for teams is shown
to students, and what they write for judges only with cases that students see anyway.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Final, Self

from grader.author_code.authored import AuthorError
from grader.author_code.checker import CheckerProcess
from grader.comparing.outputs import RIGHT, OutputJudgement, TextComparator, readable
from grader.definition.question import OutputChecker, ProgramCase, ProgramQuestion, Validator
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.building import compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import Jails
from grader.programs.upload import Merged
from sandbox.api import SentBytes
from sandbox.programs import Command, Ended, ProgramJail, ProgramLimits, Stop
from sandbox.visible import visible_line

NAME: Final = "validator"
ACCEPTS, REFUSES = 42, 43
LIMITS: Final = ProgramLimits(cpu_s=20.0, wall_s=40.0, memory=1 << 30)

_INPUT, _ANSWER = "quadrille.in", "quadrille.ans"
_FEEDBACK: Final = "feedback"
_FOR_TEAMS, _FOR_JUDGES = f"{_FEEDBACK}/teammessage.txt", f"{_FEEDBACK}/judgemessage.txt"
_LONGEST: Final = 300


class OutputValidator:
    """A validator, compiled when it is first asked, in a jail of its own."""

    def __init__(self, validator: Validator, jails: Jails) -> None:
        self._validator = validator
        self._language = LANGUAGES[validator.language]
        self._jails = replace(jails, owner="")
        self._stack = ExitStack()
        self._jail: ProgramJail | None = None
        self._files: Mapping[str, bytes] = {}

    def says(self, case: ProgramCase, printed: bytes) -> bool | str:
        """True if the output is right; if it is not, False or the reason. Raises AuthorError and SandboxError."""
        jail = self._jail or self._open()
        self._jails.working("judging the output")
        ended = jail.run(self._command(case, printed))
        if ended.stop is not Stop.EXITED or ended.code not in (ACCEPTS, REFUSES):
            raise AuthorError(NAME, None, _failure(case, ended))
        if ended.code == ACCEPTS:
            return True
        kinds = (_FOR_TEAMS,) if case.hidden else (_FOR_TEAMS, _FOR_JUDGES)
        reasons = (visible_line(readable(SentBytes(ended.kept.get(kind, b""))).strip()) for kind in kinds)
        return next((each[:_LONGEST] for each in reasons if each), False)

    def _command(self, case: ProgramCase, printed: bytes) -> Command:
        files = {**self._files, _INPUT: case.input.encode(), _ANSWER: case.output.encode(), _FOR_JUDGES: b""}
        sources = list(filter(self._language.is_source, self._validator.files))
        return Command(
            argv=(
                *self._language.run(sources[0] if len(sources) == 1 else ""),
                _INPUT,
                _ANSWER,
                f"{_FEEDBACK}/",
                *self._validator.flags,
            ),
            files=files,
            executable=frozenset({BINARY} if self._language.compiled else ()),
            stdin=printed,
            kept=(_FOR_TEAMS, _FOR_JUDGES),
            tools=() if self._language.compiled else (self._language.tool,),
            limits=LIMITS,
        )

    def _open(self) -> ProgramJail:
        jail = self._stack.enter_context(self._jails.programs().open())
        files = {path: text.encode() for path, text in self._validator.files.items()}
        if self._language.compiled:
            handed_out = Merged(files, frozenset(files), [], [])
            compiler = Compiler(self._language, (), handed_out, self._jails, jail)
            made = compiled(compiler, compiler.sources)
            if not made.files:
                raise AuthorError(NAME, None, "It does not compile.", made.log)
            files = dict(made.files)
        self._jail, self._files = jail, files
        return jail

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._jail = None
        self._stack.close()


def _failure(case: ProgramCase, ended: Ended) -> str:
    """What is wrong with a validator that gives no answer."""
    ends = (
        f"ended with the exit code {ended.code}" if ended.stop is Stop.EXITED else f"was stopped ({ended.stop.value})"
    )
    errors = visible_line(readable(SentBytes(ended.stderr)).strip())[:_LONGEST]
    more = f" It printed: {errors}" if errors else ""
    return f"On the case {case.slug} it {ends}; it must exit with {ACCEPTS} (right) or {REFUSES} (wrong).{more}"


REFUSED = "What your program prints is not right."


class Judging:
    """How the output of one question's cases is judged. Close it after a grading."""

    def __init__(self, question: ProgramQuestion, jails: Jails) -> None:
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
        assert isinstance(self._comparator, TextComparator)  # noqa: S101 - there are no others
        return self._comparator.judge(case.output, printed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()
