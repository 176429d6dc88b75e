"""Reading what compilers print: places, plain words, and which of it a student sees first."""

import os
import shutil

import pytest

from grader.programs.building import MOST, MOST_LINES, MOST_LOG, parse, worth_showing
from sandbox.api import SentText
from tests.grader.programs.mistakes import MISTAKES, Mistake, compiled

pytestmark = pytest.mark.full


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_told_in_plain_words_at_its_line(mistake: Mistake) -> None:
    first, *_ = worth_showing(parse(mistake.log, {mistake.file: mistake.text}))
    assert (first.file, first.line, first.plain) == (
        mistake.file if mistake.line else first.file,
        mistake.line,
        mistake.plain,
    )
    lines = mistake.text.splitlines()
    assert first.source == (lines[mistake.line - 1] if mistake.line else "")


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_the_compiler_of_this_machine_says_the_same(mistake: Mistake) -> None:
    if shutil.which("g++") is None:
        if os.environ.get("CI"):
            pytest.fail("g++ is not installed")
        pytest.skip("g++ is not installed")
    now, then = (worth_showing(parse(log, {mistake.file: mistake.text})) for log in (compiled(mistake), mistake.log))
    assert [each.plain for each in now] == [each.plain for each in then]


FOUR = """\
#include <iostream>
int main() {
    std::vector<int> cards;
    string name = "Ada";
    std::cout << name << cards.size();
    return cards.back()
}
"""
"""A file with four mistakes, the third and fourth of which follow from the others."""

LOG = """\
main.cpp: In function ‘int main()’:
main.cpp:3:10: error: ‘vector’ is not a member of ‘std’
    3 |     std::vector<int> cards;
      |          ^~~~~~
main.cpp:2:1: note: ‘std::vector’ is defined in header ‘<vector>’; did you forget to ‘#include <vector>’?
    1 | #include <iostream>
  +++ |+#include <vector>
    2 | int main() {
main.cpp:3:17: error: expected primary-expression before ‘int’
    3 |     std::vector<int> cards;
      |                 ^~~
main.cpp:4:5: error: ‘string’ was not declared in this scope
    4 |     string name = "Ada";
      |     ^~~~~~
main.cpp:4:5: note: suggested alternatives:
In file included from /usr/include/c++/12/iosfwd:39,
                 from /usr/include/c++/12/iostream:39,
                 from main.cpp:1:
/usr/include/c++/12/bits/stringfwd.h:77:33: note:   ‘std::string’
   77 |   typedef basic_string<char>    string;
      |                                 ^~~~~~
main.cpp:5:18: error: ‘name’ was not declared in this scope
    5 |     std::cout << name << cards.size();
      |                  ^~~~
main.cpp:5:26: error: ‘cards’ was not declared in this scope
    5 |     std::cout << name << cards.size();
      |                          ^~~~~
main.cpp:3:22: warning: unused variable ‘cards’ [-Wunused-variable]
"""


def test_what_only_follows_from_another_error_is_left_out_but_counted() -> None:
    found = parse(LOG, {"main.cpp": FOUR})
    assert [(each.kind, each.line) for each in found] == [
        ("error", 3),
        ("error", 3),
        ("error", 4),
        ("error", 5),
        ("error", 5),
        ("warning", 3),
    ]
    assert [each.line for each in worth_showing(found)] == [3, 4]


def test_what_a_linker_says_of_each_file_is_shown_once() -> None:
    log = "".join(f"/usr/bin/ld: {name}.cpp:(.text+0x1f): undefined reference to `draw()'\n" for name in "ab")
    assert len(worth_showing(parse(log, {"a.cpp": "", "b.cpp": ""}))) == 1


def test_errors_come_before_warnings() -> None:
    log = "a.cpp:1:1: warning: unused parameter ‘n’ [-Wunused-parameter]\nb.cpp:1:1: error: expected ‘;’ before ‘}’\n"
    assert [each.file for each in worth_showing(parse(log, {"a.cpp": "", "b.cpp": ""}))] == ["b.cpp", "a.cpp"]


def test_a_header_s_warning_is_counted_once_however_many_files_include_it() -> None:
    once = "In file included from {}:1:\ncards/Card.h:2:9: warning: unused variable ‘n’ [-Wunused-variable]\n"
    sources = {"a.cpp": "", "b.cpp": "", "cards/Card.h": "\n    int n;\n"}
    (found,) = parse(once.format("a.cpp") + once.format("b.cpp"), sources)
    assert (found.file, found.line, found.column, found.source) == ("cards/Card.h", 2, 9, "    int n;")


