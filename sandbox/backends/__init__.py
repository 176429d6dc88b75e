"""The ways to run a player. Adding one is one module here and one line below."""

from collections.abc import Callable, Mapping
from typing import Final

from sandbox.api import Sandbox
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.backends.docker import DockerSandbox
from sandbox.backends.trusted import TrustedSandbox

BACKENDS: Final[Mapping[str, Callable[[], Sandbox]]] = {
    "bubblewrap": BubblewrapSandbox,
    "docker": DockerSandbox,
    "trusted": TrustedSandbox,
}
"""Each starts a sandbox, or raises SandboxUnavailable. The jails, in the order of preference, come before `trusted`."""
