"""`quadrille runner`."""

import logging
import signal
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import click

from deploy import log
from deploy.cli.errors import Cannot
from deploy.machine import MEMORY
from sandbox.api import SandboxUnavailable
from sandbox.backends.docker import FOLDER, VARIABLE
from sandbox.container.recipe import Recipe, for_programs
from sandbox.container.runner import serving

_PROFILES = files("deploy").joinpath("containers/images")
DEFAULT = replace(Recipe(), seccomp=_PROFILES.joinpath("seccomp.json").read_text())
PROGRAMS = replace(for_programs(), seccomp=_PROFILES.joinpath("programs-seccomp.json").read_text())
"""The default container recipes for players and for programs, with the shipped seccomp profiles."""


@click.command()
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    envvar=VARIABLE,
    show_default=True,
    show_envvar=True,
    help="Folder for the socket. The Docker daemon must see it under the same path.",
)
@click.option("--image", default=DEFAULT.image, show_default=True, help="Image of the containers.")
@click.option(
    "--memory",
    type=click.IntRange(1, MEMORY >> 20),
    default=DEFAULT.memory >> 20,
    show_default=True,
    help="Memory of a container, in MiB.",
)
@click.option(
    "--programs-memory",
    type=click.IntRange(1, MEMORY >> 20),
    default=min(PROGRAMS.memory, MEMORY) >> 20,
    show_default=True,
    help="Memory of a container for programs, in MiB.",
)
@click.option(
    "--jails", type=click.IntRange(1, 1000), default=DEFAULT.jails, show_default=True, help="Limit of containers."
)
def runner_command(folder: Path, image: str, memory: int, programs_memory: int, jails: int) -> None:
    """Run the service that starts sandbox containers for the workers.

    Only this part of Quadrille uses the Docker socket. Run it on the host of the containers; it finds Docker through
    DOCKER_HOST.
    """
    log.configure()
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)  # set before threads start, which inherit it
    wanted = replace(DEFAULT, image=image, memory=memory << 20, jails=jails)
    programs = replace(PROGRAMS, memory=programs_memory << 20)
    try:
        with serving(folder, wanted, programs):
            logging.getLogger(__name__).info("waiting for workers at %s", folder)
            signal.sigwait(stop)
    except SandboxUnavailable as error:
        raise Cannot(str(error)) from error
