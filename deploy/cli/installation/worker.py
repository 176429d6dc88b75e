"""`quadrille worker`."""

import sys
from functools import partial
from pathlib import Path

import click

from deploy.cli.common import data_option
from deploy.cli.installation.process import begun
from deploy.processes.celery import KINDS
from deploy.processes.watch import watch
from deploy.processes.worker import part_with, run_worker


@click.command()
@click.argument("kind", type=click.Choice(tuple(KINDS)))
@data_option
def worker_command(kind: str, data: Path | None) -> None:
    """Run one worker process; `quadrille serve` does this for you. Start as many as you like, on any host.

    Workers of the kind "grading" grade everything. Those of the kind "players" grade whatever asks for no program, so
    that players never wait for a compiler: start one beside two or more of the others. "ladder" plays games.

    A worker whose sandbox fails its self-test takes no work, says why, and tries again every half minute.
    """
    settings = begun(data)
    watch(partial(part_with, settings, kind))
    sys.exit(run_worker(settings, kind))
