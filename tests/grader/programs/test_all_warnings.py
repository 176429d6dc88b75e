"""Where warnings count, a source cannot hide any: they are those that the options of the command give."""

from collections.abc import Mapping

import pytest

from grader.definition.question import Warnings
from grader.programs.compiling import MOST, MOST_MARKS, PreprocessedReader
from grader.programs.grading import ProgramGraded
from sandbox.api import Verdict
from tests.grader.programs.conftest import ECHO, Grade

pytestmark = pytest.mark.full

ECHOES = (  # reading <iostream> three times would take ten times as long
    '#include <cstdio>\nint main() { char word[9]; if (std::scanf("%8s", word) == 1) std::fputs(word, stdout); }\n'
)
BAD = "int bad() { }\n"  # control reaches the end of it
IGNORED = 'GCC diagnostic ignored "-Wreturn-type"'
QUOTED = '"GCC diagnostic ignored \\"-Wreturn-type\\""'
FOUND = "no return statement in function returning non-void [-Wreturn-type]"

HIDES = {
    "a pragma": f"#pragma {IGNORED}\n{BAD}",
    "a pragma with spaces and comments": f"  # /* a */ pragma /* b */ {IGNORED}\n{BAD}",
    "a continued pragma": f"#pra\\\ngma {IGNORED}\n{BAD}",
    "a digraph": f"%:pragma {IGNORED}\n{BAD}",
    "another kind": f'#pragma GCC diagnostic warning "-Wreturn-type"\n#pragma {IGNORED}\n{BAD}',
    "an operator": f"_Pragma({QUOTED})\n{BAD}",
    "a pasted operator": f"#define PASTE(a, b) a##b\nPASTE(_Pra, gma)({QUOTED})\n{BAD}",
    "an operator within a macro": f"#define IT(x) _Pragma(#x)\nIT({IGNORED})\n{BAD}",
    "a comment in a directive behind a raw string": f'auto a = R"(" /*)";\n#/**/pragma {IGNORED}\n{BAD}',
    "a false end": f'#pragma {IGNORED}\nauto a = R"(\n#pragma GCC diagnostic pop\n)";\n{BAD}',
    "a raw string around the end of a pragma": (
        f'#pragma {IGNORED}\nauto a = R"(\n#pragma GCC diagnostic )"; int bad() {{ }} auto b = R"(\n)";\n'
    ),
    "another file": f'#line 7 "other.h"\n{BAD}',
    "a file handed out": f'#line 1 "given.h"\n{BAD}',
    "a header of the system": f'# 1 "/usr/include/stdio.h" 1 3\n{BAD}',
    "a mark that leaves again": f'# 1 "/usr/include/stdio.h" 1 3\n{BAD}# 9 "main.cpp" 2\n',
    "a mark with a bracket": f'# 1 "a)b" 3\n{BAD}',
    "a mark from a macro": f'#define AT 7 "other.h"\n#line AT\n{BAD}',
    "the file itself as a header of the system": f"# 2 __FILE__ 3\n# 2 \"main.cpp\" 3\n{BAD}",
    "a macro within a header of the system": (
        f"#define __assert_perror_fail a(int) noexcept; }} _Pragma({QUOTED}) int bad() {{ }} extern \"C\" {{ "
        "void __assert_perror_fail\n#include <assert.h>\n"
    ),
    "a macro that hides within a header of the system and ends that": (
        f"#define __assert_perror_fail a(int) noexcept; }} _Pragma(\"GCC diagnostic push\") _Pragma({QUOTED}) "
        "int bad() { } _Pragma(\"GCC diagnostic pop\") extern \"C\" { void __assert_perror_fail\n#include <assert.h>\n"
    ),
    "another operator": f"#undef _Pragma\n#pragma {IGNORED}\n{BAD}",
    "by the time of the day": (
        f"#include <ctime>\n#if __has_include(__TIME__)\n#else\n#pragma {IGNORED}\n#endif\n{BAD}"
    ),
}  # fmt: skip


def graded_cpp(grade: Grade, files: Mapping[str, str], **more: object) -> ProgramGraded:
    usual = {"language": "cpp17", "warnings": Warnings.FAIL, "cases": ({**ECHO, "output": "hello"},)}
    return grade(files, **(usual | more))


