"""The jail that the tests of this folder run players in."""

from collections.abc import Iterator

import pytest

from sandbox.api import Sandbox, SandboxUnavailable
from sandbox.choose import open_sandbox
from tests.services import missing


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """The best jail of this machine."""
    try:
        opened = open_sandbox()
    except SandboxUnavailable:
        missing("a sandbox")
    with opened:
        yield opened
