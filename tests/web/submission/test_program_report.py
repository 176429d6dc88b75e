"""What a student sees of a program after its grading, in the page, live, in the API and in a browser."""

from dataclasses import replace

import pytest

from grader.comparing.marking import OutputDifference
from grader.grading.report import Report
from grader.programs.shown import Run
from grader.store.models import Submission
from sandbox.api import Verdict
from tests.web.program_reports import (
    BUILT,
    DIFFERENT,
    PASSED,
    failing,
    incomplete,
    not_run,
    program_report,
    uncompiled,
    warned,
)
from tests.web.school import School
from tournament.store.jobs import JobState
from web.site.output import for_powershell, input_name, marked, pointed

MARKUP = "<script>alert(1)</script>"


def page_of(school: School, report: Report) -> str:
    return school.browser("ada").get(f"/submissions/{school.graded('ada', report)}/").text


REPORTS: list[tuple[Report, tuple[str, ...], tuple[str, ...]]] = [
    (
        uncompiled(),
        (
            "could not be built",
            "<strong>Error</strong> in <code>cards/Deck.cpp</code>, line 14: A semicolon is missing. Look at the end "
            "of line 13.",
            "<code><mark>return</mark> top;</code>",
            "The compiler says: <code>expected &#39;,&#39; or &#39;;&#39; before &#39;return&#39;</code>",
            "<strong>Warning</strong> in <code>main.cpp</code>, line 3",
            "<code>cards/Card.h</code> was replaced by the version handed out",
            "4 errors and 1 warning; those probably caused by others are not listed",
            "Full compiler output",
            "2 cases count as not passed.",
        ),
        ("Two players", "Input"),
    ),
    (
        warned(),
        ("The compiler gave 1 warning. This question allows no warnings", "The variable n is never used."),
        ("could not be built", "Your program compiles", "Two players"),
    ),
    (
        incomplete(),
        ("2 files are missing, so nothing was run:", "<li><code>cards/Deck.cpp</code></li>", "2 cases count as not"),
        ("Full compiler output", "Your upload has no"),
    ),
    (
        failing(),
        (
            "1 × runtime error, 5 × wrong output",
            "Line 4 differs: you print a space at its end.",
            "3.4 MiB",
            "12 ms",
            "As on a terminal",
            "<kbd>Ada↵\n</kbd>",
            '<span class="white">→</span>turn<mark>·</mark>',
            "Crashed at</dt><dd><code>cards/Deck.cpp:41</code>",
            "drawing a card",
            "your program printed something else",
            "tried to read more input than there is",
            "Only part of a long output is kept.",
            "Exit code</dt><dd>3</dd>",
            "nothing: the output has ended",
            "What your program printed",
            "Save the input above as <code>01-two.in</code> in your program’s folder",
            "Save the input and the file above as <code>01-two.in</code>, <code>deck.txt</code> in your program’s",
            "In the folder of your program, on macOS or Linux:",
            "g++ -std=c++17 -Wall -Wextra -o program cards/Deck.cpp main.cpp\n./program 2 &lt; 01-two.in",
            "cmd /c &#34;.\\program.exe 2 &lt; 01-two.in&#34;",
            "1 visible case passed",
            "3 hidden cases did not pass. Only the number of these cases is shown",
            "Compiling took 3.2 s.",
        ),
        ("could not be built", "No such function", "Expected</dt>"),
    ),
    (program_report(PASSED), ("1 of 1 passed", "Input and commands"), ("note bad", "hidden case")),
]


