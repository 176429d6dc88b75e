"""The example course is right in everything that `quadrille course check` looks at: its game passes all its checks, the
solutions pass their examples, and each player in `submissions` gets the result that its first line says."""

import json

import pytest

from sandbox.api import SandboxUnavailable
from sandbox.choose import open_sandbox
from tests.deploy.commands import quadrille
from tests.games.hearts import COURSE
from tests.services import missing


@pytest.mark.full
def test_the_example_passes_its_check() -> None:
    try:
        open_sandbox().close()
    except SandboxUnavailable:
        missing("a sandbox")
    done = quadrille("course", "check", str(COURSE), "--json")
    found = json.loads(done.stdout)
    assert (found["problems"], done.returncode) == ([], 0), "without an installation"
    assert found["assignments"]["hearts"]["hidden_cases"].keys() == {"q1", "q2", "q3", "q4"}
