"""Programs are built in a jail, run on every case and judged: small ones, one for each thing that can happen."""

import re
from dataclasses import replace
from typing import Any

import pytest

from grader.definition.question import Warnings
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from grader.programs.running import crash_message
from sandbox.api import Limits, Verdict
from sandbox.programs import Command, Ended, ProgramJail, ProgramSandbox, Stop
from tests.grader.programs.conftest import ECHO, Grade, question

READS = '#include <stdio.h>\nint main(void) { char word[99]; if (scanf("%98s", word) != 1) return 9;\n'
ECHOES = READS + 'printf("%s\\n", word); return 0; }\n'
HIDDEN = {**ECHO, "slug": "02-hidden", "hidden": True}

ENDS = [
    (ECHOES, Verdict.AC, ""),
    (READS + "puts(word); return 3; }", Verdict.RTE, "ended with the exit code 3; 0 was expected"),
    (READS + 'puts("no"); return 0; }', Verdict.WA, "."),
    (READS + "*(volatile int*)8 = 1; return 0; }", Verdict.RTE, r"a segmentation fault \(SIGSEGV\) at main\.c:3"),
    (READS + "volatile int no = 0; return 5 / no; }", Verdict.RTE, r"an arithmetic error \(SIGFPE\) at main\.c:3"),
    ("#include <stdlib.h>\nint main(void) {\nabort(); }", Verdict.RTE, r"an abort \(SIGABRT\) at main\.c:3"),
    (READS + "for (;;) word[0]++; }", Verdict.TLE, "computed for more than 0.2 s"),
    ("#include <unistd.h>\nint main(void) { for (;;) pause(); }", Verdict.WTLE, "hardly any computing time"),
    (READS + "for (;;) puts(word); }", Verdict.OLE, "printed more than 64 KiB"),
    ("int main(void) { return fork(); }", Verdict.CE, "error at main.c:1: implicit declaration of function 'fork'"),
    ("#include <sys/socket.h>\nint main(void) { return socket(1, 1, 0); }", Verdict.BLOCKED, "forbidden"),
    ("char all[1 << 30];\nint main(void) { return all[5]; }", Verdict.MLE, "1,0.. MiB for its global variables"),
    ("char all[1 << 30] = {1};\nint main(void) { return all[5]; }", Verdict.CE, "larger than the 64 MiB"),
    ("int main(void) { retrun 0; }", Verdict.CE, "error at main.c:1: "),
    ("int main(void) { int missing(void); return missing(); }", Verdict.CE, "undefined reference to"),
    ('#include "/etc/passwd"\nint main(void) { return 0; }', Verdict.CE, "error at main.c:1: "),
    ('__asm__(".incbin \\"/etc/passwd\\"");\nint main(void) { return 0; }', Verdict.CE, "could not be built"),
]


@pytest.mark.parametrize(("source", "verdict", "message"), ENDS)
def test_a_program_gets_the_verdict_of_what_it_does(grade: Grade, source: str, verdict: Verdict, message: str) -> None:
    few = {"cpu_s": 0.2, "output_kib": 64, "options": ("-Werror=implicit-function-declaration",)}
    (result,) = grade(source, **few).results
    assert result.verdict is verdict, result.message
    assert re.search(message, result.message)
    assert bool(result.message) == (verdict is not Verdict.AC)


def test_what_this_side_computes_to_read_sources_and_messages_counts_into_the_budget(jails: Jails) -> None:
    files = {"main.c": b"#warning x\n" * 2_000 + ECHOES.encode()}
    jails = replace(jails, limits=Limits(grading_s=0.01))
    (result,) = ProgramGraded.of(grade_program(question(cpu_s=0.01), files, jails)).results
    assert result.verdict is Verdict.NOT_RUN
    assert "used up their total time of 0.01 s" in result.message


MEMORY = "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }"


