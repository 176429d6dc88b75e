"""What heads the cases of a program that failed for the same reason."""

import pytest

from grader.comparing.outputs import SameLines, SameNumbers, SameText, TextComparator
from grader.grading.causes import diagnosis
from grader.grading.report import QuestionReport, Report
from grader.programs.shown import Build, CaseResult, Diagnostic, Run
from sandbox.api import SentBytes, Verdict

EXPECTED = "a b\nc d e \nf 1.5\n"
LINES, TEXT, NUMBERS = SameLines(), SameText(), SameNumbers(absolute=0.1)

OUTPUTS: list[tuple[TextComparator, str, str]] = [
    (LINES, "", "Nothing is printed"),
    (LINES, "a b\nc d e\n", "The output stops too early"),
    (LINES, f"{EXPECTED}x\n", "The output goes on too long"),
    (TEXT, "a b\nc d e\nf 1.5\n", "One space too few at the end of a line"),
    (TEXT, "a b \nc d e \nf 1.5\n", "One space too many at the end of a line"),
    (TEXT, " a b\nc d e \nf 1.5\n", "One space too many at the beginning of a line"),
    (TEXT, "a  b\nc d e \nf 1.5\n", "One space too many between two words"),
    (TEXT, "a b\nc d e \nf 1.5", "The line end after the last line is missing"),
    (LINES, "A b\nc d e\nf 1.5\n", "Upper and lower case differ"),
    (LINES, "a b\nf 1.5\n", "A line is missing"),
    (LINES, "a b\nc d\nf 1.5\n", "Words are missing in a line"),
    (LINES, "a b\nc d x\nf 1.5\n", "One character is wrong"),
    (LINES, "a\tb\nc d e\nf 1.5\n", "Only white space differs"),
    (NUMBERS, "a b c d e f 1.8", "A number is wrong"),
    (NUMBERS, "a b c d e f x", "A word where a number is expected"),
]


def failed(message: str, run: Run | None, verdict: Verdict = Verdict.WA) -> CaseResult:
    return CaseResult("uno", "", "", "", "", verdict, message, 0, hidden=False, run=run)


def titles(build: Build, *cases: CaseResult) -> list[str]:
    verdicts = {cases[0].verdict.value: len(cases)}
    question = QuestionReport("uno", "Uno", "", 0, len(cases), 0, 1, False, verdicts, [*cases], build=build)
    return [cause.title for cause in diagnosis(Report(False, 0, 1, [question])).causes]


@pytest.mark.parametrize(("comparator", "printed", "heading"), OUTPUTS)
def test_wrong_output_is_headed_by_what_is_wrong(comparator: TextComparator, printed: str, heading: str) -> None:
    message = comparator.judge(EXPECTED, SentBytes(printed.encode())).message
    assert titles(Build(True, "g++"), failed(message, Run("./uno"))) == [heading]


def test_cases_with_different_faults_are_different_causes() -> None:
    messages = [LINES.judge(EXPECTED, SentBytes(printed)).message for printed in (b"", b"a b\n", b"a b\nc d e")]
    found = titles(Build(True, "g++"), *(failed(each, Run("./uno")) for each in messages))
    assert found == ["Nothing is printed", "The output stops too early"]


def test_what_no_words_exist_for_is_headed_by_its_verdict() -> None:
    assert titles(Build(True, "g++"), failed("The checker says no", Run("./uno"))) == ["Wrong output"]


@pytest.mark.parametrize("built", [True, False])
def test_what_is_not_run_is_headed_by_what_the_compiler_found(built: bool) -> None:
    first = Diagnostic("Deck.cpp", 3, 1, "warning" if built else "error", "unused variable", "x is never used.")
    build = Build(built, "g++", [first], warnings=1)
    assert titles(build, failed("Nothing was run.", None, Verdict.CE)) == ["Deck.cpp, line 3: x is never used."]
    assert titles(Build(built, "g++"), failed("Nothing was run.", None, Verdict.CE)) == ["Not compiled"]
