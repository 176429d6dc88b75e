"""Checks Docker for the sandbox: the daemon, the image and the runner, with the command that fixes what is missing.

For the doctor on the runner's host. Workers never import this: only the runner talks with Docker."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import docker
from docker.errors import DockerException, ImageNotFound

from sandbox.backends.docker import FOLDER
from sandbox.container.recipe import BUILD, IMAGE, PROGRAMS_BUILD, PROGRAMS_IMAGE
from sandbox.container.runner import SOCKET
from sandbox.host.probe import Finding

_PATIENCE_S: Final = 5


def docker_findings(folder: Path = Path(FOLDER), needed: bool = False) -> list[Finding]:
    """The daemon, the image and the runner of `folder`, in the order in which to fix them. Starts nothing.

    `needed`: players have to run in Docker, whatever else this machine offers."""
    runner = _runner(folder, needed)
    return [*_engine(needed, runner.works), runner]


def _engine(needed: bool, has_runner: bool) -> Iterator[Finding]:
    try:
        engine = docker.from_env(timeout=_PATIENCE_S)
        version = engine.version()["Version"]
    except (DockerException, OSError) as error:
        if has_runner:
            yield Finding("Docker", True, "out of reach here, as it should be: the runner alone talks with it")
        else:
            fix = "apt-get install docker.io && systemctl start docker"
            yield Finding("Docker", False, f"no Docker daemon answers here ({error})", fix, needed)
        return
    yield Finding("Docker", True, f"version {version}", needed=needed)
    with closing(engine):
        yield _image(engine, "sandbox image", IMAGE, BUILD, needed)
        yield _image(engine, "image for programs", PROGRAMS_IMAGE, PROGRAMS_BUILD, needed=False)


def _image(engine: docker.DockerClient, what: str, image: str, build: str, needed: bool) -> Finding:
    try:
        made = engine.images.get(image).attrs["Created"][:10]
        return Finding(what, True, f"{image}, built on {made}", needed=needed)
    except ImageNotFound:
        return Finding(what, False, f"there is no image {image}", build, needed)


def _runner(folder: Path, needed: bool) -> Finding:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(_PATIENCE_S)
        try:
            caller.connect(str(folder / SOCKET))
        except OSError as error:
            detail = f"no runner answers in {folder} ({error.strerror or error})"
            return Finding("runner", False, detail, f"quadrille runner --folder {folder}", needed)
    return Finding("runner", True, f"answers in {folder}", needed=needed)