@pytest.mark.parametrize("how", HIDES)
def test_a_warning_that_a_source_hides_is_found(grade: Grade, how: str) -> None:
    graded = graded_cpp(grade, {"main.cpp": HIDES[how] + ECHOES}, given={"given.h": ""}, editable=("main.cpp",))
    assert graded.build.built, graded.build.log
    assert FOUND in [each.message for each in graded.build.diagnostics if each.file == "main.cpp"], graded.build.log
    assert graded.build.errors == 0
    assert graded.results[0].verdict is Verdict.CE


HEADER = "#pragma once\n" + BAD.replace("int", "inline int")
IN_HEADERS = {
    "as a header of the system": ({"bad.h": "#pragma GCC system_header\n" + HEADER}, ("bad.h", 3)),
    "called so by a macro": ({"bad.h": '_Pragma("GCC system_header")\n' + HEADER}, ("bad.h", 3)),
    "by a pragma around it": ({"around.h": f'#pragma {IGNORED}\n#include "bad.h"\n', "bad.h": HEADER}, ("bad.h", 2)),
    "in a folder": ({"x/bad.h": "#pragma GCC system_header\n" + HEADER}, ("x/bad.h", 3)),
    "in two steps": (
        {"x/one.h": '#pragma GCC system_header\n#include "../y/bad.h"\n', "y/bad.h": f"#pragma {IGNORED}\n{HEADER}"},
        ("y/bad.h", 3),
    ),
}


@pytest.mark.parametrize("how", IN_HEADERS)
def test_the_warning_is_told_of_its_own_line(grade: Grade, how: str) -> None:
    files, place = IN_HEADERS[how]
    include = f'#include "{next(iter(files))}"\n'
    graded = graded_cpp(grade, {"main.cpp": include + ECHOES, **files}, warnings=Warnings.COST, warning_points=1.0)
    (found,) = graded.build.diagnostics
    assert (found.file, found.line, found.kind) == (*place, "warning")
    assert found.source == files[place[0]].splitlines()[place[1] - 1]
    assert graded.build.warnings == 1


