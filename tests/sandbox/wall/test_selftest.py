"""The self-test passes a whole wall and notices a hole; the probe names what is missing and how to fix it."""

from pathlib import Path

import pytest

from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.choose import open_sandbox, self_test
from sandbox.host import probe
from sandbox.host.jail import LAYERS


def test_a_whole_wall_passes() -> None:
    with BubblewrapSandbox() as sandbox:
        self_test(sandbox)


HOLES = [
    ("seccomp", "opens a socket"),
    ("rlimits", "takes too much memory"),
    ("landlock", "lists the root folder"),
]


@pytest.mark.full
@pytest.mark.parametrize(("layer", "noticed"), HOLES)
def test_a_hole_is_noticed(layer: str, noticed: str) -> None:
    with BubblewrapSandbox(layers=LAYERS - {layer}) as sandbox, pytest.raises(SandboxError, match=noticed):
        self_test(sandbox)


def test_this_machine_has_what_is_needed() -> None:
    assert probe.missing() == ""
    assert {finding.name for finding in probe.probe()} >= {"Linux", "processor", "bubblewrap", "user namespaces"}


def test_what_is_missing_is_said_with_how_to_fix_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        probe, "_kernel_value", lambda path: "0" if path == Path("/proc/sys/user/max_user_namespaces") else ""
    )
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SandboxUnavailable, match=r"`sysctl -w user.max_user_namespaces=15000` fixes"):
        open_sandbox("bubblewrap")
