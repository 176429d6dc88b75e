"""The names of students' files in tracebacks. In a game every file is called `player.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sqlalchemy import select

from grader.models import Submission
from tournament.play.record import FaultNote, Record
from web.site.store import read

IN_GAMES = '  File "player.py", line '


class Seated(Protocol):
    """A seat at a table; a house bot has no player."""

    @property
    def author_id(self) -> int | None: ...
    @property
    def player_id(self) -> int | None: ...


def with_filenames(record: Record, seated: Callable[[int], Seated]) -> Record:
    """The record with the name of the uploaded file in each traceback; `seated` gives what sits in a seat."""
    faults = [_named(note, seated(note.seat)) if note.traceback else note for note in record.faults]
    return replace(record, faults=faults)


def _named(note: FaultNote, seated: Seated) -> FaultNote:
    name = name_of(seated)
    return replace(note, traceback=note.traceback.replace(IN_GAMES, f'  File "{name}", line ')) if name else note


def name_of(seated: Seated) -> str | None:
    """The name that a seat's file had when it was uploaded, the last time."""
    uploads = select(Submission.filename).where(
        Submission.author_id == seated.author_id, Submission.player_id == seated.player_id
    )
    return read().scalar(uploads.order_by(Submission.id.desc()).limit(1))
