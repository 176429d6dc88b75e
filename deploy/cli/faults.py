"""Expected errors in one line that says what to do. Any other exception is a bug."""

import errno

import click
from alembic.util import CommandError
from sqlalchemy.exc import OperationalError

from deploy.cli.errors import BadInput, Cannot
from deploy.courses import BadCourse
from deploy.data_folder import AlreadyRunning
from deploy.security import Insecure
from deploy.settings import BadSettings
from deploy.storage.schema import WrongSchema
from tournament.games.loading import BadFolder
from tournament.play.games import UnknownGame
from tournament.store.database import in_a_line
from web.people.people_file import BadPeople

DOCTOR = "run `quadrille doctor`"
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


def explained(error: Exception) -> click.ClickException | None:
    """The error to show to the user; None for a bug."""
    if isinstance(error, BadSettings | BadCourse | BadPeople | BadFolder):
        return BadInput(str(error))
    if isinstance(error, OperationalError):
        return Cannot(f"the database cannot be used: {in_a_line(error)}; {DOCTOR}")
    if isinstance(error, CommandError):
        return Cannot(f"the database belongs to a later Quadrille: {in_a_line(error)}; {DOCTOR}")
    if isinstance(error, AlreadyRunning):
        return Cannot(f"Quadrille runs from this data folder ({error}); stop it first")
    if isinstance(error, WrongSchema | Insecure | UnknownGame):
        return Cannot(str(error))
    if isinstance(error, OSError) and error.errno in DISK:
        return Cannot(f"{error.filename or 'the data folder'} cannot be written: {error.strerror}; {DOCTOR}")
    return None
