"""`quadrille restore`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import BadInput, Cannot, data_option, regular_file
from deploy.cli.progress import resting, rows_done
from deploy.settings import load
from deploy.storage.archive import BadBackup, Manifest
from deploy.storage.restore import Occupied, Restored, restore, verify
from deploy.storage.schema import newest


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=regular_file)
@click.option("--force", is_flag=True, help="Replace what is there; a backup of that is made first.")
@click.option("--check", is_flag=True, help="Only read the file, and say whether all of it is well.")
@data_option
def command(file: Path, force: bool, check: bool, data: Path | None) -> None:
    """Put a backup's content into the installation of the data folder: the database, the keys and the settings.

    It goes into the database that QUADRILLE_DATABASE_URL names here, of whichever kind the backup came from, all of it
    or nothing. Settings that this place chooses itself stay. A backup of a former Quadrille is brought up to date.
    """
    log.configure()
    try:
        with rows_done() as progress:
            if check:
                click.echo(f"{file} is whole: {_described(verify(file, progress))}")
                return
            done = restore(load(data), file, force, progress, resting)
    except BadBackup as error:
        raise BadInput(str(error)) from error
    except Occupied as error:
        raise Cannot(f"{error}. With --force it is replaced, and a backup of it made first") from error
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
        click.echo(f"It was brought from revision {done.manifest.revision} to {newest()}.")
    if done.kept:
        click.echo(f"What was there before is in {done.kept}.")
    if done.manifest.left_out:
        click.echo(f"Settings that belong to the former place are not in it: {', '.join(done.manifest.left_out)}.")
    if done.own:
        click.echo(f"Settings of this place that the backup has otherwise were left alone: {', '.join(done.own)}.")
    click.echo("If Quadrille runs on other machines, start its site anew, so that it takes the keys.")
