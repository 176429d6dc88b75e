"""`quadrille worker`."""

import sys
from pathlib import Path

import click

from deploy import log
from deploy.celery import QUEUES
from deploy.cli.common import Cannot, data_option
from deploy.settings import load
from deploy.supervisor import die_with_supervisor
from deploy.worker import run_worker
from sandbox.api import SandboxUnavailable


@click.command()
@click.argument("queue", type=click.Choice(QUEUES))
@data_option
def command(queue: str, data: Path | None) -> None:
    """Run one worker process; `serve` runs these for you. Start as many as you like, on any host."""
    die_with_supervisor()
    log.configure()
    try:
        sys.exit(run_worker(load(data), queue))
    except SandboxUnavailable as error:
        raise Cannot(str(error)) from error
