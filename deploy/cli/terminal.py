"""Output that never ends in a traceback: characters that the terminal lacks, a full disk, a closed pipe.

Imports only the exit codes: the runner's image holds only a part of Quadrille."""

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from deploy.cli.errors import CANNOT

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal, as usual in shells."""


class OutputLost(Exception):
    """Standard output cannot be written; the message says why. Not an OSError, which would be blamed on the data
    folder."""


class StandardOutput(FileIO):
    """Standard output that raises OutputLost."""

    def write(self, data: Any) -> int:
        """Write. Raises OutputLost, but not for a closed pipe: click then ends quietly."""
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
        _give_up_output()
        sys.exit(1)
    except OutputLost as error:
        _give_up_output()
        with suppress(OSError):
            print(f"quadrille: the output cannot be written: {error}", file=sys.stderr)
        sys.exit(CANNOT)


def _watched(stream: TextIOWrapper) -> TextIOWrapper:
    """The same standard output, through `StandardOutput`."""
    raw = StandardOutput(stream.fileno(), "w", closefd=False)
    unbuffered = stream.write_through
    return TextIOWrapper(
        raw if unbuffered else BufferedWriter(raw),  # as Python itself does
        stream.encoding,
        "quadrille",
        line_buffering=stream.line_buffering,
        write_through=unbuffered,
    )


def _give_up_output() -> None:
    """Keep Python from flushing standard output again at its end."""
    sys.stdout = None
