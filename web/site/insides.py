"""Decide which parts of a game's record may be shown to whom. The insides, or private details, of a player (its output,
its tracebacks and its malformed plays) are visible only to its author and to staff who oversee the author. Tracebacks
show the names of the uploaded files."""

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Protocol

from sqlalchemy import select
from werkzeug.exceptions import Gone, NotFound

from grader.store.models import Submission
from sandbox.api import Verdict
from tournament.ladder.standings import ListedSeat
from tournament.play.record import FaultNote, Output, Record
from tournament.store.tables import CustomGame, PlayedGame, Seat
from web.site.access import Viewer, note_opening
from web.site.roles import sees_inside
from web.site.store import read

IN_GAMES = '  File "player.py", line '


class Seated(Protocol):
    """A player or house bot in a seat; a house bot has no player id."""

    @property
    def author_id(self) -> int | None: ...
    @property
    def player_id(self) -> int | None: ...


def with_filenames(record: Record, seated: Callable[[int], Seated]) -> Record:
    """Put the uploaded file's name into each traceback of the record. `seated` returns the player or house bot in a
    seat."""

    def named(note: FaultNote) -> FaultNote:
        name = name_of(seated(note.seat)) if note.traceback else None
        return replace(note, traceback=note.traceback.replace(IN_GAMES, f'  File "{name}", line ')) if name else note

    return replace(record, faults=[named(each) for each in record.faults])


def name_of(seated: Seated) -> str | None:
    """The name of the latest uploaded file of the player in a seat."""
    uploads = select(Submission.filename).where(
        Submission.author_id == seated.author_id, Submission.player_id == seated.player_id
    )
    return read().scalar(uploads.order_by(Submission.id.desc()).limit(1))


OUTSIDE = "The player failed; only its author and the instructors can see how."


def custom_record(game: CustomGame, own: Container[int]) -> Record:
    """The record of a custom game for somebody who may see the insides of these seats, `own`. It shows current names,
    since a person at the table may have been removed in the meantime."""
    if game.record is None:
        raise NotFound("This game has not been played.")
    shown = record_for(own, Record.unpack(game.record))
    named = with_filenames(shown, {seat.seat: seat for seat in game.seats}.__getitem__)
    return replace(named, seats=[seat.label for seat in game.seats])


def seen_record(viewer: Viewer, seats: Sequence[Seat], record: Record) -> Record:
    """Remove from the record the insides of players that the viewer may not see, and show current names, since a person
    at the table may have been removed from the course or given another pseudonym. The access log records whose insides
    staff see."""
    telling = {note.seat for note in record.faults}
    telling |= {seat for seat, said in enumerate(record.outputs) if said != Output()}
    own = {seat.seat: seat.entry for seat in seats if sees_inside(viewer, seat.entry)}
    for number in telling & own.keys():
        note_opening(viewer, own[number].author_id, "game")
    return seats_named(record_for(own, record), seats)


THINNED = "The plays of this game were deleted because its players left the ladder, or the ladder ended, long ago."


def kept_record(game: PlayedGame) -> bytes:
    """The packed record of a game. Raises Gone if the record was deleted, see `tournament.ladder.thinning`."""
    if not game.record:
        raise Gone(THINNED)
    return game.record


def public_record(game: PlayedGame) -> Record:
    """The record of a shared game for anyone, without the insides of any player and with the current names."""
    return seats_named(record_for((), Record.unpack(kept_record(game))), game.seats)


def seats_named(shown: Record, seats: Sequence[Seat]) -> Record:
    """Put the current name for each seat into the record."""
    named = with_filenames(shown, {seat.seat: seat.entry for seat in seats}.__getitem__)
    return replace(named, seats=[seat.entry.name for seat in seats])


def record_for(own: Container[int], record: Record) -> Record:
    """The record for somebody who may see the insides of these seats, `own`. The message of an illegal play is always
    shown, since everybody at the table saw the play; the message of any other fault is hidden unless its seat is in
    `own`."""
    shown = record.seen_by(own)
    faults = [
        note if note.seat in own or note.verdict is Verdict.ILLEGAL else replace(note, message=OUTSIDE, call="", got="")
        for note in shown.faults
    ]
    return replace(shown, faults=faults)


def seen_message(viewer: Viewer, seat: ListedSeat) -> str:
    """The message about the fault in a seat, hidden by the rule of `record_for`."""
    shown = not seat.verdict or seat.verdict == Verdict.ILLEGAL or sees_inside(viewer, seat)
    return seat.message if shown else OUTSIDE
