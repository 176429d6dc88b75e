"""The jails that the tests of this folder compile and run programs in."""

from collections.abc import Iterator

import pytest

from grader.programs.jails import Jails, ObjectStore
from sandbox.api import Sandbox, SandboxUnavailable
from sandbox.choose import open_program_sandbox
from tests.services import missing


@pytest.fixture(scope="session")
def jails(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jails]:
    """For every language that is offered. A validator is compiled once."""
    try:
        opened = open_program_sandbox()
    except SandboxUnavailable:
        missing("a sandbox for programs")
    with opened:
        for tool in ("g++", "gcc", "python3"):
            if opened.missing(tool):
                missing(tool)
        yield Jails(
            programs=lambda: opened, authors=lambda: sandbox, objects=ObjectStore(tmp_path_factory.mktemp("objects"))
        )
