"""`quadrille healthy`. Imports little: containers ask it every minute."""

import sys
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

from deploy.cli.errors import CANNOT, Cannot
from deploy.settings import load
from tournament.store.database import SILENCE_S, connect, in_a_line, now, reading
from tournament.store.tables import Worker
from tournament.work.processes import has_ended
from tournament.work.workers import processes_here


@click.command()
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="The data folder, as for the others.")
def command(data: Path | None) -> None:
    """Say whether the workers and schedulers of this machine, or of this container, work.

    Exit code 0 if there is one, and each has given the database a sign within a minute and is in service; 3 if not.
    Maintenance is no ailment. `doctor` looks at the whole installation, and says what mends it.
    """
    try:
        with reading(sessionmaker(connect(load(data).database, SILENCE_S))) as session:
            found = {f"{each.name} ({each.queue})": ailment(each) for each in processes_here(session)}
    except SQLAlchemyError as error:
        raise Cannot(f"whether they work cannot be told: {in_a_line(error)}; `quadrille doctor` says more") from error
    if not found:
        raise Cannot("no worker and no scheduler is at work on this machine")
    for name, trouble in found.items():
        click.echo(f"{name} {trouble or 'works'}")
    sys.exit(CANNOT if any(found.values()) else 0)


def ailment(worker: Worker) -> str:
    """Why it does not work; "" if it does."""
    return "has died" if has_ended(worker.process) else worker.ailment(now())
