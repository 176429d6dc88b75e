"""`quadrille worker`."""

import sys
from pathlib import Path

import click

from deploy import log
from deploy.celery import QUEUES
from deploy.cli.common import data_option
from deploy.settings import load
from deploy.supervisor import die_with_supervisor
from deploy.worker import run_worker


@click.command()
@click.argument("queue", type=click.Choice(QUEUES))
@data_option
def command(queue: str, data: Path | None) -> None:
    """Run one worker process; `serve` runs these for you. Start as many as you like, on any host.

    A worker whose sandbox does not hold takes no work, says why, and tries again every half minute.
    """
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    sys.exit(run_worker(settings, queue))