def test_a_program_that_takes_too_much_memory_is_stopped(grade: Grade) -> None:
    (result,) = grade(MEMORY, memory_mib=32).results
    assert result.verdict in (Verdict.MLE, Verdict.RTE)  # malloc may fail first, which this program does not notice


def test_every_case_of_what_is_not_built_fails_for_that_reason(grade: Grade) -> None:
    graded = grade("int main(void) { return 0 }", cases=(ECHO, HIDDEN))
    assert not graded.build.built
    assert [each.line for each in graded.build.diagnostics] == [1]
    assert [each.verdict for each in graded.results] == [Verdict.CE, Verdict.CE]


def test_what_is_missing_is_told_and_nothing_is_compiled(grade: Grade) -> None:
    graded = grade({"main.c": ECHOES}, required=("main.c", "deck.c", "deck.h"))
    assert graded.build.missing == ["deck.c", "deck.h"]
    assert {each.verdict for each in graded.results} == {Verdict.MISSING}


def test_files_handed_out_replace_those_of_an_upload(grade: Grade) -> None:
    given = {"main.c": "int echo(void);\nint main(void) { return echo(); }\n", "echo.c": "// TODO: write echo\n"}
    echo = ECHOES.replace("main", "echo")
    graded = grade({"main.c": "int main(void) { return 1; }", "echo.c": echo}, given=given, editable=("echo.c",))
    assert graded.results[0].passed
    assert graded.build.replaced == ["main.c"]
    unchanged = grade(
        {"main.c": given["main.c"].replace("\n", "\r\n"), "echo.c": echo}, given=given, editable=("echo.c",)
    )
    assert unchanged.build.replaced == []


UNUSED = ECHOES.replace("{ char", "{ int unused; char")
HIDES = '#pragma GCC diagnostic ignored "-Wunused-variable"\n' + UNUSED


@pytest.mark.parametrize(
    ("warnings", "source", "verdict", "count"),
    [
        (Warnings.ALLOW, UNUSED, Verdict.AC, 1),
        (Warnings.ALLOW, HIDES, Verdict.AC, 0),
        (Warnings.COST, UNUSED, Verdict.AC, 1),
        (Warnings.COST, HIDES, Verdict.AC, 1),
        (Warnings.FAIL, UNUSED, Verdict.CE, 1),
        (Warnings.FAIL, HIDES, Verdict.CE, 1),
        (Warnings.FAIL, ECHOES, Verdict.AC, 0),
    ],
)
def test_warnings_count_as_the_question_says(
    grade: Grade, warnings: Warnings, source: str, verdict: Verdict, count: int
) -> None:
    graded = grade(source, warnings=warnings)
    assert graded.build.built
    assert (graded.results[0].verdict, graded.build.warnings) == (verdict, count)


OPTIONS_OF_ITS_OWN = [
    {"x.c": "#if 0\n-w -Ofast -x c hidden.txt -x none -o @x.o\n#endif\n", "hidden.txt": UNUSED},
    {"x.c": "// -w -Ofast\n"},  # it is enough if the name without its folder reaches the compiler
]


@pytest.mark.parametrize("beside", OPTIONS_OF_ITS_OWN)
def test_no_name_of_a_file_becomes_an_option_of_the_compiler(grade: Grade, beside: dict[str, str]) -> None:
    files = {"@x.c": UNUSED, "#if": "", "0": "", "#endif": "", "-w": "", "-w.c": "", **beside}
    graded = grade(files, warnings=Warnings.FAIL)
    assert [(each.file, each.line, each.kind) for each in graded.build.diagnostics] == [("@x.c", 2, "warning")]
    assert graded.build.built
    assert graded.results[0].verdict is Verdict.CE


def test_a_file_is_called_what_the_student_calls_it(grade: Grade) -> None:
    source = '#include <stdio.h>\n#include "at.h"\nint main(void) { puts(__FILE__); at(); return 0; }\n'
    header = "static inline void at(void) { puts(__FILE__); }\n"
    case = {**ECHO, "output": "a/main.c\na/at.h\n"}
    assert grade({"a/main.c": source, "a/at.h": header}, cases=(case,)).results[0].passed


