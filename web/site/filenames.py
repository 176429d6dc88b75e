"""The names of the students' files in tracebacks: while it plays, every file is called `player.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sqlalchemy import select

from grader.models import Submission
from tournament.play.record import FaultNote, Record
from web.site.store import read

IN_GAMES = '  File "player.py", line '


class Seated(Protocol):
    """Whoever sits at a table; a house bot has no player."""

    @property
    def author_id(self) -> int | None: ...
    @property
    def player_id(self) -> int | None: ...


def with_filenames(record: Record, seated: Callable[[int], Seated]) -> Record:
    """The record with each traceback under the name of the file as it was uploaded; `seated` knows who sat where."""
    faults = [_named(note, seated(note.seat)) if note.traceback else note for note in record.faults]
    return replace(record, faults=faults)


def _named(note: FaultNote, seated: Seated) -> FaultNote:
    uploads = select(Submission.filename).where(
        Submission.author_id == seated.author_id, Submission.player_id == seated.player_id
    )
    name = read().scalar(uploads.order_by(Submission.id.desc()).limit(1))
    return replace(note, traceback=note.traceback.replace(IN_GAMES, f'  File "{name}", line ')) if name else note
