"""Chooses the sandbox of this machine. Where none works, student code is refused, never run without a jail."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from sandbox.api import Sandbox, SandboxError, SandboxUnavailable
from sandbox.backends import BACKENDS
from sandbox.backends.bubblewrap import BubblewrapPrograms, BubblewrapSandbox
from sandbox.backends.docker import FOLDER, DockerPrograms, DockerSandbox
from sandbox.programs import ProgramSandbox

Kind = TypeVar("Kind")


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
    return _first_that_works({name: backends[name] for name in BACKENDS if name != "trusted"})


def open_program_sandbox(name: str = "auto", runner: Path = Path(FOLDER), niceness: int = 0) -> ProgramSandbox:
    """The same for programs; there is no `trusted` one. Raises SandboxUnavailable."""
    backends: dict[str, Callable[[], ProgramSandbox]] = {
        "bubblewrap": partial(BubblewrapPrograms, niceness=niceness),
        "docker": partial(DockerPrograms, runner),
    }
    if name == "auto":
        return _first_that_works(backends)
    if name not in backends:
        raise SandboxUnavailable(f"programs cannot be run in the sandbox {name!r}, only in {', '.join(backends)}")
    return backends[name]()


def _first_that_works(backends: Mapping[str, Callable[[], Kind]]) -> Kind:
    reasons = []
    for name, start in backends.items():
        try:
            return start()
        except SandboxError as error:
            reasons.append(f"{name}: {error}")
    raise SandboxUnavailable("no sandbox works on this machine, so no student code is run. " + "; ".join(reasons))
