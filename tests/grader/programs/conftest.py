"""The jails that the tests of this folder compile and run programs in, and short ways to grade."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pytest

from grader.definition.programs import ProgramQuestion
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import ProgramJails
from sandbox.api import Sandbox, SandboxUnavailable
from sandbox.choose import open_program_sandbox
from sandbox.programs import ProgramSandbox
from tests.services import missing

Grade: TypeAlias = Callable[..., ProgramGraded]

ECHO = {"slug": "01-echo", "title": "A word comes back", "hidden": False, "input": "hello\n", "output": "hello\n"}


@pytest.fixture(scope="session")
def programs() -> Iterator[ProgramSandbox]:
    """The best jail for programs of this machine."""
    try:
        opened = open_program_sandbox()
    except SandboxUnavailable:
        missing("a sandbox for programs")
    if opened.missing("g++") or opened.missing("gcc"):
        missing("g++")
    with opened:
        yield opened


@pytest.fixture(scope="session")
def jails(programs: ProgramSandbox, sandbox: Sandbox) -> ProgramJails:
    """Nothing that is compiled in them is kept."""
    return ProgramJails(programs, lambda: sandbox)


def question(**changed: Any) -> ProgramQuestion:
    """A question for a C program that prints the word that it reads, in one visible case."""
    usual = {"slug": "echo", "title": "Echo", "language": "c11", "cases": (ECHO,)}
    return ProgramQuestion.model_validate(usual | changed)


@pytest.fixture
def grade(jails: ProgramJails) -> Grade:
    """Grades files, or the text of the one file main.c, by such a question."""

    def graded(files: Mapping[str, str] | str, **changed: Any) -> ProgramGraded:
        texts = {"main.c": files} if isinstance(files, str) else files
        return grade_program(question(**changed), {path: text.encode() for path, text in texts.items()}, jails)

    return graded
