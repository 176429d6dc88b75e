"""`quadrille course archive`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from sqlalchemy.orm import sessionmaker

from deploy.cli.common import confirm_loss, data_option, say, telling, yes_option
from deploy.cli.errors import BadInput, Cannot
from deploy.cli.installation.database import looked_at, refuse_in_maintenance
from deploy.courses import find_course
from deploy.processes.retention import forget_each
from deploy.settings import load
from deploy.storage.archive import BadBackup
from deploy.storage.course_archives import archive, default_path, remove
from tournament.store.database import connected
from web.privacy.forgetting import CannotForget
from web.site.text import count


@click.command(name="archive")
@click.argument("slug")
@click.option("--to", "path", type=click.Path(path_type=Path, dir_okay=False), help="The file, in place of `archives`.")
@click.option("--remove", "removes", is_flag=True, help="Then remove the course from the database.")
@yes_option
@data_option
def archive_command(slug: str, path: Path | None, removes: bool, yes: bool, data: Path | None) -> None:
    """Write the course SLUG, which must have ended, into one zip that can be read without Quadrille.

    It has people, marks, uploads, reports, comments, requests, the log, results and replays of games, and the signed
    records. By default it goes into the folder `archives` of the data folder. With QUADRILLE_BACKUP_KEY it is encrypted
    like a backup. It contains personal data, so keep it as safe as the marks, and delete it when its time is over.

    With --remove, the course is removed from the database after the archive was read again and compared. Accounts of
    students who are in no other course end.
    """
    settings = load(data)
    with looked_at(settings) as session:
        refuse_in_maintenance(session)
        course = find_course(session, slug)
        course_id, title = course.id, course.title
    try:
        with connected(settings.database) as engine:
            with telling("Archiving") as tell:
                done = archive(settings, engine, course_id, path or default_path(settings, slug), tell)
            size = done.path.stat().st_size / (1 << 20)
            say(f"{done.path}: {count(done.files, 'file')}, {size:,.1f} MiB, read again and compared.")
            if not removes:
                return
            if not yes:
                say(f"{title} with all that belongs to it will be removed from the database. Its archive stays.")
            confirm_loss(yes)
            people = remove(engine, done)
    except FileExistsError as error:
        raise BadInput(f"{error.filename or error} already exists; choose another name") from error
    except (CannotForget, BadBackup) as error:
        raise Cannot(f"nothing was removed. {error}") from error
    except OSError as error:
        raise Cannot(f"the archive cannot be written, and nothing was removed: {error.strerror}") from error
    with connected(settings.database) as engine:
        keep = timedelta(days=settings.keep_work_days)
        ended = len(forget_each(sessionmaker(engine), people, keep, datetime.now(UTC)))
    say(f"{title} was removed, and {count(ended, 'account')} of students who are in no other course ended.")
