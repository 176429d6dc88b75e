"""Describes the languages of programs: how each is compiled and run."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from sandbox.api import Verdict
from sandbox.programs import ProgramLimits

BUILDING: Final = ProgramLimits(
    cpu_s=30.0, wall_s=60.0, memory=1 << 30, output=1 << 20, errors=256 << 10, scratch=64 << 20, processes=64
)
"""The limits of one compiler command."""

MOST_ERRORS: Final = ("-fmax-errors=50",)  # more errors would take long and be of no use
BINARY: Final = "program"  # the file name of the linker's output
OBJECT: Final = "object.o"  # the file name of the compiler's output
PREPROCESSED: Final = "preprocessed"  # the file name of a preprocessed source
_NAMELESS: Final = ("-dumpbase", "source")
"""Options that give the source a neutral name. The compiler and the assembler, which receive the name, would read
`@x.cpp` as a file of options."""

_ALWAYS: Final = (
    "-Wno-builtin-macro-redefined",
    *(f'-D__{name}__="{text}"' for name, text in (("DATE", "Jan  1 1970"), ("TIME", "00:00:00"))),
    '-D__TIMESTAMP__="Thu Jan  1 00:00:00 1970"',
)
"""Options that make preprocessing reproducible."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language. `tool` is the toolchain that a worker needs. `sources` and `headers` are suffixes of file names.
    `compiler` is the beginning of the commands that compile and link. In a language without a compiler, `check` is the
    command that reads the sources and prints errors as compilers do, and `interpreter` runs the main file. `unbuilt` is
    the verdict of a program that cannot be built. `self_test` is a program that reads a word and prints it. The options
    `steady` make preprocessing independent of the files that the compiler has read before. `code` is the name of the
    language in problem packages, which can use `package_suffixes` in addition to `sources`. Questions imported from
    packages use `package_options`, because contest judges optimize and allow GNU extensions."""

    slug: str
    title: str
    tool: str
    sources: tuple[str, ...]
    self_test: Mapping[str, str]
    code: str
    package_suffixes: tuple[str, ...] = ()
    package_options: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    compiler: tuple[str, ...] = ()
    steady: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    interpreter: tuple[str, ...] = ()
    main: str = ""
    unbuilt: Verdict = Verdict.CE
    building: ProgramLimits = field(default=BUILDING)

    @property
    def compiled(self) -> bool:
        """Whether programs in this language are compiled."""
        return bool(self.compiler)

    @property
    def main_file(self) -> str:
        """The usual name of the main file, used unless a question sets another."""
        return self.main or f"main{self.sources[0]}"

    def is_source(self, path: str) -> bool:
        """Whether the file is compiled as a separate source."""
        return PurePosixPath(path).suffix in self.sources

    def compile(self, source: str, options: Sequence[str]) -> tuple[str, ...]:
        """Return the command that compiles a source to `OBJECT`."""
        return self._of_one(options, "./", "-o", OBJECT, "-c", f"./{source}")

    def search(self, made: str) -> tuple[str, ...]:
        """Return the command that prints the search folders for system headers, and writes the file `made`."""
        return (*self.compiler, "-E", "-v", "-o", made, f"./empty{self.sources[0]}")

    def preprocess(
        self, source: str, options: Sequence[str], made: str, secret: str, folders: Sequence[str]
    ) -> tuple[str, ...]:
        """Return the command that writes the preprocessed source to the file `made`, with the prefix `secret` on every
        path."""
        own = f".{secret}/"
        if not secret:
            return self._of_one(options, own, "-o", made, "-E", own + source)
        hidden = [f"-I{own}{each[2:]}" if each.startswith("-I") else each for each in options]
        headers = (word for each in folders for word in ("-isystem", secret + each))
        plain = ("-fno-canonical-system-headers", "-nostdinc")
        return self._of_one(hidden, own, *plain, *headers, "-o", made, "-E", own + source)

    def compile_preprocessed(self, options: Sequence[str], what: str) -> tuple[str, ...]:
        """Return the command that compiles `PREPROCESSED` if `what` is -c, or removes its comments if `what` is -E."""
        return self._of_one(options, "./", "-o", OBJECT, "-fpreprocessed", what, f"./{PREPROCESSED}{self.sources[0]}")

    def _of_one(self, options: Sequence[str], folder: str, *more: str) -> tuple[str, ...]:
        compiler = (*self._with(options), *MOST_ERRORS, *_ALWAYS, *_NAMELESS)
        return (*compiler, f"-ffile-prefix-map={folder}=", *more)  # `__FILE__` is the path without this folder

    def look_over(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Return the command with which the interpreter checks sources without running them."""
        return (*self.check, *(f"./{source}" for source in sources))

    def link(self, objects: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
        """Return the command that links objects into a program. It links statically, so that a run needs no other
        file."""
        named = (f"./{each}" for each in objects)
        return (*self._with(options), "-static", *named, "-o", BINARY, *_of_linker(options))

    def run(self, main: str) -> tuple[str, ...]:
        """Return the command that runs a built program, without its arguments."""
        return (f"./{BINARY}",) if self.compiled else (*self.interpreter, main or self.main)

    def shown_build(self, sources: Sequence[str], options: Sequence[str]) -> str:
        """Return the command with which a student can compile the program."""
        if not self.compiled:
            return ""
        command = (*self._with(options), "-o", BINARY, *sources, *_of_linker(options))
        return shlex.join(part for part in command if part != "-fdiagnostics-color=never")

    def _with(self, options: Sequence[str]) -> list[str]:
        """Return the compiler's command with options. `-Wno-all` removes only the language's own `-Wall`, and
        `-Wno-extra` only its `-Wextra`."""
        gone = {word for name in ("all", "extra") if (no := f"-Wno-{name}") in options for word in (f"-W{name}", no)}
        return [each for each in (*self.compiler, *options) if each not in gone and not each.startswith("-l")]


def _of_linker(options: Sequence[str]) -> list[str]:
    return [each for each in options if each.startswith("-l")]