def test_warnings_in_files_handed_out_are_not_the_students(grade: Grade) -> None:
    given = {"echo.h": "static int unused;\n"}
    graded = grade('#include "echo.h"\n' + ECHOES, given=given, editable=("main.c",), warnings=Warnings.FAIL)
    assert graded.results[0].passed, graded.build.log
    assert graded.build.warnings == 0


def test_a_case_has_arguments_files_and_an_exit_code(grade: Grade) -> None:
    source = """#include <stdio.h>
    int main(int count, char** words) {
        char line[99]; FILE* in = fopen("data/in.txt", "r"); FILE* out = fopen("out.txt", "w");
        if (count == 2 && in && out && fgets(line, 99, in)) fprintf(out, "%s%s\\n", line, words[1]);
        return 4; }"""
    case = {"slug": "a", "title": "A", "arguments": ("two words",), "files": {"data/in.txt": "line\n"}, "exit_code": 4}
    written = {**case, "slug": "b", "leaves": {"out.txt": "line\ntwo words\n"}}
    other = {**case, "slug": "c", "leaves": {"out.txt": "else\n"}}
    absent = {**case, "slug": "d", "leaves": {"none.txt": "else\n"}}
    results = grade(source, cases=(case, written, other, absent)).results
    assert [each.verdict.value for each in results] == ["AC", "AC", "WA", "WA"]
    assert results[2].message.startswith("In the file out.txt: ")
    assert results[3].message == "Your program did not write the file none.txt."
    assert results[0].run
    assert results[0].run.command == "./program 'two words'"


def test_runs_share_nothing(grade: Grade) -> None:
    source = """#include <stdio.h>
    int main(void) { puts(fopen("x", "r") ? "there" : "hello"); fclose(fopen("x", "w")); return 0; }"""
    assert all(each.passed for each in grade(source, cases=(ECHO, HIDDEN)).results)


def test_after_three_time_outs_nothing_more_is_run(grade: Grade) -> None:
    cases = [{**HIDDEN, "slug": f"{number}"} for number in range(5)]
    results = grade("int main(void) { for (;;); }", cases=cases, cpu_s=0.1).results
    assert [each.verdict.value for each in results] == ["TLE"] * 3 + ["NOT_RUN"] * 2
    assert "3 cases in this question ran out of time" in results[-1].message


NOT_THE_SAME = """#include <stdio.h>
#include <time.h>
int main(void) { struct timespec now; timespec_get(&now, TIME_UTC); printf("%ld\\n", now.tv_nsec); return 0; }"""


@pytest.mark.parametrize(("source", "unstable"), [(NOT_THE_SAME, True), ("int main(void) { return 0; }", False)])
def test_a_failing_case_is_run_again_to_see_whether_it_does_the_same(grade: Grade, source: str, unstable: bool) -> None:
    for result in grade(source, cases=(ECHO, HIDDEN)).results:
        assert result.run
        assert result.run.unstable is unstable


def test_a_failing_visible_case_has_a_transcript(grade: Grade) -> None:
    source = ECHOES.replace("char word", 'setbuf(stdout, NULL); printf("Word: "); char word')
    seen, hidden = grade(source, cases=(ECHO, HIDDEN)).results
    assert seen.run
    assert seen.run.transcript == [("out", "Word: "), ("in", "hello\n"), ("out", "hello\n")]
    assert hidden.run
    assert hidden.run.transcript == [("out", "Word: hello\n")]


def test_expected_output_never_enters_a_jail(grade: Grade) -> None:
    source = """#include <stdio.h>
    #include <dirent.h>
    int main(void) { struct dirent* each; DIR* here = opendir(".");
        while ((each = readdir(here))) if (each->d_name[0] != '.') puts(each->d_name); return 0; }"""
    (result,) = grade(source, cases=({**ECHO, "leaves": {"left.txt": "x"}, "output": "program\n"},)).results
    assert result.message == "Your program did not write the file left.txt."


