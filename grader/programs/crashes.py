"""Finds the line of a student's file at which a program crashes: it is built again with `-g`, with checks of undefined
behaviour, and with a handler of ours that prints where it was, and run once more, outside the timed run."""

from collections.abc import Collection
from dataclasses import replace
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Final

from grader.definition.programs import ProgramCase, ProgramQuestion
from grader.languages import LANGUAGES
from grader.programs.building import compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import ProgramJails
from grader.programs.merging import Merged
from grader.programs.running import command_for
from sandbox import patterns
from sandbox.api import SentText
from sandbox.programs import ProgramJail

OPTIONS: Final = (
    *("-g", "-O0", "-w", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS"),
    *("-fsanitize=undefined", "-fno-sanitize=vptr"),  # this last check needs a pipe, which a run does not get
)
BACKTRACE: Final = ("-DQUADRILLE_BACKTRACE", "-lbacktrace")
"""For the lines of the stack. Compilers of Debian and its kin bring this library; without it, only what the checks find
is known."""

_FRAME: Final = patterns.compile(r"(?m)^quadrille: at (.+):(\d+)$")
_PYTHON: Final = patterns.compile(r'(?m)^ +File "([^"\n]+)", line (\d+)')
_UNDEFINED: Final = patterns.compile(r"(?m)^(\S+?):(\d+):\d+: runtime error: (.*)$")


class CrashFinder:
    """Finds the places of crashes of one program. It is built again at the first crash, once."""

    def __init__(self, question: ProgramQuestion, merged: Merged, jails: ProgramJails, jail: ProgramJail) -> None:
        self._question, self._merged, self._jails, self._jail = question, merged, jails, jail
        self._language = LANGUAGES[question.language]
        self._program: dict[str, bytes] | None = None

    def place(self, case: ProgramCase) -> tuple[str, str]:
        """The line at which the program crashes on this case, as `Deck.cpp:41`, and what the checks say of it; empty if
        they are not found. Raises SandboxError."""
        if self._program is None:
            self._program = self._built()
        if not self._program:
            return "", ""
        self._jails.working("looking for the line of a crash")
        command = command_for(self._question, self._program, case)
        limits = replace(command.limits, cpu_s=10 + self._question.cpu_s, wall_s=30.0, memory=1 << 30)
        ended = self._jail.run(replace(command, limits=limits))
        return crash_place(SentText(ended.stderr.decode("utf-8", "replace")), self._own())

    def _own(self) -> list[str]:
        """The files in which the place is sought: the student's."""
        return [path for path in self._merged.files if path not in self._merged.locked]

    def _built(self) -> dict[str, bytes]:
        handler = f"quadrille_crash{self._language.sources[0]}"
        text = resources("grader.programs").joinpath("crash_handler.c").read_bytes()
        merged = replace(
            self._merged, files={**self._merged.files, handler: text}, locked=self._merged.locked | {handler}
        )
        for more in (BACKTRACE, ()):
            options = (*self._question.options, *OPTIONS, *more)
            compiler = Compiler(self._language, options, merged, self._jails, self._jail)
            if program := compiled(compiler, compiler.sources).files:
                return dict(program)
        return {}


def crash_place(errors: SentText, own: Collection[str]) -> tuple[str, str]:
    """The place that standard error tells, in one of these files, and what is wrong there."""
    undefined = [(_known(file, own), line, what) for file, line, what in _UNDEFINED.findall(errors)]
    frames = ((_known(file, own), line) for file, line in _FRAME.findall(errors))
    found = next(((file, line) for file, line in frames if file), None)
    if found is None:
        return next(((f"{file}:{line}", what) for file, line, what in reversed(undefined) if file), ("", ""))
    return ":".join(found), next((what for file, line, what in reversed(undefined) if (file, line) == found), "")


def exception_place(errors: SentText, own: Collection[str]) -> str:
    """The last place in one of these files that a Python traceback names; "" if there is none."""
    places = [(_known(file, own), line) for file, line in _PYTHON.findall(errors)]
    return next((f"{file}:{line}" for file, line in reversed(places) if file), "")


def _known(file: str, own: Collection[str]) -> str:
    """Which of the files it is, wherever the jail has it."""
    path = PurePosixPath(file).as_posix().removeprefix("./")
    fitting = [each for each in own if path == each or path.endswith(f"/{each}")]
    return max(fitting, key=len, default="")
