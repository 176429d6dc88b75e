"""Comparing what a program printed: what is right, what is said of the rest, and what is marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.comparing.marking import LONGEST, OutputDifference
from grader.comparing.outputs import SameLines, SameNumbers, SameText, SameTokens, readable
from grader.definition.question import OutputComparator
from sandbox.visible import visible

EXACT, LINES, TOKENS = SameText(), SameLines(), SameTokens()
ANY_CASE = SameTokens(case_sensitive=False)
NUMBERS = SameNumbers(relative=0.0, absolute=0.01)
RELATIVE = SameNumbers(relative=0.1)
SPACED = SameNumbers(relative=0.0, absolute=0.01, space_change_sensitive=True)
BY_LETTER = SameNumbers(relative=0.0, absolute=0.0)

ACCEPTED: list[tuple[OutputComparator, str, bytes]] = [
    (EXACT, "a\nb\n", b"a\nb\n"),
    (EXACT, "a\nb\n", b"a\r\nb\r\n"),
    (EXACT, "a\r\nb\r\n", b"a\nb\n"),
    (EXACT, "é\n", "é\n".encode()),
    (LINES, "a\nb\n", b"a \nb\t"),
    (LINES, "a\nb", b"a\r\nb\r\n\r\n \n"),
    (LINES, "", b"\n \n"),
    (TOKENS, "a b\nc\n", b" a\n\nb\tc"),
    (TOKENS, "", b" \n"),
    (ANY_CASE, "Yes NO", b"yEs no"),
    (NUMBERS, "x 1.0 -2", b"x 1.009 -2.01"),
    (NUMBERS, "inf nan 1e3", b"Infinity NaN 1000.0"),
    (RELATIVE, "100 -100 0", b"91 -109.9 0.0"),
    (SPACED, "x  1.0\n", b"x  1\n"),
    (BY_LETTER, "1.0", b"1.0\n"),
]
"""Output that counts as right."""

REFUSED: list[tuple[OutputComparator, str, bytes, str]] = [
    # How much was printed
    (EXACT, "a\nb\n", b"", "Your program prints nothing; 2 lines are expected."),
    (EXACT, "", b"a\n", "Your program prints 1 line, but should print nothing."),
    (LINES, "a\nb\nc\nd\n", b"a\nb\n", "Your output stops after line 2; 2 lines are missing."),
    (EXACT, "a\nb\n", b"a", "Your output stops after line 1; 1 line is missing."),
    (LINES, "a\n", b"a\nb\nc\n", "You print 2 lines too many: line 1 should be the last."),
    (EXACT, "a\n", b"a\n\n\n", "You print 2 empty lines too many at the end."),
    (EXACT, "a\n\n", b"a\n", "1 empty line is missing after your last line."),
    (EXACT, "a\nb\n", b"a\nb", "Everything is right except the end: a line end is missing after your last line."),
    (
        EXACT,
        "a",
        b"a\n",
        "Everything is right except the end: you print a line end after the last line, where none is expected.",
    ),
    # Lines in other places
    (LINES, "a\nb\nc", b"a\n\nb\nc", "Line 2 is an empty line too many: the expected line comes after it."),
    (LINES, "a\nb\nc", b"a\nx\nb\nc", "Line 2 is a line too many: the expected line comes after it."),
    (LINES, "a\n\nb", b"a\nb", "An empty line is missing before your line 2."),
    (LINES, "a\nx\nb", b"a\nb", "A line is missing before your line 2."),
    (LINES, "a\nb\nc", b"b\na\nc", "Lines 1 and 2 are in the wrong order."),
    # White space
    (EXACT, "a\n" * 7, b"a\n" * 6 + b"a \n", "Line 7 differs: you print a space at its end."),
    (EXACT, "a\n", b"a   \n", "Line 1 differs: you print 3 spaces at its end."),
    (EXACT, "a\n", b"a\t\n", "Line 1 differs: you print a tab at its end."),
    (EXACT, "a\n", b"a \t\n", "Line 1 differs: you print white space at its end."),
    (EXACT, "a: \n", b"a:\n", "Line 1 differs: a space is missing at its end."),
    (EXACT, "a \n", b"a\t\n", "Line 1 differs: the white space at its end is not right."),
    (LINES, "a", b"  a", "Line 1 differs: you print 2 spaces at its beginning."),
    (LINES, "  a", b"a", "Line 1 differs: 2 spaces are missing at its beginning."),
    (LINES, "a b", b"a  b", "Line 1 differs: after “a” you print 2 spaces instead of a space."),
    (LINES, "a b", b"ab", "Line 1 differs: only its spaces are wrong."),
    (LINES, "a\u00a0b", b"a b", "Line 1 differs: only its spaces are wrong."),
    (LINES, "[a]  [b]  [c]", b"[a]  [b]\t[c]", "Line 1 differs: after “[b]” you print a tab instead of 2 spaces."),
    # Letters and words
    (LINES, "Hello", b"hello", "Your first line is right, but in lower case."),
    (LINES, "x\nHello", b"x\nHELLO", "Your line 2 is right, but in upper case."),
    (LINES, "Hello You", b"hello You", "Your first line is right, but upper and lower case differ."),
    (LINES, "Hi!", b"Hi.", "Line 1 differs in one character: you print “.” instead of “!”."),
    (LINES, "a: ", b"a: 5", "Your first line is right at first, but then goes on: “ 5” should not be there."),
    (LINES, "You win!", b"You", "Your first line is right at first, but then stops: “ win!” is missing."),
    (LINES, "You win 3 times", b"You lose 3 times", "Line 1 differs: you print “lose” instead of “win”."),
    (LINES, "You win 3 times", b"You 3 times", "Line 1 differs: “win” is missing."),
    (LINES, "You win times", b"You win many times", "Line 1 differs: “many” should not be there."),
    (LINES, "You win", b"Good bye", "Line 1 is not the expected line."),
    # Words and numbers
    (TOKENS, "a b\nc", b"a\nb d", "Line 2 has “d” where “c” is expected."),
    (TOKENS, "Yes", b"yes", "Line 1 has “yes”, expected “Yes”: upper and lower case matter here."),
    (TOKENS, "a b c", b"a\n", "Your output stops after line 1; 2 words are missing."),
    (TOKENS, "a", b"", "Your program prints nothing; 1 word is missing."),
    (TOKENS, "a", b"a\nb c", "You print 2 words more than expected, from line 2 on."),
    (NUMBERS, "1.0", b"1.02", "Line 1 has “1.02”, expected “1.0”; a difference of up to 0.01 is accepted."),
    (RELATIVE, "10", b"12", "Line 1 has “12”, expected “10”; a difference of up to 0.1 of the value is accepted."),
    (NUMBERS, "1.0", b"one", "Line 1 has “one” where the number “1.0” is expected."),
    (NUMBERS, "1.0", b"1_0", "Line 1 has “1_0” where the number “1.0” is expected."),
    (BY_LETTER, "1.0", b"1", "Line 1 has “1” where “1.0” is expected."),
    (SPACED, "a b\n", b"a  b\n", "Line 1 differs in its spaces or line endings, which matter here."),
    (SPACED, "a\n", b"a", "The spaces or line ends after your last word are missing."),
    (SPACED, "a", b"a\n", "You print spaces or line ends after the last word that should not be there."),
    # What is no text, or hides
    (LINES, "a", b"\xff", "Line 1 differs in one character: you print “\\xff” instead of “a”."),
    (LINES, "\\xff", b"\xff", "Line 1 is not the expected line."),
    (LINES, "ab", b"\x1b[2Jab", "Line 1 is not the expected line."),
    (TOKENS, "ab", "\u202eab".encode(), "Line 1 has “\\u202eab” where “ab” is expected."),
]
"""Output that is wrong, and the sentence about it."""


@pytest.mark.parametrize(("comparator", "expected", "printed"), ACCEPTED)
def test_what_is_right(comparator: OutputComparator, expected: str, printed: bytes) -> None:
    judged = comparator.judge(expected, printed)
    assert (judged.right, judged.message, judged.difference) == (True, "", None)


@pytest.mark.parametrize(("comparator", "expected", "printed", "message"), REFUSED)
def test_what_is_wrong_is_said_in_one_sentence(
    comparator: OutputComparator, expected: str, printed: bytes, message: str
) -> None:
    judged = comparator.judge(expected, printed)
    assert not judged.right
    assert judged.message == message
    assert judged.difference


MARKED: list[tuple[OutputComparator, str, bytes, OutputDifference]] = [
    (EXACT, "a\nb\nc\nd\ne\n", b"a\nb\nc\nd\ne \n", OutputDifference(5, 1, "e", "e ", ["b", "c", "d"], [], [(1, 2)])),
    (EXACT, "a\nb\n", b"a\nb", OutputDifference(2, 1, "b\n", "b", ["a"], [(1, 2)], [])),
    (LINES, "3 cards", b"30 card", OutputDifference(1, 1, "3 cards", "30 card", [], [(6, 7)], [(1, 2)])),
    (LINES, "a\nb", b"a", OutputDifference(2, 0, "b", None, ["a"], [(0, 1)], [])),
    (LINES, "a", b"a\nb", OutputDifference(2, 0, None, "b", ["a"], [], [(0, 1)])),
    (TOKENS, "a b c", b"a\nb  x y", OutputDifference(2, 3, "a b c", "b  x y", ["a"], [(4, 5)], [(3, 4)])),
    (TOKENS, "a b", b"a\n", OutputDifference(2, 0, "a b", None, ["a"], [(2, 3)], [])),
]


@pytest.mark.parametrize(("comparator", "expected", "printed", "difference"), MARKED)
def test_the_characters_that_differ_are_marked(
    comparator: OutputComparator, expected: str, printed: bytes, difference: OutputDifference
) -> None:
    assert comparator.judge(expected, printed).difference == difference


def test_a_long_line_is_shown_around_the_difference() -> None:
    found = LINES.judge("x" * 5000 + "a" + "y" * 5000, b"x" * 5000 + b"b" + b"y" * 5000).difference
    assert found
    assert found.expected
    assert found.printed
    assert len(found.expected) <= LONGEST + 2
    ((start, end),) = found.printed_marks
    assert found.printed[start:end] == "b"
    assert found.expected[start:end] == "a"


TEXTS = st.text(alphabet="aB1. \t\n\r\\é\x00", max_size=40)
OUTPUTS = st.one_of(st.binary(max_size=40), TEXTS.map(str.encode))
SAME = st.sampled_from((EXACT, LINES, TOKENS, ANY_CASE, NUMBERS, RELATIVE, SPACED, BY_LETTER))


@given(SAME, TEXTS)
def test_a_text_is_itself(comparator: OutputComparator, text: str) -> None:
    assert comparator.judge(text, text.encode()).right
    assert comparator.judge(text, text.replace("\r\n", "\n").replace("\n", "\r\n").encode()).right


@given(TEXTS, OUTPUTS)
def test_each_comparator_accepts_all_that_a_stricter_one_accepts(expected: str, printed: bytes) -> None:
    accepted = [each.judge(expected, printed).right for each in (EXACT, LINES, TOKENS, ANY_CASE)]
    assert accepted == sorted(accepted)
    assert NUMBERS.judge(expected, printed).right >= TOKENS.judge(expected, printed).right
    assert NUMBERS.judge(expected, printed).right >= SPACED.judge(expected, printed).right


@given(SAME, TEXTS, OUTPUTS)
def test_every_difference_can_be_shown(comparator: OutputComparator, expected: str, printed: bytes) -> None:
    judged = comparator.judge(expected, printed)
    assert judged.right == (not judged.message)
    found = judged.difference
    if found is None:
        assert judged.right
        return
    assert found.line >= 1
    for line, marks in ((found.expected, found.expected_marks), (found.printed, found.printed_marks)):
        assert all(0 <= low < high <= len(line or "") for low, high in marks)
        assert line is None or "\n" not in line[:-1]
    for text in (judged.message, *found.before, found.expected or "", found.printed or ""):
        assert visible(text) == text


@given(st.binary(max_size=40))
def test_whatever_was_printed_can_be_kept(output: bytes) -> None:
    assert visible(readable(output)) == readable(output)
