"""Reports of programs to show: each shows something that the others do not."""

from dataclasses import replace

from grader.comparing.marking import OutputDifference
from grader.definition.question import Shows
from grader.grading.report import QuestionReport, Report
from grader.programs.shown import Build, CaseResult, Diagnostic, Run
from sandbox.api import Verdict

COMMAND = "g++ -std=c++17 -Wall -Wextra -o program cards/Deck.cpp main.cpp"
BUILT = Build(True, COMMAND, cpu_s=3.21)
SEMICOLON = Diagnostic(
    "cards/Deck.cpp",
    14,
    5,
    "error",
    "expected ',' or ';' before 'return'",
    "A semicolon is missing. Look at the end of line 13.",
    "    return top;",
)
UNUSED = Diagnostic(
    "main.cpp",
    3,
    9,
    "warning",
    "unused variable 'n' [-Wunused-variable]",
    "The variable n is never used. Remove it, or use it.",
    "\tint n = 5;",
)
LOG = "cards/Deck.cpp:14:5: error: expected ‘,’ or ‘;’ before ‘return’\n   14 |     return top;\n      |     ^~~~~~\n"

RUN = Run("./program 2 < 01-two.in", "Ada\nBen\n", ["2"], 0, memory_mib=3.41)
PASSED = CaseResult("q1", "Two players", RUN.command, "", "", Verdict.AC, "", 12.3, False, run=RUN)
DIFFERENT = replace(
    PASSED,
    title="Three players",
    verdict=Verdict.WA,
    message="Line 4 differs: you print a space at its end.",
    run=replace(
        RUN,
        difference=OutputDifference(
            4, 9, "Ada's turn", "Ada's\tturn ", ["Welcome to Uno", "", "Ada \tand Ben "], [], [(10, 11)]
        ),
        transcript=[("out", "Who plays? "), ("in", "Ada\n"), ("out", "Ada's turn \n")],
    ),
)
CRASHED = replace(
    PASSED,
    title="An empty pile",
    verdict=Verdict.RTE,
    message="Your program crashed: segmentation fault.",
    run=replace(
        RUN,
        exit_code=None,
        files={"deck.txt": "R5 YR WC\n"},
        errors="drawing a card\n",
        where="cards/Deck.cpp:41",
        transcript=[("out", "Welcome\n")],
        unstable=True,
        starved=True,
        cut=True,
    ),
)
SHORT = replace(
    PASSED,
    title="Nothing to read",
    verdict=Verdict.WA,
    message="Your output stops after line 1; 1 line is missing.",
    run=replace(
        RUN,
        command="./program",
        input="",
        arguments=[],
        exit_code=3,
        difference=OutputDifference(2, 0, "Bye", None, ["Hello"], [(0, 3)], []),
        transcript=[("out", "Hello\n")],
    ),
)


def program_question(*cases: CaseResult, build: Build = BUILT, hidden_failed: int = 0) -> QuestionReport:
    """A question that asks for a program, with these cases and hidden ones besides that failed and are not shown."""
    verdicts = {verdict.value: sum(case.verdict is verdict for case in cases) for verdict in Verdict}
    verdicts["WA"] += hidden_failed
    used = {word: number for word, number in verdicts.items() if number}
    total, passed = len(cases) + hidden_failed, used.get("AC", 0)
    shows = Shows.VERDICTS
    return QuestionReport(
        "q1", "Uno", "", passed, total, passed / total, 1.0, True, used, list(cases), shows=shows, build=build
    )


def program_report(*cases: CaseResult, build: Build = BUILT, hidden_failed: int = 0) -> Report:
    """A report with that question alone."""
    only = program_question(*cases, build=build, hidden_failed=hidden_failed)
    return Report(only.passed == only.total, only.points, 1.0, [only])


def not_run(verdict: Verdict, message: str, build: Build) -> Report:
    """A report of a program of which nothing was run."""
    case = replace(PASSED, verdict=verdict, message=message, run=None, cpu_ms=0.0)
    return program_report(case, replace(case, title="Three players", hidden=True), build=build)


def uncompiled() -> Report:
    """One that does not compile."""
    build = Build(False, COMMAND, [SEMICOLON, UNUSED], 4, 1, replaced=["cards/Card.h"], log=LOG, cpu_s=0.8)
    return not_run(Verdict.CE, "Your program could not be built, so nothing was run.", build)


REJECTED = "The compiler gave 1 warning. This question allows no warnings, so the program was not run."


def warned() -> Report:
    """One with a warning, where none are accepted."""
    build = replace(BUILT, diagnostics=[UNUSED], warnings=1, log="main.cpp:3:9: warning: unused variable ‘n’\n")
    return not_run(Verdict.CE, REJECTED, build)


def incomplete() -> Report:
    """One of which files are missing."""
    build = Build(False, "", missing=["cards/Deck.cpp", "cards/Deck.h"])
    return not_run(Verdict.MISSING, "Your upload has no cards/Deck.cpp, cards/Deck.h, so nothing was run.", build)


def failing() -> Report:
    """One whose visible cases fail in several ways."""
    return program_report(PASSED, DIFFERENT, CRASHED, SHORT, hidden_failed=3)
