"""Compares a program's output with the expected output, and explains to beginners where the two first differ. Each
comparator is one class. To add a comparator, write a class and add it to `OutputComparator` in
`grader.definition.question`, which also defines the comparators that run an author's own program.

A line end counts as one character, even in Windows form. Bytes that are not text never match the expected output. The
time for a comparison is proportional to the lengths of the texts.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import ClassVar, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from grader.comparing.judging import Tolerance
from grader.comparing.marking import (
    CONTEXT,
    WHITE,
    OutputDifference,
    common,
    count,
    difference_of,
    line_message,
    quote,
    readable_text,
)
from sandbox.api import SentBytes

_SPACES: Final = str.maketrans(dict.fromkeys(WHITE, " "))
_LONGEST_NUMBER: Final = 400


@dataclass(frozen=True, slots=True)
class OutputJudgement:
    """Whether the output is right. If it is wrong, `message` says why, and `difference` is the first difference, if
    known."""

    right: bool
    message: str = ""
    difference: OutputDifference | None = None


RIGHT: Final = OutputJudgement(True)


class OutputComparatorModel(BaseModel):
    """A way to compare output, with its parameters. `chosen` is its name in the editor, as the end of a sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chosen: ClassVar[str]


class TextComparator(OutputComparatorModel):
    """A comparator that compares texts itself, without an author's program."""

    def judge(self, expected: str, printed: SentBytes) -> OutputJudgement:
        """Judge whether the printed output is right."""
        ours, theirs = expected.replace("\r\n", "\n"), _decoded_text(printed)
        return RIGHT if ours == theirs else self.compare(ours, theirs)

    def compare(self, expected: str, printed: str) -> OutputJudgement:
        """Judge two texts that are not identical."""
        raise NotImplementedError


class SameText(TextComparator):
    """All characters are equal; only the form of line ends may differ."""

    chosen = "exactly the same, character by character"

    kind: Literal["exact"] = "exact"

    def compare(self, expected: str, printed: str) -> OutputJudgement:
        return _by_line(_lines_with_ends(expected), _lines_with_ends(printed))


class SameLines(TextComparator):
    """Lines are equal, ignoring spaces at their ends and empty lines at the end."""

    chosen = "the same, ignoring spaces at the ends of lines and empty lines at the end"

    kind: Literal["lines"] = "lines"

    def compare(self, expected: str, printed: str) -> OutputJudgement:
        return _by_line(_stripped(expected), _stripped(printed))


class SameTokens(TextComparator):
    """Words and their order are equal, ignoring the kind and amount of white space."""

    chosen = "the same words in the same order"

    kind: Literal["tokens"] = "tokens"
    case_sensitive: bool = Field(
        default=True, title="Upper and lower case must match (when comparing words or numbers)"
    )

    def compare(self, expected: str, printed: str) -> OutputJudgement:
        exact = SameNumbers(relative=0, absolute=0, case_sensitive=self.case_sensitive)
        return _by_word(expected, printed, exact)


class SameNumbers(TextComparator):
    """Words and their order are equal, except that numbers may differ by `absolute` or by `relative` times the expected
    number. White space must be equal only if `space_change_sensitive` is true."""

    chosen = "the same words, but numbers may differ slightly"

    kind: Literal["numbers"] = "numbers"
    relative: float = Field(
        default=1e-9,
        ge=0,
        lt=1,
        title="Numbers may differ by this fraction of the expected number",
        description="Usually 1e-9.",
    )
    absolute: float = Field(default=0.0, ge=0, allow_inf_nan=False, title="or by this amount", description="Usually 0.")
    case_sensitive: bool = True
    space_change_sensitive: bool = Field(default=False, title="White space must be the same (when comparing numbers)")

    def compare(self, expected: str, printed: str) -> OutputJudgement:
        return _by_word(expected, printed, self)


def readable(output: SentBytes) -> str:
    """Decode a program's output for storing and showing. Control characters and bytes that are not UTF-8 become
    `\\xff`."""
    return readable_text(_decoded_text(output))


def _decoded_text(output: bytes) -> str:
    """Decode output. Bytes that are not UTF-8 become characters that no expected text contains."""
    return output.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _lines_with_ends(text: str) -> list[str]:
    return list(StringIO(text, newline="\n"))


