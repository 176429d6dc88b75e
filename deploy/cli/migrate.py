"""`quadrille migrate`."""

from pathlib import Path

import click
from sqlalchemy.orm import sessionmaker

from deploy import demo, log
from deploy.celery import make_app, sender
from deploy.cli.common import data_option
from deploy.cli.serve import print_logins
from deploy.migrations import migrate, new_revision
from deploy.settings import load
from tournament.db import connect


@click.command()
@data_option
@click.option("--new", metavar="MESSAGE", help="For developers: write a revision from how the models have changed.")
def command(data: Path | None, new: str | None) -> None:
    """Bring the database to the latest revision, and for a demonstration fill it; `serve` does so itself."""
    log.configure()
    settings = load(data)
    engine = connect(settings.database)
    if new:
        new_revision(engine, new)
    else:
        migrate(engine)
        if settings.demo:
            demo.seed(sessionmaker(engine), sender(make_app(settings)), demo.logins(settings))
            print_logins(settings)
    engine.dispose()
