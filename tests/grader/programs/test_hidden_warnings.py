"""Lines that hide a compiler's warnings are found, however they are written."""

from time import process_time

import pytest

from grader.programs.compile.hidden_warnings import hidden_warnings

HIDES = [
    '#pragma GCC diagnostic ignored "-Wall"',
    "  #  pragma GCC diagnostic push",
    "#pragma GCC system_header",
    "/* a */ #pragma GCC system_header",
    "# /* a */ pragma GCC /* b */ diagnostic pop",
    '#line 3 "other.h"',
    '# 1 "/usr/include/x.h" 1 3',
    'int a; _Pragma("GCC diagnostic ignored \\"-Wall\\"")',
    "%:pragma GCC system_header",
]
HARMLESS = ["#pragma once", '#include "a.h"', 'puts("#1 pragma GCC diagnostic");', "#if 1", "int line;", "// _pragma"]


@pytest.mark.parametrize("line", HIDES)
def test_a_line_that_hides_warnings_is_found(line: str) -> None:
    (found,) = hidden_warnings("a.cpp", f"int a;\n{line}\nint b;\n")
    assert (found.file, found.line, found.kind, found.source) == ("a.cpp", 2, "warning", line.strip())


@pytest.mark.parametrize("line", HARMLESS)
def test_any_other_line_is_not(line: str) -> None:
    assert not list(hidden_warnings("a.cpp", f"int a;\n{line}\nint b;\n"))


def test_lines_that_were_continued_count_as_they_are_written() -> None:
    text = "int \\\na;\n#pra\\\ngma GCC diagnostic push\n"
    assert [found.line for found in hidden_warnings("a.cpp", text)] == [3]


@pytest.mark.parametrize("part", ["#/*\n", "\n", " ", "/*", "#pragma GCC diagnostic\n", '"', "_Pragma", "# "])
def test_it_takes_time_in_proportion(part: str) -> None:
    text = (part * (1 << 20))[: 1 << 18]
    started = process_time()
    list(hidden_warnings("a.cpp", text))
    assert process_time() - started < 5
