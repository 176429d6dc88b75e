"""`quadrille web`, `worker` and `scheduler`: single processes of an installation.

The modules that each needs take seconds to import, so they are imported when the command runs."""

import sys
from functools import partial
from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.processes.celery import KINDS
from deploy.processes.supervisor import die_with_supervisor
from deploy.settings import Settings, load


def begun(data: Path | None) -> Settings:
    """Load the settings, set up logging, and make this process end with its supervisor, if any. Raises BadSettings."""
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    return settings


@click.command()
@data_option
def web_command(data: Path | None) -> None:
    """Run the site alone; `quadrille serve` does this for you.

    It waits until the database answers and has been upgraded to this version.
    """
    from deploy.processes.site import run_site

    run_site(begun(data))


@click.command()
@click.argument("kind", type=click.Choice(tuple(KINDS)))
@data_option
def worker_command(kind: str, data: Path | None) -> None:
    """Run one worker process; `quadrille serve` does this for you. Start as many as you like, on any host.

    Workers of the kind "grading" grade everything. Those of the kind "players" grade everything except programs, so
    that players never wait for a compiler: start one beside two or more of the others. "ladder" plays games.

    A worker whose sandbox fails its self-test takes no work, says why, and tries again every half minute.
    """
    from deploy.processes.watch import watch
    from deploy.processes.worker import part_with, run_worker

    settings = begun(data)
    watch(partial(part_with, settings, kind))
    sys.exit(run_worker(settings, kind))


@click.command()
@data_option
def scheduler_command(data: Path | None) -> None:
    """Run the scheduler; `quadrille serve` does this for you. If several run, one works and the others stand by."""
    from deploy.processes.scheduler import run_scheduler

    run_scheduler(begun(data))
