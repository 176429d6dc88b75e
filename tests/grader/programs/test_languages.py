"""The languages as data, what a question may add to their commands, and their self-tests."""

import pytest
from pydantic import ValidationError

from grader.languages import LANGUAGES
from grader.languages.cpp17 import CPP17
from grader.programs.grading import offered, troubles
from sandbox.api import SandboxUnavailable
from sandbox.programs import ProgramSandbox
from tests.grader.programs.conftest import Grade, question


def test_every_language_works_here(programs: ProgramSandbox) -> None:
    assert {language.slug: trouble for language, trouble in troubles(programs)} == dict.fromkeys(LANGUAGES, "")


def test_nothing_is_offered_where_no_jail_opens() -> None:
    def closed() -> ProgramSandbox:
        raise SandboxUnavailable("bubblewrap is not installed")

    assert offered(closed) == frozenset()


def test_a_language_is_named_after_what_a_definition_calls_it() -> None:
    assert all(slug == language.slug for slug, language in LANGUAGES.items())
    for slug in LANGUAGES:
        assert question(language=slug).language == slug


GOOD = ["-std=c++20", "-Wall", "-Wextra", "-Wno-unused", "-Werror=return-type", "-pedantic", "-O2", "-DNDEBUG"]
GOOD += ["-DSIZE=10", "-Iinclude", "-lm", "-pthread", "-fno-exceptions", "-fmax-errors=5", "-Wformat=2"]
BAD = ["-fplugin=evil.so", "-specs=x", "@file", "-B/tmp", "-wrapper", "-x", "-I/usr/include", "-I../x", "-o", "-c"]
BAD += ["main.cpp", "-Wl,-rpath,/x", "-Wa,--help", "-Wp,-MD", "-lz", "-include", "-imacros", "-E", "-S", "-save-temps"]
BAD += ["-fdump-tree-all", "-fprofile-generate=/x", "-static", "-shared", "-nostdlib", "--sysroot=/", "-isystem", "/x"]
BAD += ["-L.", "-T", "-dumpdir", "-MMD", "-fuse-ld=gold", "-no-integrated-cpp", "-flto", "-Wall -o", "", "-D", "-I"]


@pytest.mark.parametrize("option", GOOD)
def test_an_option_that_says_how_to_compile_is_accepted(option: str) -> None:
    assert question(options=(option,)).options == (option,)


@pytest.mark.parametrize("option", BAD)
def test_any_other_option_is_refused(option: str) -> None:
    with pytest.raises(ValidationError):
        question(options=(option,))


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ((), "g++ -std=c++17 -Wall -Wextra -o program a.cpp"),
        (("-Wno-all", "-Wno-extra"), "g++ -std=c++17 -o program a.cpp"),
        (("-O2", "-Wno-extra", "-lm"), "g++ -std=c++17 -Wall -O2 -o program a.cpp -lm"),
        (("-Wno-unused",), "g++ -std=c++17 -Wall -Wextra -Wno-unused -o program a.cpp"),
    ],
)
def test_options_can_take_back_our_warnings(options: tuple[str, ...], command: str) -> None:
    assert CPP17.shown_build(["a.cpp"], options) == command


def test_a_name_of_a_file_is_no_command_for_whoever_copies_the_one_that_is_shown() -> None:
    assert CPP17.shown_build(["a;$(id).cpp"], ()).endswith(" -o program 'a;$(id).cpp'")


def test_the_usual_level_of_a_compiler_has_the_warnings_that_it_gives_unasked(grade: Grade) -> None:
    source = "int compare(int a, unsigned b) { return a == b; }\nint f() { }\nint main() { return 0; }\n"
    options = ("-Wno-all", "-Wno-extra")
    found = grade({"main.cpp": source}, language="cpp17", options=options, cases=()).build.diagnostics
    assert [each.line for each in found] == [2]


def test_a_language_that_is_not_compiled_takes_no_options() -> None:
    with pytest.raises(ValidationError, match="not compiled"):
        question(language="python3", options=("-O2",))