@pytest.mark.parametrize(
    ("source", "verdict", "message"),
    [
        ("print(input())", Verdict.AC, ""),
        ("print(input()", Verdict.SYNTAX, "error at main.py:1: SyntaxError: '(' was never closed"),
        ("\n{}['x']", Verdict.RTE, "stopped with an exception: KeyError: 'x'"),
        ("import sys\nsys.exit(2)", Verdict.RTE, "exit code 2"),
        ("input(); input()", Verdict.RTE, "EOFError"),
    ],
)
def test_a_program_may_be_in_python(grade: Grade, source: str, verdict: Verdict, message: str) -> None:
    (result,) = grade({"main.py": source}, language="python3").results
    assert result.verdict is verdict, result.message
    assert message in result.message
    if "KeyError" in message:
        assert result.run
        assert result.run.where == "main.py:2"


def test_a_program_in_python_imports_its_own_modules(grade: Grade) -> None:
    files = {"start.py": "from words import word\nprint(word())", "words.py": "def word():\n    return input()"}
    assert grade(files, language="python3", main="start.py").results[0].passed


def test_an_exception_that_nothing_catches_is_told(grade: Grade) -> None:
    source = "#include <vector>\nint main() {\n  std::vector<int> few(3);\n  return few.at(7); }"
    (result,) = grade({"main.cpp": source}, language="cpp17").results
    assert result.run
    assert result.run.where == "main.cpp:4"
    assert "Nothing caught the exception std::out_of_range: vector::_M_range_check" in result.message


@pytest.mark.parametrize("number", [*range(1, 32), 99])
def test_every_signal_has_a_sentence(number: int) -> None:
    message = crash_message(number)
    assert message.startswith("Your program crashed with ")
    assert message.endswith(".")


FOUR = tuple({**ECHO, "slug": f"0{n}", "title": f"{n}", "hidden": True} for n in range(4))


def test_a_program_that_loops_is_tried_again_once(jails: Jails) -> None:
    said: list[str] = []
    asked = question(language="python3", cases=FOUR, cpu_s=0.2)
    events = grade_program(asked, {"main.py": b"while True: pass"}, replace(jails, working=said.append))
    graded = ProgramGraded.of(events)
    assert [each.verdict for each in graded.results] == [Verdict.TLE] * 3 + [Verdict.NOT_RUN]
    assert said.count("running the program") == 4


class BusyNeighbours:
    """A sandbox in which so many first runs do not end within their limit."""

    def __init__(self, programs: ProgramSandbox, late: int) -> None:
        self.programs, self.late = programs, late

    def __getattr__(self, name: str) -> Any:
        return getattr(self.programs, name)

    def open(self) -> ProgramJail:
        jail = self.programs.open()
        run = jail.run

        def late_first(command: Command) -> Ended:
            ended, late = run(command), bool(command.stdin and self.late)
            self.late -= late
            return replace(ended, stop=Stop.CPU, cpu_s=9.0) if late else ended

        jail.run = late_first  # type: ignore[method-assign]
        return jail


@pytest.mark.parametrize(("late", "verdict"), [(1, Verdict.AC), (2, Verdict.TLE)])
def test_a_run_that_was_late_is_tried_once_more_before_it_is_charged(late: int, verdict: Verdict, jails: Jails) -> None:
    neighbours: Any = BusyNeighbours(jails.programs(), late)
    busy = replace(jails, programs=lambda: neighbours)
    asked = question(language="python3", cases=(HIDDEN,))
    graded = ProgramGraded.of(grade_program(asked, {"main.py": b"print(input())"}, busy))
    assert [each.verdict for each in graded.results] == [verdict]
