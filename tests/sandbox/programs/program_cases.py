"""The attacks of `hostile_programs/`, and what must become of each.

The comment lines at the top of a file say what must happen. The first is the verdict: `survives` (it came to its end
and got nothing), or how it `Ended`: `blocked`, `cpu`, `exited 1`, `signalled 11`, … or several of these with `or`
between them. Lines after it may say

- `printed: REGEX`: what its whole standard output must match (`nothing\\n` for one that survives),
- `said: REGEX`: what must be found in its standard error; `silent: yes`: that there must be none,
- `limits: cpu_s=0.2 memory=67108864`: other limits than `LIMITS`,
- `each: A B C`: it is run once for each of these, as its argument (for a compiler, as the macro `EACH`),
- `kept: NAMES` and `keeps: NAMES`: which files are asked for, and which must come,
- `stdin: TEXT` or `stdin_kib: N`, `paced: yes`, `starved: yes`,
- `differs: WHY`: why it may print something else when it is run again,
- `file: NAME = TEXT`: what else is in the scratch folder,
- `options: OPTIONS`: of the compiler, for a program that is run; `argv: …`: the whole command, for what is compiled,
- `builds: yes` or `no`: whether there must be a program afterwards,
- `only: x86_64` or `only: nested`: on which machine, or that each command needs namespaces of its own for it.

No program may ever print `LEAK`, and nobody may get the marker, which lies where secrets could lie
(`program_suite.secrets`).
"""

import platform
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from sandbox.host.seccomp import KILLED, MACHINES
from sandbox.programs import Command, Ended, ProgramLimits

FOLDER: Final = Path(__file__).parents[1] / "hostile_programs"
LIMITS: Final = ProgramLimits(cpu_s=2.0, wall_s=10.0, memory=128 << 20, scratch=16 << 20, files=500)
COMPILER: Final = replace(LIMITS, cpu_s=10.0, wall_s=30.0, memory=512 << 20, scratch=32 << 20, processes=64)
PROGRAM: Final = "hostile-program"
MARKER: Final = b"quadrille-marker"
NUMBERS: Final = MACHINES[platform.machine()].numbers
EVERY_CALL: Final = [name for name in KILLED if name in NUMBERS and name != "pidfd_open"]
"""The system calls that only an attack would make. (The one that is left out is refused.)"""


@dataclass(frozen=True)
class Case:
    """One attack, and what must become of it."""

    name: str
    verdicts: tuple[str, ...]
    command: Command
    source: Path | None = None
    options: tuple[str, ...] = ()
    printed: str = r"(?s).*"
    said: str = ""
    silent: bool = False
    keeps: frozenset[str] | None = None
    starved: bool = False
    differs: str = ""
    dies_in_s: float = 1.0  # of CPU time, until the last process is dead

    @property
    def keeps_a_compiler_busy(self) -> bool:
        """Whether it is a compilation that may take all the time it has."""
        return self.name.startswith("compile/") and "cpu" in self.verdicts

    def wrong(self, ended: Ended) -> str:
        """What is not as it must be; "" if all is."""
        found = [
            ("" if any(_is(verdict, ended) for verdict in self.verdicts) else "ended otherwise"),
            ("" if re.fullmatch(self.printed, ended.stdout.decode("latin-1")) else "printed something else"),
            ("" if re.search(self.said, ended.stderr.decode("latin-1")) else "said something else"),
            ("said something" if self.silent and ended.stderr else ""),
            ("" if self.keeps is None or self.keeps == ended.kept.keys() else "other files"),
            ("" if ended.kept.keys() <= set(self.command.kept) else "files that nobody asked for"),
            ("not starved" if self.starved and not ended.starved else ""),
            *_excesses(self.command.limits, self.dies_in_s, ended),
            *(_leaks(name, content) for name, content in _contents(ended)),
        ]
        return ", ".join(one for one in found if one)


def _is(verdict: str, ended: Ended) -> bool:
    stop, _, code = verdict.replace("survives", "exited 0").partition(" ")
    return ended.stop == stop and code in ("", str(ended.code))


def _contents(ended: Ended) -> Iterator[tuple[str, bytes]]:
    yield "standard output", ended.stdout
    yield "standard error", ended.stderr
    yield from ended.kept.items()


