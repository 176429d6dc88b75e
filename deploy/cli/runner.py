"""`quadrille runner`."""

import logging
import signal
from dataclasses import replace
from pathlib import Path

import click

from deploy import log
from deploy.cli.errors import Cannot
from deploy.machine import MEMORY
from deploy.processes.runner import recipe
from sandbox.api import SandboxUnavailable
from sandbox.backends.docker import FOLDER, VARIABLE
from sandbox.container.runner import serving

DEFAULT = recipe()


@click.command()
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    envvar=VARIABLE,
    show_default=True,
    help=f"Where workers find this; also {VARIABLE}. The Docker daemon must see it under the same path.",
)
@click.option("--image", default=DEFAULT.image, show_default=True, help="What the containers are made from.")
@click.option(
    "--memory",
    type=click.IntRange(1, MEMORY >> 20),
    default=DEFAULT.memory >> 20,
    show_default=True,
    help="MiB of a container.",
)
@click.option(
    "--jails", type=click.IntRange(1, 1000), default=DEFAULT.jails, show_default=True, help="Containers at once."
)
@click.option("--runtime", default="", help="Docker's name of another runtime than its default.")
def command(folder: Path, image: str, memory: int, jails: int, runtime: str) -> None:
    """Start containers for workers that ask: the only part of Quadrille that holds the Docker socket.

    It belongs on the host that runs the containers. Docker is found as DOCKER_HOST says.
    """
    log.configure()
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)  # before there are threads, so that none of them is interrupted
    wanted = replace(DEFAULT, image=image, memory=memory << 20, jails=jails, runtime=runtime)
    try:
        with serving(folder, wanted):
            logging.getLogger(__name__).info("waiting for workers at %s", folder)
            signal.sigwait(stop)
    except SandboxUnavailable as error:
        raise Cannot(str(error)) from error