def _stripped(text: str) -> list[str]:
    """Return the lines without white space at their ends, and without empty lines at the end of the text."""
    lines = [line.rstrip(WHITE) for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _by_line(expected: list[str], printed: list[str]) -> OutputJudgement:
    at = common(expected, printed)
    if at == len(expected) == len(printed):
        return RIGHT
    last = at + 1 == min(len(expected), len(printed)) < max(len(expected), len(printed))
    if last and expected[at].removesuffix("\n") == printed[at].removesuffix("\n"):
        at += 1  # a missing line end matters less than missing lines
    ours = expected[at] if at < len(expected) else None
    theirs = printed[at] if at < len(printed) else None
    found = difference_of(at + 1, ours, theirs, printed[max(0, at - CONTEXT) : at])
    return OutputJudgement(False, line_message(expected, printed, at), found)


class _Piece(NamedTuple):
    """A word, or the white space between two words, with the indexes of its start and end in the text."""

    text: str
    start: int
    end: int

    @property
    def is_space(self) -> bool:
        return self.text[0] in WHITE


def _by_word(expected: str, printed: str, comparator: SameNumbers) -> OutputJudgement:
    spaces = comparator.space_change_sensitive
    ours, theirs = _words_of(expected, spaces), _words_of(printed, spaces)
    pairs = zip(ours, theirs, strict=False)
    shorter = min(len(ours), len(theirs))
    at = next((at for at, pair in enumerate(pairs) if not _same_word(*pair, comparator)), shorter)
    if at == len(ours) == len(theirs):
        return RIGHT
    wanted, got = (next(islice(_pieces(text, spaces), at, None), None) for text in (expected, printed))
    found = _word_difference(expected, wanted, printed, got)
    if wanted is None or got is None or wanted.is_space or got.is_space:
        rest = (ours if got is None else theirs)[at:]
        return OutputJudgement(False, _shape_message(found.line, wanted, got, rest), found)
    return OutputJudgement(False, _word_message(found.line, wanted.text, got.text, comparator), found)


def _words_of(text: str, spaces: bool) -> list[str]:
    """Return the words of a text and, if `spaces` is true, the white space between them."""
    if spaces:
        return [each.text for each in _pieces(text, spaces)]
    return [each for each in text.translate(_SPACES).split(" ") if each]


def _pieces(text: str, spaces: bool) -> Iterator[_Piece]:
    """Yield the words of a text and, if `spaces` is true, the white space between them, with their indexes."""
    at = 0
    for word in _words_of(text, spaces=False):
        start = text.index(word, at)
        if spaces and start > at:
            yield _Piece(text[at:start], at, start)
        at = start + len(word)
        yield _Piece(word, start, at)
    if spaces and at < len(text):
        yield _Piece(text[at:], at, len(text))


def _same_word(ours: str, theirs: str, comparator: SameNumbers) -> bool:
    if ours == theirs or (not comparator.case_sensitive and ours.lower() == theirs.lower()):
        return True
    wanted, got = _number_of(ours, comparator), _number_of(theirs, comparator)
    if wanted is None or got is None:
        return False
    error = abs(wanted - got)
    near = error <= comparator.absolute or error <= comparator.relative * abs(wanted)
    return wanted == got or (near and math.isfinite(wanted)) or (math.isnan(wanted) and math.isnan(got))


def _number_of(word: str, comparator: SameNumbers) -> float | None:
    """Return the value of a word that is a number; None for other words, and for all words if the comparator has no
    tolerance."""
    plain = word.isascii() and word.isprintable() and "_" not in word  # Python also accepts other texts as numbers
    if not (comparator.relative or comparator.absolute) or len(word) > _LONGEST_NUMBER or not plain:
        return None
    try:
        return float(word)
    except ValueError:
        return None


def _word_difference(expected: str, wanted: _Piece | None, printed: str, got: _Piece | None) -> OutputDifference:
    ours, our_marks, _ = _line_around(expected, wanted)
    theirs, their_marks, line = _line_around(printed, got)
    before = printed[: printed.rfind("\n", 0, got.start) + 1 if got else len(printed)].rstrip("\n")
    above = before.rsplit("\n", CONTEXT)[-CONTEXT:] if before else []
    return difference_of(line, ours, theirs, above, our_marks, their_marks)


def _line_around(text: str, piece: _Piece | None) -> tuple[str | None, tuple[int, int], int]:
    """Return the line in which a piece starts, the range of the piece in that line, and the line's number. If `piece`
    is None, return None, an empty range, and the number after the last line's."""
    if piece is None:
        return None, (0, 0), text.rstrip("\n").count("\n") + (2 if text else 1)
    start = text.rfind("\n", 0, piece.start) + 1
    end = text.find("\n", piece.start)
    end = len(text) if end < 0 else end + piece.is_space
    return text[start:end], (piece.start - start, min(piece.end, end) - start), text.count("\n", 0, start) + 1


def _shape_message(line: int, wanted: _Piece | None, got: _Piece | None, rest: Sequence[str]) -> str:
    """Return the message for a place where one text has a word and the other has white space or nothing, or where white
    space differs."""
    words = sum(piece[0] not in WHITE for piece in rest)
    if got is None and words:
        after = f"Your output stops after line {line - 1:,}" if line > 1 else "Your program prints nothing"
        return f"{after}; {count(words, 'word')} {'is' if words == 1 else 'are'} missing."
    if wanted is None and words:
        return f"You print {count(words, 'word')} more than expected, from line {line:,} on."
    if got is None:
        return "The spaces or line ends after your last word are missing."
    if wanted is None:
        return "You print spaces or line ends after the last word that should not be there."
    return f"Line {line:,} differs in its spaces or line endings, which matter here."


def _word_message(line: int, wanted: str, got: str, comparator: SameNumbers) -> str:
    ours, theirs = quote(wanted), quote(got)
    if _number_of(wanted, comparator) is not None:
        if _number_of(got, comparator) is None:
            return f"Line {line:,} has {theirs} where the number {ours} is expected."
        allowed = Tolerance(comparator.relative, comparator.absolute).tolerance
        return f"Line {line:,} has {theirs}, expected {ours}; a difference of up to {allowed} is accepted."
    if wanted.lower() == got.lower():
        return f"Line {line:,} has {theirs}, expected {ours}: upper and lower case matter here."
    return f"Line {line:,} has {theirs} where {ours} is expected."
