"""`quadrille migrate`."""

from pathlib import Path

import click
from sqlalchemy import Engine
from sqlalchemy.orm import sessionmaker

from deploy import demo, log
from deploy.cli.common import data_option
from deploy.cli.errors import Cannot
from deploy.cli.installation.serve import print_logins
from deploy.cli.progress import resting, rows_done
from deploy.migrations import new_revision
from deploy.processes.celery import make_app, sender
from deploy.settings import Settings, load
from deploy.storage.schema import newest
from deploy.storage.upgrade import NoBackup, upgrade
from tournament.store.database import connect


@click.command()
@data_option
@click.option("--new", metavar="MESSAGE", help="For developers: write a migration for changed models.")
def command(data: Path | None, new: str | None) -> None:
    """Upgrade the database to this version, and fill it for a demonstration. `quadrille serve` does this itself.

    First the data is backed up to the folder `backups` of the data folder, and the site is read-only until the upgrade
    is done. To go back to the former version, restore that backup with it.
    """
    log.configure()
    settings = load(data)
    engine = connect(settings.database)
    if new:
        new_revision(engine, new)
        click.echo("Now set NEWEST in deploy/storage/schema.py to its revision.")
    else:
        _upgrade(settings, engine)
        if settings.demo:
            demo.seed(sessionmaker(engine), sender(make_app(settings)), demo.logins(settings))
            print_logins(settings)
    engine.dispose()


def _upgrade(settings: Settings, engine: Engine) -> None:
    try:
        with rows_done() as progress:
            done = upgrade(settings, engine, progress, resting)
    except NoBackup as error:
        raise Cannot(str(error)) from error
    if done is None:
        click.echo(f"The database is at the latest revision, {newest()}.")
    else:
        click.echo(done.told)
