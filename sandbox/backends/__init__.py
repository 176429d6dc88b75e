"""The ways to run a player. To add one, write a module here and a line below."""

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
"""Each backend starts a sandbox, or raises SandboxUnavailable. Jails come first, in order of preference, then
`trusted`."""
