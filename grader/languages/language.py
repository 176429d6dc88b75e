"""Describes each language by data that says how its programs are compiled and run."""

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
"""The limits of one command of a compiler."""

MOST_ERRORS: Final = ("-fmax-errors=50",)  # more errors in one source would take long, and nobody reads them
BINARY: Final = "program"  # the file name of what the linker makes
OBJECT: Final = "object.o"  # the file name of what the compiler makes of a source
PREPROCESSED: Final = "preprocessed"  # the file name of a preprocessed source
_NAMELESS: Final = ("-dumpbase", "source")
"""Gives the source a neutral name. The driver passes the name on to the compiler and the assembler, which would take
`@x.cpp` for a file of options."""

_ALWAYS: Final = (
    "-Wno-builtin-macro-redefined",
    *(f'-D__{name}__="{text}"' for name, text in (("DATE", "Jan  1 1970"), ("TIME", "00:00:00"))),
    '-D__TIMESTAMP__="Thu Jan  1 00:00:00 1970"',
)
"""Options that make a source give the same text whenever it is preprocessed."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language. `tool` is the toolchain that a worker needs. `sources` and `headers` are suffixes of file names.
    `compiler` is the beginning of the commands that compile a source and that link. Without a compiler, `check` is the
    command that reads the sources and prints errors as compilers do, and `interpreter` runs the main file. `unbuilt` is
    the verdict of a program that cannot be built. `self_test` is a program that reads a word and prints it. With the
    options `steady`, a source is preprocessed in the same way whatever the compiler has read before. `code` is the name
    of the language in problem packages, which may use `package_suffixes` besides `sources`. A question imported from a
    package has `package_options`, because contest judges optimize and allow GNU extensions."""

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
        """Whether the file is compiled as a source of its own."""
        return PurePosixPath(path).suffix in self.sources

    def compile(self, source: str, options: Sequence[str]) -> tuple[str, ...]:
        """The command that compiles a source to `OBJECT`."""
        return self._of_one(options, "./", "-o", OBJECT, "-c", f"./{source}")

    def search(self, made: str) -> tuple[str, ...]:
        """The command that prints the folders in which system headers are searched for, and writes the file `made`."""
        return (*self.compiler, "-E", "-v", "-o", made, f"./empty{self.sources[0]}")

    def preprocess(
        self, source: str, options: Sequence[str], made: str, secret: str, folders: Sequence[str]
    ) -> tuple[str, ...]:
        """The command that writes the preprocessed source to the file `made`, with `secret` before every path."""
        own = f".{secret}/"
        if not secret:
            return self._of_one(options, own, "-o", made, "-E", own + source)
        hidden = [f"-I{own}{each[2:]}" if each.startswith("-I") else each for each in options]
        headers = (word for each in folders for word in ("-isystem", secret + each))
        plain = ("-fno-canonical-system-headers", "-nostdinc")
        return self._of_one(hidden, own, *plain, *headers, "-o", made, "-E", own + source)

    def compile_preprocessed(self, options: Sequence[str], what: str) -> tuple[str, ...]:
        """The command that compiles `PREPROCESSED` if `what` is -c, or removes its comments if it is -E."""
        return self._of_one(options, "./", "-o", OBJECT, "-fpreprocessed", what, f"./{PREPROCESSED}{self.sources[0]}")

    def _of_one(self, options: Sequence[str], folder: str, *more: str) -> tuple[str, ...]:
        compiler = (*self._with(options), *MOST_ERRORS, *_ALWAYS, *_NAMELESS)
        return (*compiler, f"-ffile-prefix-map={folder}=", *more)  # `__FILE__` is the path without that folder

    def look_over(self, sources: Sequence[str]) -> tuple[str, ...]:
        """The command by which the interpreter checks sources without running them."""
        return (*self.check, *(f"./{source}" for source in sources))

    def link(self, objects: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
        """The command that links objects to a program. It links statically, so that a run needs no other file."""
        named = (f"./{each}" for each in objects)
        return (*self._with(options), "-static", *named, "-o", BINARY, *_of_linker(options))

    def run(self, main: str) -> tuple[str, ...]:
        """The command that runs a built program, without its arguments."""
        return (f"./{BINARY}",) if self.compiled else (*self.interpreter, main or self.main)

    def shown_build(self, sources: Sequence[str], options: Sequence[str]) -> str:
        """The command with which a student can compile the program."""
        if not self.compiled:
            return ""
        command = (*self._with(options), "-o", BINARY, *sources, *_of_linker(options))
        return shlex.join(part for part in command if part != "-fdiagnostics-color=never")

    def _with(self, options: Sequence[str]) -> list[str]:
        """The compiler with options. `-Wno-all` cancels only the `-Wall` that is added here, and `-Wno-extra` only the
        `-Wextra`."""
        gone = {word for name in ("all", "extra") if (no := f"-Wno-{name}") in options for word in (f"-W{name}", no)}
        return [each for each in (*self.compiler, *options) if each not in gone and not each.startswith("-l")]


def _of_linker(options: Sequence[str]) -> list[str]:
    return [each for each in options if each.startswith("-l")]