SYSTEM = "/usr/include/c++/12/bits/stl_algo.h:1940:33: error: no match\n"
SYSTEMS = [
    (SYSTEM, "<bits/stl_algo.h>", 1940, "no match"),
    (
        "In file included from /usr/include/c++/12/algorithm:61,\n                 from ./main.cpp:3:\n" + SYSTEM,
        "main.cpp",
        3,
        "no match (in <bits/stl_algo.h>)",
    ),
    (
        "/usr/include/c++/12/bits/stl_algo.h:4820:18:   required from ‘void std::sort()’\n"
        "main.cpp:7:14:   required from here\n" + SYSTEM,
        "main.cpp",
        7,
        "no match (in <bits/stl_algo.h>)",
    ),
]


@pytest.mark.parametrize(("log", "file", "line", "message"), SYSTEMS)
def test_an_error_in_a_header_of_the_system_is_told_of_the_line_that_led_there(
    log: str, file: str, line: int, message: str
) -> None:
    (found,) = parse(log, {"main.cpp": "\n" * 9})
    assert (found.file, found.line, found.message) == (file, line, message)


LINKED = [
    (
        "/usr/bin/ld: obj/cards/Deck.o: in function `Deck::draw()':\n"
        "Deck.cpp:(.text+0x1f): undefined reference to `Deck::shuffle()'\ncollect2: error: ld returned 1 exit status\n",
        ("cards/Deck.cpp", 0, "Deck::shuffle() is declared and used, but never defined."),
    ),
    (
        "/usr/bin/ld: /tmp/h.o: in function `twice()':\n"
        "cards/Deck.cpp:7: multiple definition of `twice()'; g.o:main.cpp:(.text+0x0): first defined here\n",
        ("cards/Deck.cpp", 7, "twice() is defined twice, also in main.cpp."),
    ),
    (
        "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `n'; a.o:(.bss+0x0): first defined here\n",
        ("", 0, "n is defined twice, also in a.o."),
    ),
    ("g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n", ("", 0, "")),
    (
        '  File "main.py", line 2\n    print("a"\n         ^\nSyntaxError: \'(\' was never closed\n',
        ("main.py", 2, "The ( is never closed."),
    ),
]


@pytest.mark.parametrize(("log", "told"), LINKED)
def test_what_linkers_and_other_tools_say(log: str, told: tuple[str, int, str]) -> None:
    sources = {"cards/Deck.cpp": "\n" * 9, "main.cpp": "", "main.py": '\nprint("a"\n'}
    (found,) = worth_showing(parse(log, sources))
    assert (found.file, found.line) == told[:2]
    assert found.plain.startswith(told[2])


def test_what_a_student_makes_the_compiler_say_is_shortened_and_safe() -> None:
    text = "x" * 100_000
    log = "".join(f"a.cpp:{line}:1: error: #error \x1b[2J {line} {text}\n" for line in range(1, 100))
    found = worth_showing(parse(log, {"a.cpp": text}))
    assert len(found) == MOST
    assert all(len(each.message) + len(each.source) < 2000 and "\x1b" not in each.message for each in found)


@pytest.mark.parametrize("log", ["x" * MOST_LOG + "\n", "\n" * (MOST_LINES + 1)], ids=["long", "many lines"])
def test_a_log_that_is_not_read_to_its_end_counts_as_a_warning(log: str) -> None:
    (found,) = parse(SentText(log + "a.cpp:1:1: error: one\n"), {"a.cpp": ""})
    assert (found.kind, found.message[:32]) == ("warning", "The compiler’s output was cut of")


def test_only_what_is_shown_is_put_in_plain_words() -> None:
    log = "".join(f"a.cpp:{line}:2: warning: variable 'a{line}' set but not used\n" for line in range(1, 5000))
    found = parse(SentText(log), {"a.cpp": "x;\n" * 5000})
    assert (len(found), {each.plain for each in found}) == (4999, {""})
    assert len([each for each in worth_showing(found) if each.plain]) == MOST


def test_a_log_without_diagnostics_gives_none() -> None:
    assert parse("", {}) == parse("\n  ^~~\nall right\n", {"a.cpp": ""}) == {}
    assert worth_showing({}) == []
