"""`quadrille bench sandbox`, the container backend: each figure beside bubblewrap's from the same run."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import psutil

from deploy.measure.figures import Figure, percentile
from deploy.measure.sandbox import calls, run_on, starts
from deploy.processes.runner import recipe
from sandbox.api import Limits, Program, SandboxError, SandboxUnavailable
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.backends.docker import DockerSandbox
from sandbox.container.runner import serving
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.jailed_session import JailedSession

_TURNS = 10

T = TypeVar("T")


def measure() -> Iterator[Figure]:
    """All figures; none where no runner answers and Docker is not found."""
    try:
        with _folder() as folder:
            yield from _figures(lambda: DockerSandbox(folder))
    except SandboxUnavailable:
        return


@contextmanager
def _folder() -> Iterator[Path | None]:
    """The folder of a runner started here, or None where the usual runner answers."""
    try:
        DockerSandbox().close()
    except SandboxUnavailable:
        with tempfile.TemporaryDirectory(prefix="quadrille-") as name, serving(Path(name), recipe()):
            yield Path(name)
    else:
        yield None


def _figures(open_docker: Callable[[], JailedSandbox]) -> Iterator[Figure]:
    jails = _in_turn(lambda opened: [_jail_start(opened)], open_docker, BubblewrapSandbox)
    yield Figure("sandbox.docker_jail", 1e3 * jails[0], "ms", 1e3 * jails[1])
    with open_docker() as docker, BubblewrapSandbox() as bubblewrap:
        started = _in_turn(partial(starts, count=20), docker, bubblewrap)
        yield Figure("sandbox.docker_start", 1e3 * started[0], "ms", 1e3 * started[1])
        with _one_core(docker, bubblewrap):
            taken = _in_turn(partial(calls, count=400), docker, bubblewrap)
        yield Figure("sandbox.docker_call", 1e6 * taken[0], "µs", 1e6 * taken[1])


def _in_turn(measured: Callable[[T], list[float]], *subjects: T) -> list[float]:
    """The median of each subject. They take turns, so that the machine is equally busy for all."""
    times: list[list[float]] = [[] for _ in subjects]
    for _ in range(_TURNS):
        for subject, taken in zip(subjects, times, strict=True):
            taken += measured(subject)
    return [percentile(taken, 50) for taken in times]


def _jail_start(opened: Callable[[], JailedSandbox]) -> float:
    start = perf_counter()
    sandbox = opened()
    taken = perf_counter() - start
    sandbox.close()
    return taken


@contextmanager
def _one_core(*sandboxes: JailedSandbox) -> Iterator[None]:
    """Confine this process and the fork servers to one core: a message to another core takes several times as long."""
    allowed = os.sched_getaffinity(0)
    core = {max(allowed)}
    for sandbox in sandboxes:
        os.sched_setaffinity(_fork_server(sandbox), core)
        starts(sandbox, 8)  # so that no child is left that waits on another core
    run_on(core)
    try:
        yield
    finally:
        run_on(allowed)


def _fork_server(sandbox: JailedSandbox) -> int:
    session = sandbox.open(Program(b""), Limits(), 1)
    if not isinstance(session, JailedSession):
        raise SandboxError("an empty player does not load")
    parent = psutil.Process(session.process.pid).ppid()
    session.close()
    return parent
