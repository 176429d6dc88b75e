"""`quadrille healthy`. It imports little, since containers run it every minute."""

import sys
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

from deploy.cli.errors import CANNOT, UNATTENDED, Cannot
from deploy.settings import load
from tournament.store.database import SILENCE_S, connect, in_a_line, now, reading
from tournament.store.tables import Worker
from tournament.work.workers import has_ended, processes_here, workers


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data folder; QUADRILLE_DATA or ./data by default."
)
def healthy_command(data: Path | None) -> None:
    """Check whether the workers, schedulers and processes of the site on this machine, or in this container, work.

    The exit code is 0 if there is at least one such process, and each is in service and has updated its row in the
    database within the last minute; 3 if not; 4 if they work, but no worker on any machine grades. Maintenance counts
    as working. `quadrille doctor` checks the whole installation.
    """
    try:
        with reading(sessionmaker(connect(load(data).database, SILENCE_S))) as session:
            found = {f"{each.name} ({each.queue})": problem(each) for each in processes_here(session)}
            graded = any(each.queue != "ladder" and not problem(each) for each in workers(session))
    except SQLAlchemyError as error:
        raise Cannot(f"the database cannot be asked: {in_a_line(error)}; run `quadrille doctor`") from error
    if not found:
        raise Cannot("no worker or scheduler runs on this machine")
    for name, trouble in found.items():
        click.echo(f"{name} {trouble or 'works'}")
    if not graded:
        click.echo("no worker of this installation grades")
    sys.exit(CANNOT if any(found.values()) else 0 if graded else UNATTENDED)


def problem(worker: Worker) -> str:
    """Return the reason why the worker does not work, or "" if it works."""
    return "has died" if has_ended(worker.process) else worker.problem(now())
