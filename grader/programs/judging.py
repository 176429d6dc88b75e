"""Says whether what a program printed is right, whatever the question compares it with, and for a beginner, where it
first differs.

Line ends are one character, however they are written. Bytes that are no text are equal to nothing that is expected.
Comparing takes time in proportion to the lengths of the two texts.

An author's own checker runs in the jail of authors, and a validator in a program jail of its own: neither is ever
together with a student's program. Validators are called as problem packages have them: `validator INPUT ANSWER
FEEDBACK_FOLDER FLAGS… < printed`. Their exit code says whether the output is right. What they write for teams is shown
to students, and what they write for judges only with cases that students see anyway.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from typing import Final, NamedTuple, Self

from grader.author_code.authored import AuthorError
from grader.author_code.checker import CheckerProcess
from grader.definition.question import (
    OutputChecker,
    OutputComparator,
    ProgramCase,
    ProgramQuestion,
    SameLines,
    SameNumbers,
    SameText,
    Validator,
)
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.building import compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import Jails
from grader.programs.marking import CONTEXT, WHITE, count, difference_of, line_message, quote, readable_text
from grader.programs.shown import OutputDifference
from grader.programs.upload import Merged
from sandbox.api import SentBytes
from sandbox.programs import Command, Ended, ProgramJail, ProgramLimits, Stop
from sandbox.visible import visible_line

_SPACES: Final = str.maketrans(dict.fromkeys(WHITE, " "))
_LONGEST_NUMBER: Final = 400


@dataclass(frozen=True, slots=True)
class OutputJudgement:
    """Whether the output is right; if it is not, a sentence, and where a comparison found it, the first difference."""

    right: bool
    message: str = ""
    difference: OutputDifference | None = None


RIGHT: Final = OutputJudgement(True)


def readable(output: SentBytes) -> str:
    """What a program printed as text that may be kept and shown: bytes that are no UTF-8 and control characters are
    written out, as in `\\xff`."""
    return readable_text(_text(output))


def judge_text(comparator: OutputComparator, expected: str, printed: SentBytes) -> OutputJudgement:
    """Compare by a comparator that is not a program of the author's. Raises ValueError for one that is."""
    if isinstance(comparator, OutputChecker | Validator):
        raise ValueError(f"{comparator.kind} is a program of the author's, see grader.programs.judging")
    ours, theirs = expected.replace("\r\n", "\n"), _text(printed)
    if ours == theirs:
        return RIGHT
    if isinstance(comparator, SameText):
        return _by_line(_lines(ours), _lines(theirs))
    if isinstance(comparator, SameLines):
        return _by_line(_stripped(ours), _stripped(theirs))
    if isinstance(comparator, SameNumbers):
        return _by_word(ours, theirs, comparator)
    return _by_word(ours, theirs, SameNumbers(relative=0, absolute=0, case_sensitive=comparator.case_sensitive))


def _text(output: bytes) -> str:
    """Bytes that are no UTF-8 become characters that no expected text has."""
    return output.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _lines(text: str) -> list[str]:
    """The lines with their ends."""
    return list(StringIO(text, newline="\n"))


