"""Explains to beginners, in one sentence, what is wrong with the first line that differs, and marks the differing
characters. The results are short, and safe to show."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final

from sandbox.visible import visible, visible_line

CONTEXT: Final = 3  # lines shown above the first line that differs
LONGEST: Final = 300  # the maximum number of characters shown of a line
_LEFT: Final = 100  # characters shown before the first differing character
_ALIGNED: Final = 60  # differing parts up to this length are compared character by character

Marks = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """The first line that differs. `line` is its number in the printed output, from 1, and `column` the index of the
    first differing character in `printed`, from 0. `expected` and `printed` are the two lines; None stands for a
    missing line. Their line ends are kept only if these are the difference. `before` contains the lines above, which
    agree. A mark is a range of differing characters: the index of the first character, and the index after the last.
    Long lines are cut on both sides of the difference."""

    line: int
    column: int
    expected: str | None
    printed: str | None
    before: list[str] = field(default_factory=list)
    expected_marks: list[tuple[int, int]] = field(default_factory=list)
    printed_marks: list[tuple[int, int]] = field(default_factory=list)


def readable_text(text: str) -> str:
    """Make a text that was decoded with `surrogateescape` safe to store and to show."""
    return visible(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the common beginning of two sequences."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def difference_of(
    line: int,
    expected: str | None,
    printed: str | None,
    before: Sequence[str],
    expected_word: tuple[int, int] = (0, 0),
    printed_word: tuple[int, int] = (0, 0),
) -> OutputDifference:
    """Return the difference between two lines. Either line can be None. If ranges of words are given, only these words
    are marked."""
    if expected_word != (0, 0) or printed_word != (0, 0):
        ours, our_marks = _word_shown(expected, expected_word)
        theirs, their_marks = _word_shown(printed, printed_word)
    elif expected is None or printed is None:
        ours, our_marks = _whole_shown(expected)
        theirs, their_marks = _whole_shown(printed)
    else:
        if expected.removesuffix("\n") != printed.removesuffix("\n"):
            expected, printed = expected.removesuffix("\n"), printed.removesuffix("\n")
        start = _shown_from(max(expected, printed, key=len), common(expected, printed))
        ours, theirs = _window(expected, start), _window(printed, start)
        our_marks, their_marks = _ranges(ours, theirs)
    column = their_marks[0][0] if their_marks else len(theirs or "")
    above = [_window(each.removesuffix("\n"), 0) for each in before]
    return OutputDifference(line, column, ours, theirs, above, our_marks, their_marks)


def _shown_from(line: str, at: int) -> int:
    """Return the index from which to show a line so that the character at index `at` is visible."""
    return max(0, at - _LEFT) if len(line) > LONGEST else 0


def _window(line: str, start: int) -> str:
    """Return the part of a line to show, with dots where the line is cut."""
    left, right = "…" if start else "", "…" if len(line) > start + LONGEST else ""
    return f"{left}{readable_text(line[start : start + LONGEST])}{right}"


def _whole_shown(line: str | None) -> tuple[str | None, Marks]:
    if line is None:
        return None, []
    shown = _window(line.removesuffix("\n"), 0)
    return shown, [(0, len(shown))] if shown else []


def _word_shown(line: str | None, word: tuple[int, int]) -> tuple[str | None, Marks]:
    """Return the line as shown, and the mark of the word at this range."""
    if line is None:
        return None, []
    start = _shown_from(line, word[0])
    shown = _window(line, start)
    low = len(_window(line[: word[0]], start)) if word[0] > start else 0
    return shown, [(low, min(len(shown), low + len(readable_text(line[slice(*word)]))))]


def _ranges(expected: str, printed: str) -> tuple[Marks, Marks]:
    """Return the ranges that differ. Long differing parts are marked as one range each, since many small marks would be
    hard to read."""
    start = common(expected, printed)
    ends = common(expected[start:][::-1], printed[start:][::-1])
    ours, theirs = expected[start : len(expected) - ends], printed[start : len(printed) - ends]
    whole = ("replace", 0, len(ours), 0, len(theirs))
    steps = [whole]
    if max(len(ours), len(theirs)) <= _ALIGNED:
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        steps = [step for step in matcher.get_opcodes() if step[0] != "equal"] if matcher.ratio() > 0.5 else steps
    return (
        [(start + low, start + high) for _, low, high, _, _ in steps if high > low],
        [(start + low, start + high) for _, _, _, low, high in steps if high > low],
    )


WHITE: Final = " \t\n\v\f\r"  # the white space characters of C
_LONGEST: Final = 60
_FEW: Final = 40  # the maximum length of the differing words in a message, in characters
_KINDS: Final = {" ": "space", "\t": "tab"}


def count(number: int, thing: str) -> str:
    """Return a number with its noun: `1 word`, `1,200 words`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def quote(text: str) -> str:
    """Put a piece of a program's text in quotation marks, made safe and short."""
    shown = visible_line(text[: _LONGEST + 1].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    return f"“{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}”"


def line_message(expected: list[str], printed: list[str], at: int) -> str:
    """Say how the printed lines differ. `at` is the index of the first line that differs; lines may include their line
    ends."""
    if not printed:
        return f"Your program prints nothing; {count(len(expected), 'line')} {_are(len(expected))} expected."
    if not expected:
        return f"Your program prints {count(len(printed), 'line')}, but should print nothing."
    ours = expected[at].removesuffix("\n") if at < len(expected) else None
    theirs = printed[at].removesuffix("\n") if at < len(printed) else None
    if theirs is None:
        missing = len(expected) - at
        if not any(line.strip(WHITE) for line in expected[at:]):
            return f"{count(missing, 'empty line')} {_are(missing)} missing after your last line."
        return f"Your output stops after line {at:,}; {count(missing, 'line')} {_are(missing)} missing."
    if ours is None:
        more = len(printed) - at
        if not any(line.strip(WHITE) for line in printed[at:]):
            return f"You print {count(more, 'empty line')} too many at the end."
        return f"You print {count(more, 'line')} too many: line {at:,} should be the last."
    if ours == theirs:
        if printed[at].endswith("\n"):
            return (
                "Everything is right except the end: you print a line end after the last line, where none is expected."
            )
        return "Everything is right except the end: a line end is missing after your last line."
    return _moved_line(expected, printed, at) or _differs(ours, theirs, at + 1)


def _moved_line(expected: list[str], printed: list[str], at: int) -> str:
    """Return a message if a line is superfluous, missing, or swapped with the next; "" otherwise."""
    ours, theirs = expected[at], printed[at]
    if (
        at + 1 < len(printed)
        and printed[at + 1] == ours
        and not (at + 1 < len(expected) and expected[at + 1] == theirs)
    ):
        what = "an empty line" if not theirs.strip(WHITE) else "a line"
        return f"Line {at + 1:,} is {what} too many: the expected line comes after it."
    if at + 1 < len(expected) and expected[at + 1] == theirs:
        if at + 1 < len(printed) and printed[at + 1] == ours:
            return f"Lines {at + 1:,} and {at + 2:,} are in the wrong order."
        what = "An empty line" if not ours.strip(WHITE) else "A line"
        return f"{what} is missing before your line {at + 1:,}."
    return ""


def _differs(ours: str, theirs: str, number: int) -> str:
    name = "first line" if number == 1 else f"line {number:,}"
    if ours.lower() == theirs.lower():
        letters = {ours.lower(): "in lower case", ours.upper(): "in upper case"}
        return f"Your {name} is right, but {letters.get(theirs, 'upper and lower case differ')}."
    if where := _spaces(ours, theirs):
        return f"Line {number:,} differs: {where}."
    if theirs.startswith(ours):
        return f"Your {name} is right at first, but then goes on: {quote(theirs[len(ours) :])} should not be there."
    if ours.startswith(theirs):
        return f"Your {name} is right at first, but then stops: {quote(ours[len(theirs) :])} is missing."
    if len(ours) == len(theirs):
        pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        if len(pairs) == 1:
            ((wanted, got),) = pairs
            return f"Line {number:,} differs in one character: you print {quote(got)} instead of {quote(wanted)}."
    return _few_words(ours, theirs, number) or f"Line {number:,} is not the expected line."


def _few_words(ours: str, theirs: str, number: int) -> str:
    """Name the words that differ, if they are few; "" otherwise."""
    wanted, got = ours.split(" "), theirs.split(" ")
    start = common(wanted, got)
    end = min(common(wanted[::-1], got[::-1]), len(wanted) - start, len(got) - start)
    left, right = " ".join(wanted[start : len(wanted) - end]), " ".join(got[start : len(got) - end])
    if max(len(left), len(right)) > _FEW or not (start or end):
        return ""
    if not left:
        return f"Line {number:,} differs: {quote(right)} should not be there."
    if not right:
        return f"Line {number:,} differs: {quote(left)} is missing."
    return f"Line {number:,} differs: you print {quote(right)} instead of {quote(left)}."


def _spaces(ours: str, theirs: str) -> str:
    """Say what is wrong with the white space if nothing else is wrong; "" otherwise."""
    if ours.rstrip(WHITE) == theirs.rstrip(WHITE):
        length = len(ours.rstrip(WHITE))
        return _edge(ours[length:], theirs[length:], "end")
    if ours.lstrip(WHITE) == theirs.lstrip(WHITE):
        length = len(ours.lstrip(WHITE))
        return _edge(ours[: len(ours) - length], theirs[: len(theirs) - length], "beginning")
    wanted, got = _turns(ours), _turns(theirs)
    if wanted[::2] == got[::2]:
        at = common(wanted, got)
        return f"after {quote(wanted[at - 1])} you print {_blanks(got[at])[0]} instead of {_blanks(wanted[at])[0]}"
    if "".join(ours.split()) == "".join(theirs.split()):
        return "only its spaces are wrong"
    return ""


def _turns(line: str) -> list[str]:
    """Split a line into words (at even indexes) and the white space between them. The first and the last word can be
    empty."""
    ends = [["" for each in end if each in WHITE] for end in (line[:1], line[-1:])]
    return [*ends[0], *("".join(each) for _, each in groupby(line, WHITE.__contains__)), *ends[1]]


def _edge(ours: str, theirs: str, where: str) -> str:
    if theirs.startswith(ours):
        return f"you print {_blanks(theirs[len(ours) :])[0]} at its {where}"
    if ours.startswith(theirs):
        what, verb = _blanks(ours[len(theirs) :])
        return f"{what} {verb} missing at its {where}"
    return f"the white space at its {where} is not right"


def _blanks(text: str) -> tuple[str, str]:
    """Return a piece of white space in words, and the matching verb “is” or “are”."""
    kind = _KINDS.get(text[0])
    if kind is None or text.strip(text[0]):
        return "white space", "is"
    return (f"a {kind}", "is") if len(text) == 1 else (f"{len(text):,} {kind}s", "are")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
