"""`quadrille worker`."""

import sys
from pathlib import Path

import click

from deploy.cli.common import data_option
from deploy.cli.process import begun
from deploy.processes.celery import QUEUES
from deploy.processes.worker import run_worker


@click.command()
@click.argument("queue", type=click.Choice(QUEUES))
@data_option
def command(queue: str, data: Path | None) -> None:
    """Run one worker process; `quadrille serve` does this for you. Start as many as you like, on any host.

    A worker whose sandbox fails its self-test takes no work, says why, and tries again every half minute.
    """
    sys.exit(run_worker(begun(data), queue))
