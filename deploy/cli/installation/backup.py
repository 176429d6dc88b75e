"""`quadrille backup`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.cli.errors import BadInput, Cannot
from deploy.cli.progress import rows_done
from deploy.settings import load
from deploy.storage.backup import backup, default_path
from tournament.store.database import connect


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@data_option
def command(file: Path | None, data: Path | None) -> None:
    """Write the whole installation into one FILE: the database with all uploads, reports and games, the settings, and
    the keys.

    By default, FILE is in the folder `backups` of the data folder. The backup is a consistent snapshot, although the
    workers go on. It can be restored on SQLite and on PostgreSQL, whichever it came from. Anyone who can read it can
    sign in as anyone, so keep it as safe as a password.
    """
    log.configure()
    settings = load(data)
    file = file or default_path(settings)
    engine = connect(settings.database)
    try:
        with rows_done() as progress:
            manifest = backup(settings, engine, file, progress)
    except FileExistsError as error:
        raise BadInput(f"{file} already exists; choose another name") from error
    except OSError as error:
        raise Cannot(f"the backup cannot be written to {file}: {error.strerror}") from error
    finally:
        engine.dispose()
    size = file.stat().st_size / (1 << 20)
    click.echo(f"{file}: {manifest.rows} rows of {len(manifest.tables)} tables, {size:.1f} MiB")
