"""`quadrille scheduler`."""

from pathlib import Path

import click

from deploy.cli.common import data_option
from deploy.cli.installation.process import begun
from deploy.processes.scheduler import run_scheduler


@click.command()
@data_option
def scheduler_command(data: Path | None) -> None:
    """Run the scheduler; `quadrille serve` does this for you. If several run, one works and the others stand by."""
    run_scheduler(begun(data))