def _leaks(name: str, content: bytes) -> str:
    found = next((one for one in (b"LEAK", MARKER, b"root:x:0:", b"root:*:") if one in content), b"")
    return f"{found.decode()} in {name}" if found else ""


def _excesses(limits: ProgramLimits, dies_in_s: float, ended: Ended) -> Iterator[str]:
    kept = sum(len(content) for content in ended.kept.values())
    for what, size, limit in (
        ("output", len(ended.stdout), limits.output),
        ("mistakes", len(ended.stderr), limits.errors),
        ("files", kept, limits.scratch),
        ("CPU time", ended.cpu_s, 2 * limits.cpu_s + dies_in_s),
        ("memory", ended.memory, limits.memory + (64 << 20)),  # the margin of an address space
    ):
        if size > limit:
            yield f"{what}: {size} of {limit}"


# What is too long for a file, or no text


def _odd_source(name: str, source: bytes, *verdicts: str) -> Case:
    limits = COMPILER if verdicts else _BRIEFLY  # what must come to its end gets the time for it
    command = Command(_GPP, {"main.cpp": source}, kept=("program",), tools=("g++",), compiles=True, limits=limits)
    return Case(f"compile/{name}", verdicts or ("exited", "cpu", "memory"), command)


def _odd_program(name: str, content: bytes) -> Case:
    command = Command((f"./{PROGRAM}",), {PROGRAM: content}, frozenset({PROGRAM}), limits=LIMITS)
    return Case(f"loading/{name}", ("exited", "signalled"), command, printed="")


_GPP: Final = ("g++", "-std=c++17", "-Wall", "-o", "program", "./main.cpp")
_BRIEFLY: Final = replace(COMPILER, cpu_s=0.2)
_MAIN: Final = b"int main() { return 0; }\n"
_HEADER: Final = b"\x7fELF\x02\x01\x01" + bytes(9)

GENERATED: Final = [
    _odd_source("null_bytes", b"\0" * 1000 + _MAIN),
    _odd_source("no_text", bytes(range(256)) * 4000),
    _odd_source("empty", b"", "exited 1"),
    _odd_source("sixteen_bits", _MAIN.decode().encode("utf-16"), "exited 1"),
    _odd_source("long_comment", b"//" + b"x" * (8 << 20) + b"\n" + _MAIN, "exited 0"),
    _odd_source("long_name", b"int " + b"x" * (2 << 20) + b";\n" + _MAIN),
    _odd_source("joined_lines", b"\\\n" * (1 << 20) + _MAIN),
    _odd_source("parentheses", b"int x = " + b"(" * 200_000 + b"1" + b")" * 200_000 + b";\n" + _MAIN),
    _odd_source("minuses", b"int x = " + b"- " * 200_000 + b"1;\n" + _MAIN),
    _odd_source("pluses", b"int x = 1" + b"+ 1" * 200_000 + b";\n" + _MAIN),
    _odd_source("blocks", b"int main() " + b"{" * 200_000 + b"}" * 200_000),
    _odd_source(
        "angle_brackets", b"template <class T> struct A {};\n" + b"A<" * 20_000 + b"int" + b">" * 20_000 + b" x;"
    ),
    _odd_source("pointers", b"int " + b"*" * 200_000 + b"x;\n" + _MAIN),
    _odd_source("open_string", b'auto x = R"(' + b"x" * (4 << 20), "exited 1"),
    _odd_source("numbers", b"int x[] = {" + b"1," * 2_000_000 + b"};\n" + _MAIN),
    _odd_program("empty", b""),
    _odd_program("text", b"hello\n"),
    _odd_program("script", b"#!/bin/sh\necho LEAK\n"),
    _odd_program("script_of_itself", f"#!./{PROGRAM}\n".encode()),
    _odd_program("header_only", _HEADER),
    _odd_program("of_another_machine", _HEADER + b"\x02\x00\xf3\x00\x01" + bytes(43)),
    _odd_program(
        "terabytes",
        _HEADER
        + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x400000, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        + struct.pack("<IIQQQQQQ", 1, 7, 0, 0x400000, 0x400000, 120, 1 << 46, 4096),
    ),
]

