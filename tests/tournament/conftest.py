"""The sandboxes that the tests of this folder run players in."""

from collections.abc import Iterator

import pytest

from sandbox.api import Sandbox
from sandbox.choose import open_sandbox


@pytest.fixture(scope="session")
def jail() -> Iterator[Sandbox]:
    """The jail that a worker would use; without one, nothing here can be tested."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def trusted() -> Iterator[Sandbox]:
    """Where house bots run."""
    with open_sandbox("trusted") as opened:
        yield opened


@pytest.fixture(scope="session", params=["jail", "trusted"])
def box(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of sandbox: a game goes the same way in both."""
    opened: Sandbox = request.getfixturevalue(request.param)
    return opened
