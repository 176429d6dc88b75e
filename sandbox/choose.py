"""Chooses the sandbox of this machine. Where none works, student code is refused, never run without a jail."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from sandbox.api import Sandbox, SandboxError, SandboxUnavailable
from sandbox.backends import BACKENDS
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.backends.docker import FOLDER, DockerSandbox


def open_sandbox(name: str = "auto", runner: Path = Path(FOLDER), niceness: int = 0) -> Sandbox:
    """Start the named backend, or with "auto" the first jail that works. `runner`: its folder, for Docker.
    `niceness`: of bubblewrap's jail; containers have a share of their own (see `container/recipe.py`).

    "auto" never chooses `trusted`, which is not a jail and must be named. Raises SandboxUnavailable, which says what is
    missing and how to fix it.
    """
    backends: dict[str, Callable[[], Sandbox]] = {
        **BACKENDS,
        "bubblewrap": partial(BubblewrapSandbox, niceness=niceness),
        "docker": partial(DockerSandbox, runner),
    }
    if name != "auto":
        if name not in BACKENDS:
            raise SandboxUnavailable(f"there is no sandbox {name!r}, only {', '.join(BACKENDS)}")
        return backends[name]()
    reasons = []
    for backend in BACKENDS:
        if backend == "trusted":
            continue
        try:
            return backends[backend]()
        except SandboxError as error:
            reasons.append(f"{backend}: {error}")
    raise SandboxUnavailable("no sandbox works on this machine, so no student code is run. " + "; ".join(reasons))
