"""What every sandbox for programs promises."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sandbox.api import SandboxError
from sandbox.backends.bubblewrap import BubblewrapPrograms
from sandbox.programs import Command, Ended, ProgramJail, ProgramLimits, ProgramSandbox, Stop

LIMITS = ProgramLimits(cpu_s=0.3, wall_s=5.0, memory=96 << 20, output=1 << 16, errors=1 << 10, scratch=1 << 20)
COMPILER = ProgramLimits(cpu_s=30.0, wall_s=60.0, memory=1 << 30, processes=64)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ProgramSandbox]:
    with BubblewrapPrograms() as opened:
        yield opened


@pytest.fixture(scope="module")
def jail(sandbox: ProgramSandbox) -> Iterator[ProgramJail]:
    with sandbox.open() as opened:
        yield opened


def python(jail: ProgramJail, source: str, **more: object) -> Ended:
    """A program in Python: quicker to make than a compiled one, and in the same jail."""
    given = {"limits": LIMITS, "tools": ("python3",), **more}
    return jail.run(Command(("python3", "main.py"), {"main.py": source.encode()}, **given))  # type: ignore[arg-type]


def compiled(jail: ProgramJail, source: str, *flags: str, tool: str = "g++") -> Ended:
    name = "main.cpp" if tool == "g++" else "main.c"
    argv = (tool, *flags, "-o", "main", name)
    files = {name: source.encode()}
    return jail.run(Command(argv, files, kept=("main",), tools=(tool,), compiles=True, limits=COMPILER))


def built(jail: ProgramJail, source: str, stdin: bytes = b"", *flags: str, **more: object) -> Ended:
    """A program in C++, compiled and run."""
    program = compiled(jail, source, *flags)
    assert "main" in program.kept, program.stderr.decode()
    given = {"limits": LIMITS, "stdin": stdin, **more}
    return jail.run(Command(("./main",), program.kept, frozenset({"main"}), **given))  # type: ignore[arg-type]


HELLO = '#include <iostream>\n#include <string>\nint main() { std::string s; std::cin >> s; std::cout << "hi " << s; }'


def test_a_program_is_compiled_and_run(jail: ProgramJail) -> None:
    ended = built(jail, HELLO, b"you\n")
    assert (ended.stop, ended.code, ended.stdout, ended.stderr) == (Stop.EXITED, 0, b"hi you", b"")
    assert not ended.starved
    assert 0 < ended.cpu_s < LIMITS.cpu_s
    assert 0 < ended.memory < LIMITS.memory


def test_a_compiler_says_what_is_wrong_in_the_students_file(jail: ProgramJail) -> None:
    ended = compiled(jail, "int main() { return x; }")
    assert (ended.stop, ended.code) == (Stop.EXITED, 1)
    assert b"main.cpp:1:21: error:" in ended.stderr
    assert ended.kept == {}


def test_c_is_compiled_too(jail: ProgramJail) -> None:
    program = compiled(jail, '#include <stdio.h>\nint main(void) { puts("C"); return 3; }', "-Wall", tool="gcc")
    ended = jail.run(Command(("./main",), program.kept, frozenset({"main"}), limits=LIMITS))
    assert (ended.code, ended.stdout) == (3, b"C\n")


ENDS = [
    ("print(1)", Stop.EXITED, 0),
    ("raise SystemExit(7)", Stop.EXITED, 7),
    ("import os; os.abort()", Stop.SIGNALLED, 6),
    ("import ctypes; ctypes.string_at(0)", Stop.SIGNALLED, 11),
    ("while True: pass", Stop.CPU, 9),
    ("x = [bytearray(1 << 20) for _ in range(4096)]", Stop.MEMORY, 9),
    ("bytearray(1 << 40)", Stop.MEMORY, 1),
    ("while True: print('x' * 9999)", Stop.OUTPUT, 9),
    ("import socket; socket.socket()", Stop.BLOCKED, 31),
    ("import os; os.execv('/py/bin/python3', ['python3'])", Stop.BLOCKED, 31),
]


@pytest.mark.parametrize(("source", "stop", "code"), ENDS)
def test_it_is_told_how_a_program_ended(jail: ProgramJail, source: str, stop: Stop, code: int) -> None:
    ended = python(jail, source)
    assert (ended.stop, ended.code) == (stop, code), ended


def test_files_are_read_back_but_no_links(jail: ProgramJail) -> None:
    source = """
