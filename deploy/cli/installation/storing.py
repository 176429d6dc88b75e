"""`quadrille backup`, `restore` and `migrate`."""

import sys
from pathlib import Path

import click
from sqlalchemy.orm import sessionmaker

from deploy import demo, log
from deploy.cli.common import data_option, regular_file, resting, rows_done
from deploy.cli.errors import FAULTY, BadInput, Cannot
from deploy.cli.installation.serve import print_logins
from deploy.migrations import new_revision
from deploy.processes.celery import make_app, sender
from deploy.settings import load
from deploy.storage.archive import BadBackup, Manifest
from deploy.storage.backup import FOLDER, default_path, upgrade
from deploy.storage.restore import Occupied, Restored, restore, verify
from deploy.storage.routine import BackupMade, back_up, decrypted
from deploy.storage.schema import newest
from tournament.store.database import connected


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--to", type=click.Path(path_type=Path, file_okay=False), help="The folder for FILE, in place of `backups`."
)
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Delete all but the latest N backups in that folder.")
@click.option(
    "--check", is_flag=True, help="Restore the backup into a scratch database, and check all standings there."
)
@data_option
def backup_command(file: Path | None, to: Path | None, keep: int | None, check: bool, data: Path | None) -> None:
    """Write the whole installation into one FILE: the database with all uploads, reports and games, the settings, and
    the keys.

    By default, FILE is named after the time, and lies in the folder `backups` of the data folder. The backup is a
    consistent snapshot, although workers continue. It can be restored on SQLite or PostgreSQL, regardless of which it
    came from. Anyone who can read it can sign in as anyone, so keep it as safe as a password, or set
    QUADRILLE_BACKUP_KEY to encrypt it. The exit code is 1 if --check finds wrong standings; then no older backup is
    deleted.
    """
    log.configure()
    if file and (to or keep):
        raise BadInput("name either FILE, or a folder with --to, of which --keep deletes what is old")
    settings = load(data)
    file = file or (to or settings.data / FOLDER) / default_path(settings).name
    try:
        with connected(settings.database) as engine, rows_done() as progress:
            made = back_up(settings, engine, file, keep or 0, check, progress)
    except FileExistsError as error:
        raise BadInput(f"{error.filename or error} already exists; choose another name") from error
    except BadBackup as error:
        raise Cannot(f"the backup cannot be restored: {error}") from error
    except OSError as error:
        raise Cannot(f"the backup cannot be written to {file}: {error.strerror}") from error
    _tell_made(made)


def _tell_made(made: BackupMade) -> None:
    size = made.path.stat().st_size / (1 << 20)
    click.echo(f"{made.path}: {made.manifest.rows} rows of {len(made.manifest.tables)} tables, {size:.1f} MiB")
    if made.wrong:
        listed = "; ".join(made.wrong)
        click.echo(f"Restored on trial, these standings do not follow from the games: {listed}.", err=True)
        click.echo("Correct them here with `quadrille rerate`. Nothing older was deleted.", err=True)
        sys.exit(FAULTY)
    if made.wrong is not None:
        click.echo("It was restored on trial, and all standings follow from the games.")
    if made.deleted:
        click.echo(f"Older backups deleted: {made.deleted}.")
    if not made.noted:
        click.echo("The alerts do not count it: there is maintenance, or the database is of another version.", err=True)


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=regular_file)
@click.option("--force", is_flag=True, help="Replace existing data, after a backup of it.")
@click.option("--check", is_flag=True, help="Verify the file without restoring it.")
@click.option(
    "--identity",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=lambda context, param, path: path and regular_file(context, param, path),
    help="The file with the private key, if FILE is encrypted.",
)
@data_option
def restore_command(file: Path, force: bool, check: bool, identity: Path | None, data: Path | None) -> None:
    """Restore the backup FILE into the installation of the data folder: the database, the keys and the settings.

    The database is the one that QUADRILLE_DATABASE_URL names, on SQLite or PostgreSQL. Either everything is restored,
    or nothing. Settings made here stay as they are. A backup from an earlier version of Quadrille is upgraded.
    """
    log.configure()
    try:
        settings = None if check else load(data)
        aside = settings.data if settings else None
        with decrypted(file, identity, aside) as plain, rows_done() as progress:
            if settings is None:
                click.echo(f"{file} is intact: {_described(verify(plain, progress))}")
                return
            done = restore(settings, plain, force, progress, resting)
    except BadBackup as error:
        raise BadInput(str(error)) from error
    except Occupied as error:
        raise Cannot(f"{error}. Use --force to replace it, after a backup of it") from error
    except OSError as error:
        raise Cannot(f"nothing was restored: {error.strerror} ({error.filename or file})") from error
    _tell_restored(done)


def _described(manifest: Manifest) -> str:
    return (
        f"{manifest.rows} rows of {len(manifest.tables)} tables, made on {manifest.made_at:%d %B %Y at %H:%M} UTC"
        f" by Quadrille {manifest.program}"
    )


def _tell_restored(done: Restored) -> None:
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


@click.command()
@data_option
@click.option("--new", metavar="MESSAGE", help="For developers: write a migration for changed models.")
def migrate_command(data: Path | None, new: str | None) -> None:
    """Upgrade the database to this version, and fill it for a demonstration. `quadrille serve` does this itself.

    First the data is backed up to the folder `backups` of the data folder, and the site is read-only until the upgrade
    is done. To go back to the former version, install it and restore that backup.
    """
    log.configure()
    settings = load(data)
    with connected(settings.database) as engine:
        if new:
            new_revision(engine, new)
            click.echo("Now set NEWEST in deploy/storage/schema.py to its revision.")
            return
        with rows_done() as progress:
            done = upgrade(settings, engine, progress, resting)
        click.echo(done.told if done else f"The database is at the latest revision, {newest()}.")
        if settings.demo:
            demo.seed(sessionmaker(engine), sender(make_app(settings)), demo.logins(settings))
            print_logins(settings)
