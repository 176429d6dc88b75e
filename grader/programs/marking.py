"""Marks the characters in which two lines differ, in lines that are short and safe enough to show."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from grader.programs.shown import OutputDifference
from sandbox.visible import visible

CONTEXT: Final = 3
"""Lines that are shown above the first one that differs."""

LONGEST: Final = 300
"""Characters of a line that are shown."""

_LEFT: Final = 100  # of them before the first that differs
_ALIGNED: Final = 60  # up to so many characters that differ are compared one by one

Marks = list[tuple[int, int]]


def readable_text(text: str) -> str:
    """A text that was read with `surrogateescape`, as it may be kept and shown."""
    return visible(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items they have in common at the beginning."""
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
    """The difference of two lines, either of which may be missing. If words were compared, theirs are given by where
    they begin and end; otherwise all that differs is marked."""
    if expected_word != (0, 0) or printed_word != (0, 0):
        ours, our_marks = _word_shown(expected, expected_word)
        theirs, their_marks = _word_shown(printed, printed_word)
    elif expected is None or printed is None:
        ours, our_marks = _whole_shown(expected)
        theirs, their_marks = _whole_shown(printed)
    else:
        if expected.removesuffix("\n") != printed.removesuffix("\n"):
            expected, printed = expected.removesuffix("\n"), printed.removesuffix("\n")
        start = _start(max(expected, printed, key=len), common(expected, printed))
        ours, theirs = _window(expected, start), _window(printed, start)
        our_marks, their_marks = _marks(ours, theirs)
    column = their_marks[0][0] if their_marks else len(theirs or "")
    above = [_window(each.removesuffix("\n"), 0) for each in before]
    return OutputDifference(line, column, ours, theirs, above, our_marks, their_marks)


def _start(line: str, at: int) -> int:
    """Where to begin to show a line so that the place `at` is seen."""
    return max(0, at - _LEFT) if len(line) > LONGEST else 0


def _window(line: str, start: int) -> str:
    """The line as it is shown, with dots where it is cut."""
    left, right = "…" if start else "", "…" if len(line) > start + LONGEST else ""
    return f"{left}{readable_text(line[start : start + LONGEST])}{right}"


def _whole_shown(line: str | None) -> tuple[str | None, Marks]:
    """A line beside which there is none."""
    if line is None:
        return None, []
    shown = _window(line.removesuffix("\n"), 0)
    return shown, [(0, len(shown))] if shown else []


def _word_shown(line: str | None, word: tuple[int, int]) -> tuple[str | None, Marks]:
    """A line of which only the word at that place is marked."""
    if line is None:
        return None, []
    start = _start(line, word[0])
    shown = _window(line, start)
    low = len(_window(line[: word[0]], start)) if word[0] > start else 0
    return shown, [(low, min(len(shown), low + len(readable_text(line[slice(*word)]))))]


def _marks(expected: str, printed: str) -> tuple[Marks, Marks]:
    """The ranges that differ. Marked one by one only if they are short, as long ones would be riddled with marks."""
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