# Reading the folder


@cache
def cases(nested: bool = True) -> list[Case]:
    """All that apply to this machine. What is in `compile` is compiled. Everything else is run; what is in `taken_over`
    in the place of a compiler. `nested`: commands have namespaces of their own."""
    found = [*GENERATED]
    for path in sorted(FOLDER.glob("*/*.*")):
        said = _header(path)
        if said.get("only", "") not in ("", platform.machine(), "nested" if nested else ""):
            continue
        found += [_read(path, said, each) for each in _each(path, said)]
    return found


def _each(path: Path, said: dict[str, str]) -> list[str]:
    if path.stem == "by_number":
        return [name for name in EVERY_CALL if path.parent.name != "taken_over" or name != "execve"]
    return said.get("each", "").split() or [""]


def _header(path: Path) -> dict[str, str]:
    said: dict[str, str] = {}
    for line in path.read_text().splitlines():
        if not re.match("//|# ", line):
            break
        if key := re.match(r"(?://|#) (\w+): ?(.*)", line):
            name = key[1] if key[1] != "file" else "file " + key[2].partition(" = ")[0]
            said[name] = key[2].partition(" = ")[2] if key[1] == "file" else key[2]
    return said


def _read(path: Path, said: dict[str, str], each: str) -> Case:
    verdicts = tuple(said["verdict"].split(" or "))
    compiled = path.parent.name == "compile"
    command = _compilation(path, said, each) if compiled else _execution(path, said, each)
    printed = said.get("printed", r"nothing\n" if verdicts == ("survives",) else r"(?s).*")
    keeps = frozenset(said["keeps"].split()) if "keeps" in said else None
    if compiled and "builds" in said:
        keeps = frozenset({"program"} if said["builds"] == "yes" else ())
    return Case(
        name=f"{path.parent.name}/{path.stem}" + (f" {each}" if each else ""),
        verdicts=verdicts,
        command=replace(command, files={**command.files, **_files(said)}),
        source=None if compiled or path.suffix == ".py" else path,
        options=tuple(said.get("options", "").split()),
        printed=printed,
        said=said.get("said", ""),
        silent="silent" in said,
        keeps=keeps,
        starved="starved" in said,
        differs=said.get("differs", ""),
        dies_in_s=float(said.get("dies_in_s", Case.dies_in_s)),
    )


def _files(said: dict[str, str]) -> dict[str, bytes]:
    given = {key.removeprefix("file "): text for key, text in said.items() if key.startswith("file ")}
    return {name: text.replace(r"\n", "\n").encode() + b"\n" for name, text in given.items()}


def _limits(said: dict[str, str], usual: ProgramLimits) -> ProgramLimits:
    given = (item.split("=") for item in said.get("limits", "").split())
    return replace(usual, **{name: float(size) if name.endswith("_s") else int(size) for name, size in given})  # type: ignore[arg-type]


def _compilation(path: Path, said: dict[str, str], each: str) -> Command:
    argv = said.get("argv", "g++ -std=c++17 -Wall -o program ./main.cpp").split()
    return Command(
        argv=(*argv, f'-DEACH="{each}"') if each else tuple(argv),
        files={"main.cpp": path.read_bytes()},
        kept=("program",),
        tools=("g++",),
        compiles=True,
        limits=_limits(said, COMPILER),
    )


def _execution(path: Path, said: dict[str, str], each: str) -> Command:
    stdin = b"input\n" * (int(said.get("stdin_kib", 0)) * 171) + said.get("stdin", "").replace(r"\n", "\n").encode()
    python, compiler = path.suffix == ".py", path.parent.name == "taken_over"
    return Command(
        argv=(
            *(("python3", path.name) if python else (f"./{PROGRAM}",)),
            *([str(NUMBERS.get(each, each))] if each else []),
        ),
        files={path.name: path.read_bytes()} if python else {},
        executable=frozenset() if python else frozenset({PROGRAM}),
        stdin=stdin,
        kept=tuple(said.get("kept", "").split()),
        tools=("python3",) if python else ("g++",) if compiler else (),
        compiles=compiler,
        paced="paced" in said,
        limits=_limits(said, COMPILER if compiler else LIMITS),
    )
