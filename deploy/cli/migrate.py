"""`quadrille migrate`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.migrations import migrate, new_revision
from deploy.settings import load
from tournament.db import connect


@click.command()
@data_option
@click.option("--new", metavar="MESSAGE", help="For developers: write a revision from how the models have changed.")
def command(data: Path | None, new: str | None) -> None:
    """Bring the database to the latest revision; `serve` does so itself."""
    log.configure()
    engine = connect(load(data).database)
    if new:
        new_revision(engine, new)
    else:
        migrate(engine)
    engine.dispose()