def _stripped(text: str) -> list[str]:
    """The lines without the white space at their ends, and without empty ones at the end."""
    lines = [line.rstrip(WHITE) for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _by_line(expected: list[str], printed: list[str]) -> OutputJudgement:
    pairs = zip(expected, printed, strict=False)
    shorter = min(len(expected), len(printed))
    at = next((at for at, (ours, theirs) in enumerate(pairs) if ours != theirs), shorter)
    if at == len(expected) == len(printed):
        return RIGHT
    if at + 1 == shorter < max(len(expected), len(printed)) and _only_ends_differ(expected[at], printed[at]):
        at += 1  # the line end that is missing is nothing beside the lines that are
    ours = expected[at] if at < len(expected) else None
    theirs = printed[at] if at < len(printed) else None
    found = difference_of(at + 1, ours, theirs, printed[max(0, at - CONTEXT) : at])
    return OutputJudgement(False, line_message(expected, printed, at), found)


def _only_ends_differ(ours: str, theirs: str) -> bool:
    return ours.removesuffix("\n") == theirs.removesuffix("\n")


class _Piece(NamedTuple):
    """A word, or the white space between two, and where in the text it begins and ends."""

    text: str
    start: int
    end: int

    @property
    def is_space(self) -> bool:
        return self.text[0] in WHITE


def _by_word(expected: str, printed: str, comparator: SameNumbers) -> OutputJudgement:
    spaces = comparator.space_change_sensitive
    ours, theirs = _words(expected, spaces), _words(printed, spaces)
    pairs = zip(ours, theirs, strict=False)
    shorter = min(len(ours), len(theirs))
    at = next((at for at, pair in enumerate(pairs) if not _same(*pair, comparator)), shorter)
    if at == len(ours) == len(theirs):
        return RIGHT
    wanted, got = _piece(expected, spaces, at), _piece(printed, spaces, at)
    found = _word_difference(expected, wanted, printed, got)
    if wanted is None or got is None or wanted.is_space or got.is_space:
        rest = (ours if got is None else theirs)[at:]
        return OutputJudgement(False, _shape_message(found.line, wanted, got, rest), found)
    return OutputJudgement(False, _word_message(found.line, wanted.text, got.text, comparator), found)


def _words(text: str, spaces: bool) -> list[str]:
    """The words, and if `spaces`, the white space between them."""
    if spaces:
        return [each.text for each in _pieces(text, spaces)]
    return [each for each in text.translate(_SPACES).split(" ") if each]


def _pieces(text: str, spaces: bool) -> Iterator[_Piece]:
    """The same with their places."""
    at = 0
    for word in _words(text, spaces=False):
        start = text.index(word, at)
        if spaces and start > at:
            yield _Piece(text[at:start], at, start)
        at = start + len(word)
        yield _Piece(word, start, at)
    if spaces and at < len(text):
        yield _Piece(text[at:], at, len(text))


def _same(ours: str, theirs: str, comparator: SameNumbers) -> bool:
    if ours == theirs or (not comparator.case_sensitive and ours.lower() == theirs.lower()):
        return True
    wanted, got = _number(ours, comparator), _number(theirs, comparator)
    if wanted is None or got is None:
        return False
    error = abs(wanted - got)
    near = error <= comparator.absolute or error <= comparator.relative * abs(wanted)
    return wanted == got or (near and math.isfinite(wanted)) or (math.isnan(wanted) and math.isnan(got))


def _number(word: str, comparator: SameNumbers) -> float | None:
    """The number that a word is, if numbers are compared as such: without any tolerance they are words."""
    plain = word.isascii() and word.isprintable() and "_" not in word  # what else Python takes for a number
    if not (comparator.relative or comparator.absolute) or len(word) > _LONGEST_NUMBER or not plain:
        return None
    try:
        return float(word)
    except ValueError:
        return None


def _piece(text: str, spaces: bool, at: int) -> _Piece | None:
    return next(islice(_pieces(text, spaces), at, None), None)


def _word_difference(expected: str, wanted: _Piece | None, printed: str, got: _Piece | None) -> OutputDifference:
    ours, our_marks, _ = _line_around(expected, wanted)
    theirs, their_marks, line = _line_around(printed, got)
    before = printed[: printed.rfind("\n", 0, got.start) + 1 if got else len(printed)].rstrip("\n")
    above = before.rsplit("\n", CONTEXT)[-CONTEXT:] if before else []
    return difference_of(line, ours, theirs, above, our_marks, their_marks)


def _line_around(text: str, piece: _Piece | None) -> tuple[str | None, tuple[int, int], int]:
    """The line in which a piece begins, where it is in it, and the line's number. Without a piece, the line after the
    last one."""
    if piece is None:
        return None, (0, 0), text.rstrip("\n").count("\n") + (2 if text else 1)
    start = text.rfind("\n", 0, piece.start) + 1
    end = text.find("\n", piece.start)
    end = len(text) if end < 0 else end + piece.is_space
    return text[start:end], (piece.start - start, min(piece.end, end) - start), text.count("\n", 0, start) + 1


def _shape_message(line: int, wanted: _Piece | None, got: _Piece | None, rest: Sequence[str]) -> str:
    """One text has a word, and the other has white space or nothing."""
    words = sum(piece[0] not in WHITE for piece in rest)
    if got is None and words:
        after = f"You stop after line {line - 1:,}" if line > 1 else "Your program prints nothing"
        return f"{after}; {count(words, 'word')} {'is' if words == 1 else 'are'} missing."
    if wanted is None and words:
        return f"You print {count(words, 'word')} more than expected, from line {line:,} on."
    if got is None:
        return "The spaces or line ends after your last word are missing."
    if wanted is None:
        return "You print spaces or line ends after the last word that should not be there."
    return f"Line {line:,} differs in its spaces or line ends, which count here."


def _word_message(line: int, wanted: str, got: str, comparator: SameNumbers) -> str:
    ours, theirs = quote(wanted), quote(got)
    if _number(wanted, comparator) is not None:
        if _number(got, comparator) is None:
            return f"Line {line:,} has {theirs} where the number {ours} is expected."
        allowed = [f"{comparator.absolute:g}"] if comparator.absolute else []
        allowed += [f"{comparator.relative:g} of the value"] if comparator.relative else []
        return f"Line {line:,} has {theirs}, expected {ours}; a difference of up to {' or '.join(allowed)} is accepted."
    if wanted.lower() == got.lower():
        return f"Line {line:,} has {theirs}, expected {ours}: capital and small letters are not the same here."
    return f"Line {line:,} has {theirs} where {ours} is expected."


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
        return judge_text(self._comparator, case.output, printed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()
