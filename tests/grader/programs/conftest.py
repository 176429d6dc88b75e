"""The jails that the tests of this folder compile and run programs in, and short ways to grade."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pytest

from grader.definition.question import ProgramQuestion
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
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
def jails(programs: ProgramSandbox, sandbox: Sandbox) -> Jails:
    """Nothing that is compiled in them is kept."""
    return Jails(programs=lambda: programs, authors=lambda: sandbox)


def question(**changed: Any) -> ProgramQuestion:
    """A question for a C program that prints the word that it reads, in one visible case."""
    usual = {"slug": "echo", "title": "Echo", "language": "c11", "cases": (ECHO,)}
    return ProgramQuestion.model_validate(usual | changed)


@pytest.fixture
def grade(jails: Jails) -> Grade:
    """Grades files, or the text of the one file main.c, by such a question."""

    def graded(files: Mapping[str, str] | str, **changed: Any) -> ProgramGraded:
        texts = {"main.c": files} if isinstance(files, str) else files
        files = {path: text.encode() for path, text in texts.items()}
        return ProgramGraded.of(grade_program(question(**changed), files, jails))

    return graded
