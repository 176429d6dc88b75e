"""What every command owes the terminal, whatever it is: no traceback because something cannot be shown or written.

Imports nothing of ours but the exit codes: the runner's image has little else."""

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from deploy.cli.errors import CANNOT

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of every program that a shell sees interrupted: 128 and the signal's number."""


class OutputLost(Exception):
    """What is printed cannot be written; the message says why. Not an OSError, which would be taken for the data
    folder's."""


class Output(FileIO):
    """Standard output."""

    def write(self, data: Any) -> int:
        """Raises OutputLost; a reader that has gone is left to click, which ends quietly."""
        try:
            return super().write(data)
        except (BlockingIOError, BrokenPipeError):
            raise
        except OSError as error:
            raise OutputLost(error.strerror) from error


def escaped(error: UnicodeError) -> tuple[str, int]:
    """Characters that the terminal's encoding lacks, as JSON escapes: what is printed for programs stays valid."""
    assert isinstance(error, UnicodeEncodeError)  # noqa: S101  # only writing is handled so
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error("quadrille", escaped)


@contextmanager
def patient() -> Iterator[None]:
    """Print whatever the encoding, and say in a line if the output cannot be written: then exit with CANNOT."""
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
    except BrokenPipeError:  # whoever read it has seen enough
        _give_up_output()
        sys.exit(1)
    except OutputLost as error:
        _give_up_output()
        with suppress(OSError):
            print(f"quadrille: the output cannot be written: {error}", file=sys.stderr)
        sys.exit(CANNOT)


def _watched(stream: TextIOWrapper) -> TextIOWrapper:
    """The same standard output, by way of `Output`."""
    raw = Output(stream.fileno(), "w", closefd=False)
    unbuffered = stream.write_through
    return TextIOWrapper(
        raw if unbuffered else BufferedWriter(raw),  # as Python itself does
        stream.encoding,
        "quadrille",
        line_buffering=stream.line_buffering,
        write_through=unbuffered,
    )


def _give_up_output() -> None:
    """So that Python does not try again at its end."""
    sys.stdout = None