@pytest.mark.parametrize(("report", "said", "unsaid"), REPORTS)
def test_a_report_says_what_happened_to_the_program(
    school: School, report: Report, said: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    page = page_of(school, report).partition('id="report"')[2]
    for words in said:
        assert words in page
    for words in unsaid:
        assert words not in page


def test_whatever_a_program_prints_is_shown_and_not_obeyed(school: School) -> None:
    difference = OutputDifference(1, 0, MARKUP, MARKUP, [MARKUP], [(0, 8)], [(0, 8)])
    run = Run(MARKUP, MARKUP, [MARKUP], 1, difference, [("out", MARKUP), ("in", MARKUP)], MARKUP, MARKUP)
    case = replace(DIFFERENT, title=MARKUP, message=MARKUP, run=run)
    build = uncompiled().questions[0].build
    assert build
    shown = replace(build.diagnostics[0], file=MARKUP, message=MARKUP, plain=MARKUP, source=MARKUP)
    build = replace(build, log=MARKUP, command=MARKUP, diagnostics=[shown], replaced=[MARKUP])
    assert MARKUP not in page_of(school, program_report(case, build=build))
    assert MARKUP not in page_of(school, not_run(Verdict.MISSING, MARKUP, replace(build, missing=[MARKUP])))


def test_while_it_is_graded_the_page_says_what_is_done(school: School) -> None:
    id_ = school.upload("ada")
    question = {"slug": "q1", "title": "Uno", "done": 0, "total": 22, "passed": 0, "not_run": 0, "cases": []}
    progress = {"question": "q1", "doing": "compiling main.cpp", "done": 0, "total": 22, "failed": 0, "not_run": 0}
    school.change(Submission, id_, state=JobState.RUNNING, progress={**progress, "questions": [question]})
    address = f"/submissions/{id_}/live"
    assert "Your program is being compiled." in school.browser("ada").get(address).text
    cases = program_report(PASSED, DIFFERENT).to_json()["questions"][0]["cases"]
    question |= {"done": 2, "passed": 1, "cases": cases}
    progress |= {"done": 2, "failed": 1, "doing": "running A secret title"}
    school.change(Submission, id_, state=JobState.RUNNING, progress={**progress, "questions": [question]})
    live = school.browser("ada").get(address).text
    for words in ("2 of 22 cases done; 1 visible case failed", "Line 4 differs", "turn<mark>·</mark>", "Wrong output"):
        assert words in live
    assert "A secret title" not in live
    assert "being compiled" not in live


def test_the_api_has_all_of_it(school: School) -> None:
    id_ = school.graded("ada", failing())
    headers = {"Authorization": f"Bearer {school.token('ada')}"}
    answer = school.browser("ada").get(f"/api/v1/submissions/{id_}/report", headers=headers)
    (question,) = answer.json["questions"]
    assert question["build"]["command"] == BUILT.command
    assert question["cases"][1]["run"]["difference"]["printed_marks"] == [[10, 11]]
    assert question["cases"][1]["run"]["transcript"][1] == ["in", "Ada\n"]


LINES = [
    ("a b", [], "a b"),
    ("a b", [(1, 2)], "a<mark>·</mark>b"),
    ("a  ", [], 'a<span class="white">··</span>'),
    ("a\tb\t", [(3, 4)], 'a<span class="white">→</span>b<mark>→</mark>'),
    ("b\n", [(1, 2)], "b<mark>¶</mark>"),
    ("<&>", [(1, 2)], "&lt;<mark>&amp;</mark>&gt;"),
    ("\u202e", [], "\\u202e"),
]


@pytest.mark.parametrize(("line", "marks", "html"), LINES)
def test_differing_and_invisible_characters_are_marked(line: str, marks: list[tuple[int, int]], html: str) -> None:
    assert marked(line, marks) == html


SOURCES = [
    ("    return top;", 5, "<mark>return</mark> top;"),
    ("\tint n;", 13, "int <mark>n</mark>;"),
    ("a < b", 3, "a <mark>&lt;</mark> b"),
    ("a", 0, "a"),
    ("a", 99, "a"),
    ("a b", 2, "a b"),
]


@pytest.mark.parametrize(("source", "column", "html"), SOURCES)
def test_the_word_that_the_compiler_points_to_is_marked(source: str, column: int, html: str) -> None:
    assert pointed(source, column) == html


COMMANDS = [
    ("./program 2 < 01-two.in", ["2"], 'cmd /c ".\\program.exe 2 < 01-two.in"', "01-two.in"),
    ("./program", [], ".\\program.exe", ""),
    ("./program 'a b' < 1.in", ["a b"], "Get-Content 1.in | .\\program.exe 'a b'", "1.in"),
    ("python3 main.py < 1.in", [], 'cmd /c "python3 main.py < 1.in"', "1.in"),
]


@pytest.mark.parametrize(("command", "arguments", "on_windows", "file"), COMMANDS)
def test_a_command_is_also_given_for_windows(command: str, arguments: list[str], on_windows: str, file: str) -> None:
    assert for_powershell(command, arguments) == on_windows
    assert input_name(command) == file
