"""Starts one container: removes its rights through Docker's options, and connects to its guest."""

import os
import select
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import docker
from docker.errors import APIError, DockerException, ImageNotFound
from docker.utils.socket import frames_iter

from sandbox.api import SandboxUnavailable
from sandbox.host.programs.toolchains import ROOT
from sandbox.inside import container_guest
from sandbox.inside.programs.scratch import FOLDER

IMAGE: Final = "quadrille-sandbox"
BUILD: Final = f"docker build -t {IMAGE} -f deploy/containers/images/sandbox.Dockerfile sandbox"
_USER: Final = "65534:65534"
_HOSTNAME: Final = "quadrille"  # instead of the container's ID
_SHARES: Final = 256  # shares of processor time when it is scarce; the site has 1024
_START_S: Final = 30.0
_SAID: Final = 2000


PROGRAMS_IMAGE: Final = "quadrille-programs"
PROGRAMS_BUILD: Final = f"docker build -t {PROGRAMS_IMAGE} -f deploy/containers/images/programs.Dockerfile sandbox"
_SCRATCH: Final = {f"{ROOT}{FOLDER}": "rw,exec,nosuid,nodev,mode=0777,size=64m,nr_inodes=4000"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a runner creates its containers."""

    image: str = IMAGE
    memory: int = 2304 << 20  # bytes: two tables of four players of 256 MiB each, and the fork server
    jails: int = 32  # that run at the same time
    seccomp: str = ""  # a profile as JSON; "": Docker's own, which denies players namespaces of their own
    processes: int = 128  # in one container at the same time
    tmpfs: Mapping[str, str] = field(default_factory=dict)  # Docker's options for each folder
    build: str = BUILD  # the command that builds the image


def for_programs() -> Recipe:
    """Return the recipe for containers that run programs and compilers, one command at a time."""
    return Recipe(image=PROGRAMS_IMAGE, memory=1536 << 20, tmpfs=_SCRATCH, build=PROGRAMS_BUILD)


def options(recipe: Recipe, name: str, folder: Path, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the options for creating the container. `folder` holds the runner's socket for the container."""
    return {
        "name": name,
        "labels": dict(labels),
        "user": _USER,
        "hostname": _HOSTNAME,
        "domainname": _HOSTNAME,
        "network_mode": "none",
        "ipc_mode": "none",
        "read_only": True,
        "volumes": {str(folder): {"bind": os.path.dirname(container_guest.CONTROL), "mode": "ro"}},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", *([f"seccomp={recipe.seccomp}"] if recipe.seccomp else [])],
        "mem_limit": recipe.memory,
        "memswap_limit": recipe.memory,  # the limit of memory and swap together, so no swap
        "pids_limit": recipe.processes,
        "tmpfs": dict(recipe.tmpfs),
        "cpu_shares": _SHARES,
        "stop_signal": "SIGKILL",  # the guest has nothing to finish
        "log_config": {"Type": "none"},
        "auto_remove": True,
    }


@contextmanager
def started(
    engine: docker.DockerClient, recipe: Recipe, name: str, folder: Path, labels: Mapping[str, str]
) -> Iterator[tuple[socket.socket, str]]:
    """Start a container, and remove it at the end. Yields the socket to its guest and the image's description. Raises
    SandboxUnavailable."""
    with ExitStack() as stack:
        try:
            with _listening(folder / os.path.basename(container_guest.CONTROL)) as listener:
                container = engine.containers.create(recipe.image, **options(recipe, name, folder, labels))
                stack.callback(_remove_container, container)
                with closing(container.attach_socket(params={"stdout": 1, "stderr": 1, "stream": 1})) as output:
                    container.start()
                    control = stack.enter_context(_answered(listener, output))
        except ImageNotFound as error:
            raise SandboxUnavailable(f"there is no image {recipe.image}; build it with `{recipe.build}`") from error
        except APIError as error:
            raise SandboxUnavailable(f"Docker refuses to start a jail: {error.explanation or error}") from error
        except (DockerException, OSError) as error:
            raise SandboxUnavailable(f"the Docker daemon cannot be reached: {error}; is it running?") from error
        yield control, _about(control)


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """Yield a socket at this path that listens for one connection. The path is removed at the end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        os.chmod(path, 0o666)  # noqa: S103 - for the container's user; nobody else can reach the folder
        listener.listen(1)
        try:
            yield listener
        finally:
            path.unlink()


def _answered(listener: socket.socket, output: Any) -> socket.socket:
    """Wait for the guest to connect. If it does not, or if the container ends, raises SandboxUnavailable with the
    container's output."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(output, select.POLLRDHUP)  # signals the end of the container
    for descriptor, _ in poll.poll(_START_S * 1000):
        if descriptor == listener.fileno():
            return listener.accept()[0]
        said = b"".join(frame for _, frame in frames_iter(output, tty=False))  # type: ignore[no-untyped-call]
        raise SandboxUnavailable(f"the jail's container has ended: {said[-_SAID:].decode(errors='replace').strip()}")
    raise SandboxUnavailable(f"the jail's container did not answer within {_START_S:g} s")


def _about(control: socket.socket) -> str:
    control.settimeout(_START_S)
    try:
        said = control.recv(4096).decode()
    except OSError as error:
        raise SandboxUnavailable(f"the jail's guest does not say what it is: {error}") from error
    if not said:
        raise SandboxUnavailable("the jail's guest has hung up")
    control.settimeout(None)
    return said


def _remove_container(container: Any) -> None:
    """Kill and remove a container. If Docker cannot remove it, the runner does so later."""
    with suppress(DockerException, OSError):
        container.remove(force=True)
