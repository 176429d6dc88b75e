"""How a command ends: exit codes, errors in one line that says what to do, and output that never ends in a traceback,
even with a poor terminal or a full disk. This module imports little, since the runner's image contains only a part of
Quadrille."""

import codecs
import errno
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

import click

from sandbox.visible import visible

FAULTY, BAD_INPUT, CANNOT, UNATTENDED = 1, 2, 3, 4
"""Exit codes; 0 is success. UNATTENDED means that everything works here, but work of the installation is not being
done."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal, as usual in shells."""

DOCTOR = "run `quadrille doctor`"
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


class BadInput(click.ClickException):
    """The user's input is wrong; the message says how, in one line."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print the error."""
        click.secho(f"quadrille: {visible(self.format_message())}", err=True, fg="red")


class Cannot(BadInput):
    """This machine cannot do what the command needs; the message says what to do."""

    exit_code = CANNOT


def explained(error: Exception) -> click.ClickException | None:
    """Return the message about an expected error, as shown to the user, or None for a bug."""
    from alembic.util import CommandError
    from sqlalchemy.exc import OperationalError

    from deploy.courses import BadCourse
    from deploy.machine import AlreadyRunning, Unable
    from deploy.settings import BadSettings
    from sandbox.api import SandboxUnavailable
    from tournament.games.loading import BadFolder
    from tournament.play.games import UnknownGame
    from tournament.store.database import in_a_line
    from tournament.store.validation import Refusal

    if isinstance(error, Refusal | BadSettings | BadCourse | BadFolder):
        return BadInput(str(error))
    if isinstance(error, OperationalError):
        return Cannot(f"the database cannot be used: {in_a_line(error)}; {DOCTOR}")
    if isinstance(error, CommandError):
        return Cannot(f"the database belongs to a later Quadrille: {in_a_line(error)}; {DOCTOR}")
    if isinstance(error, AlreadyRunning):
        return Cannot(f"Quadrille runs from this data folder ({error}); stop it first")
    if isinstance(error, Unable | UnknownGame | SandboxUnavailable):
        return Cannot(str(error))
    if isinstance(error, OSError) and error.errno in DISK:
        return Cannot(f"{error.filename or 'the data folder'} cannot be written: {error.strerror}; {DOCTOR}")
    return None


class OutputLost(Exception):
    """Standard output cannot be written; the message says why. Not an OSError, since an OSError is blamed on the data
    folder."""


class StandardOutput(FileIO):
    """Standard output that raises OutputLost."""

    def write(self, data: Any) -> int:
        """Write the text. Raises OutputLost, except for a closed pipe, on which click ends quietly."""
        try:
            return super().write(data)
        except (BlockingIOError, BrokenPipeError):
            raise
        except OSError as error:
            raise OutputLost(error.strerror) from error


def escaped(error: UnicodeError) -> tuple[str, int]:
    """Write characters that the terminal's encoding lacks as JSON escapes, so that printed JSON stays valid."""
    assert isinstance(error, UnicodeEncodeError)  # noqa: S101  # only used for writing
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error("quadrille", escaped)


@contextmanager
def patient() -> Iterator[None]:
    """Print in any encoding. If the output cannot be written, say so in one line and exit with CANNOT."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "quadrille"), (sys.stderr, "quadrille")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)
    if sys.stdout is sys.__stdout__ and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout = _watched(sys.stdout)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has ended
        sys.stdout = None  # else Python would flush it again at exit
        sys.exit(1)
    except OutputLost as error:
        sys.stdout = None
        with suppress(OSError):
            print(f"quadrille: the output cannot be written: {error}", file=sys.stderr)
        sys.exit(CANNOT)


def _watched(stream: TextIOWrapper) -> TextIOWrapper:
    """Return standard output, wrapped in `StandardOutput`."""
    raw = StandardOutput(stream.fileno(), "w", closefd=False)
    unbuffered = stream.write_through
    return TextIOWrapper(
        raw if unbuffered else BufferedWriter(raw),  # as in Python itself
        stream.encoding,
        "quadrille",
        line_buffering=stream.line_buffering,
        write_through=unbuffered,
    )