import os
os.makedirs("a/b")
open("a/b/c", "wb").write(b"deep")
open("empty", "w")
os.mkdir("folder")
"""
    ended = python(jail, source, kept=("a/b/c", "empty", "folder", "nothing", "main.py"))
    assert ended.kept == {"a/b/c": b"deep", "empty": b"", "main.py": source.encode()}


def test_a_run_begins_with_its_files_and_no_others(jail: ProgramJail) -> None:
    assert python(jail, "open('left', 'w')").code == 0
    ended = python(jail, "import os; print(sorted(os.listdir('.')), os.path.basename(os.getcwd()))")
    assert ended.stdout == b"['main.py'] scratch\n"


def test_input_line_by_line_makes_a_transcript(jail: ProgramJail) -> None:
    source = "print('name? ', end='', flush=True)\nx = input()\nprint('age? ', end='', flush=True)\ninput()\nprint(x)"
    ended = python(jail, source, stdin=b"Ann\n7\n", paced=True)
    assert ended.transcript == (
        ("out", b"name? "),
        ("in", b"Ann\n"),
        ("out", b"age? "),
        ("in", b"7\n"),
        ("out", b"Ann\n"),
    )
    assert ended.stdout == b"name? age? Ann\n"
    assert not ended.starved


@pytest.mark.parametrize("paced", [False, True])
@pytest.mark.parametrize(("source", "starved"), [("input()", False), ("input(); input()", True), ("pass", False)])
def test_reading_past_the_end_of_input_is_told(jail: ProgramJail, source: str, starved: bool, paced: bool) -> None:
    assert python(jail, source, stdin=b"one line\n", paced=paced).starved == starved


def test_a_program_that_sleeps_is_told_from_one_that_computes(jail: ProgramJail) -> None:
    ended = python(jail, "import time; print('so far', flush=True); time.sleep(30)", limits=replace(LIMITS, wall_s=0.2))
    assert (ended.stop, ended.stdout, ended.waited) == (Stop.WALL, b"so far\n", False)


def test_more_errors_than_are_kept_are_dropped_and_the_program_goes_on(jail: ProgramJail) -> None:
    ended = python(jail, "import sys\nfor _ in range(100): sys.stderr.write('e' * 9999)\nprint('done')")
    assert (ended.stop, ended.stdout, len(ended.stderr)) == (Stop.EXITED, b"done\n", LIMITS.errors)


def test_long_input_and_output_go_through(jail: ProgramJail) -> None:
    ended = python(jail, "import sys; sys.stdout.write(sys.stdin.read()[:-1])", stdin=b"x" * 65_000 + b"\n")
    assert ended.stdout == b"x" * 65_000


def test_a_missing_program_ends_as_in_a_shell(jail: ProgramJail) -> None:
    ended = jail.run(Command(("./nothing",), {}, limits=LIMITS))
    assert (ended.stop, ended.code) == (Stop.EXITED, 127)
    assert b"No such file" in ended.stderr


@pytest.mark.parametrize("name", ["../x", "/x", "a/../x", "", "a//b", "."])
def test_names_that_lead_out_of_the_scratch_folder_are_refused(jail: ProgramJail, name: str) -> None:
    with pytest.raises(SandboxError):
        jail.run(Command(("./x",), {name: b""}, limits=LIMITS))


def test_tools_are_named_with_what_is_missing(sandbox: ProgramSandbox) -> None:
    assert sandbox.missing("g++") == ""
    assert "there is no toolchain 'java'" in sandbox.missing("java")
    assert sandbox.version("g++").startswith("g++ (")