HARMLESS = {
    "no warnings": "",
    "a pragma that hides nothing": f"#pragma GCC diagnostic push\n#pragma {IGNORED}\nint good() {{ return 0; }}\n"
    "#pragma GCC diagnostic pop\n",
    "macros of the system": "#include <cassert>\n#include <climits>\nint most() { assert(INT_MAX); return INT_MAX; }\n",
    "a case that falls through": (
        f"#pragma {IGNORED}\n"
        "int f(int x) { switch (x) { case 1: x++;\n// fall through\ncase 2: x++; } return x; }\n"
    ),
    "what looks like a pragma": (
        f'auto text = R"(\n#pragma {IGNORED}\n# 1 "x.h" 1 3\n)";\n/*\n#pragma GCC diagnostic\n*/\n'
    ),
    "a macro within a header": "#define NDEBUG\n#include <cassert>\n",
    "the whole library": "#include <bits/stdc++.h>\n",
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("what", HARMLESS)
def test_what_hides_nothing_costs_nothing(grade: Grade, what: str) -> None:
    graded = graded_cpp(grade, {"main.cpp": HARMLESS[what] + ECHOES})
    assert graded.build.warnings == 0, graded.build.log
    assert graded.results[0].passed


BENDS = {
    "by a macro that comes back": (
        '#define M\n_Pragma("push_macro(\\"M\\")")\n#undef M\n_Pragma("pop_macro(\\"M\\")")\n'
        f"#ifdef M\n#pragma {IGNORED}\n{BAD}#endif\n"
    ),
    "within a condition": f'#if (0 _Pragma("x") + 1)\n#pragma {IGNORED}\n{BAD}#endif\n',
    "another alphabet": f"_Pragma(L{QUOTED})\n{BAD}",
}


@pytest.mark.parametrize("how", BENDS)
def test_a_source_that_is_another_text_without_its_pragmas_hides_warnings(grade: Grade, how: str) -> None:
    graded = graded_cpp(grade, {"main.cpp": BENDS[how] + ECHOES})
    assert not graded.results[0].passed
    assert graded.build.errors or FOUND in [each.message for each in graded.build.diagnostics]


LONG = "./" * ((4094 - len("./given.h")) // 2) + "given.h"
"""A path that the kernel takes as it is, and no longer with more before it."""

DIFFERS = {
    "by the length of paths": f'#if __has_include("{LONG}")\n#pragma {IGNORED}\n#endif\n{BAD}{ECHOES}',
    "with other code": f'#if __has_include("{LONG}")\n#pragma {IGNORED}\n{BAD}#endif\n{ECHOES}',
    "by the file that is made": f'#if !__has_include("preprocessed")\n#pragma {IGNORED}\n#endif\n{BAD}{ECHOES}',
    "by comments": (
        f"#define DROP(x)\nDROP(\n/**/#define BAD\n)\n#ifdef BAD\n#pragma {IGNORED}\n{BAD}#endif\n{ECHOES}"
    ),
    "where it includes itself": (
        f'#ifndef A\n#define A\n#include "main.cpp"\n{ECHOES}#else\n#pragma GCC system_header\n{BAD}#endif\n'
    ),
    "behind more than is read": f'#pragma message "{"x" * 2000}"\n' * 100 + BAD + ECHOES,
}  # fmt: skip


@pytest.mark.parametrize("how", DIFFERS)
def test_a_source_that_is_another_one_when_it_is_checked_does_not_pass(grade: Grade, how: str) -> None:
    graded = graded_cpp(grade, {"main.cpp": DIFFERS[how]}, given={"given.h": ""}, editable=("main.cpp",))
    assert graded.results[0].verdict is Verdict.CE
    assert graded.build.errors or FOUND in [
        each.message for each in graded.build.diagnostics if each.file == "main.cpp"
    ]


def test_a_file_of_c_that_is_another_one_when_it_is_compiled_does_not_pass(grade: Grade) -> None:
    """gcc reads on only when it has understood what came before."""
    shadows = "static int abs;\nstatic int other;\nint get(void) { return abs + other; }\n"
    ignored = '#if !__has_builtin(abs)\n#pragma GCC diagnostic ignored "-Wunused-variable"\n#endif\n'
    found = grade(
        {"main.c": "int get(void);\n" + shadows + ignored + C_SOURCE.partition("\n")[2]}, warnings=Warnings.FAIL
    )
    assert "unused variable 'unused' [-Wunused-variable]" in [each.message for each in found.build.diagnostics]


OVER = {
    "around it": f'#define HOOK int bad() {{ }}\n\n#pragma {IGNORED}\n#include "given.h"\n',
    "and taken back": f'#pragma GCC diagnostic push\n#define HOOK int bad() {{ }}\n#pragma {IGNORED}\n'
    '#include "given.h"\n#pragma GCC diagnostic pop\n',
    "within it": f'\n#define HOOK _Pragma({QUOTED}) int bad() {{ }}\n#include "given.h"\n',
}  # fmt: skip


@pytest.mark.parametrize("how", OVER)
def test_a_pragma_over_a_file_handed_out_is_told(grade: Grade, how: str) -> None:
    given = {"given.h": "#pragma once\nstruct Card { void a();\nHOOK };\n"}
    graded = graded_cpp(grade, {"main.cpp": OVER[how] + ECHOES}, given=given, editable=("main.cpp",))
    (found,) = graded.build.diagnostics
    assert (found.file, found.message) == ("main.cpp", "this line hides warnings")
    assert found.line in (2, 3)


def test_warnings_of_a_question_that_allows_them_are_as_the_source_wants_them(grade: Grade) -> None:
    files = {"main.cpp": HIDES["a pragma"] + ECHOES}
    assert graded_cpp(grade, files, warnings=Warnings.ALLOW).build.warnings == 0


C_SOURCE = """#pragma GCC diagnostic ignored "-Wunused-variable"
#include <ctype.h>
#include <stdio.h>
int main(void) { int unused; char word[9]; if (scanf("%8s", word) && isalpha(*word)) puts(word); return 0; }
"""


def test_c_is_checked_likewise(grade: Grade) -> None:
    files = {"main.c": C_SOURCE}
    found = grade(files, warnings=Warnings.FAIL).build.diagnostics
    assert [(each.line, each.message) for each in found] == [(4, "unused variable 'unused' [-Wunused-variable]")]


@pytest.mark.parametrize("text", [b"x" * (MOST + 1), b"\n#" * (MOST_MARKS + 1)], ids=["size", "marks"])
def test_too_much_text_is_not_read(text: bytes) -> None:
    assert PreprocessedReader("main.cpp", None).text(text) == b""  # type: ignore[arg-type]
