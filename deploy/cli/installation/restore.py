"""`quadrille restore`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option, regular_file
from deploy.cli.errors import BadInput, Cannot
from deploy.cli.progress import resting, rows_done
from deploy.settings import load
from deploy.storage.archive import BadBackup, Manifest
from deploy.storage.restore import Occupied, Restored, restore, verify
from deploy.storage.schema import newest


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=regular_file)
@click.option("--force", is_flag=True, help="Replace existing data, after a backup of it.")
@click.option("--check", is_flag=True, help="Verify the file without restoring it.")
@data_option
def command(file: Path, force: bool, check: bool, data: Path | None) -> None:
    """Restore the backup FILE into the installation of the data folder: the database, the keys and the settings.

    The database is the one that QUADRILLE_DATABASE_URL names, on either SQLite or PostgreSQL. Everything is restored,
    or nothing. Settings made here stay as they are. A backup of a former Quadrille is upgraded.
    """
    log.configure()
    try:
        with rows_done() as progress:
            if check:
                click.echo(f"{file} is intact: {_described(verify(file, progress))}")
                return
            done = restore(load(data), file, force, progress, resting)
    except BadBackup as error:
        raise BadInput(str(error)) from error
    except Occupied as error:
        raise Cannot(f"{error}. Use --force to replace it, after a backup of it") from error
    except OSError as error:
        raise Cannot(f"nothing was restored: {error.strerror} ({error.filename or file})") from error
    _tell(done)


def _described(manifest: Manifest) -> str:
    return (
        f"{manifest.rows} rows of {len(manifest.tables)} tables, made on {manifest.made_at:%d %B %Y at %H:%M} UTC"
        f" by Quadrille {manifest.program}"
    )


def _tell(done: Restored) -> None:
    click.echo(f"Restored {_described(done.manifest)}.")
    if done.manifest.revision != newest():
        click.echo(f"It was upgraded from revision {done.manifest.revision} to {newest()}.")
    if done.kept:
        click.echo(f"The former data is in {done.kept}.")
    if done.manifest.left_out:
        click.echo(
            f"Not in the backup, since they belong to the machine it came from: {', '.join(done.manifest.left_out)}."
        )
    if done.own:
        click.echo(f"These settings differ in the backup, and keep their value here: {', '.join(done.own)}.")
    click.echo("If Quadrille runs on other machines, restart the site there so that it uses the restored keys.")
