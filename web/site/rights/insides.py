"""What of a game's record may be shown to whom: the insides of a player (what it printed, tracebacks, what was not an
illegal play) are for its author and the instructors."""

from collections.abc import Container, Sequence
from dataclasses import replace

from werkzeug.exceptions import NotFound

from sandbox.api import Verdict
from tournament.ladder.standings import ListedSeat
from tournament.play.record import Record
from tournament.store.tables import CustomGame, PlayedGame, Seat
from web.site.filenames import with_filenames
from web.site.rights.access import Viewer, sees_inside

OUTSIDE = "The player failed; only its author and the instructors can see how."


def custom_record(game: CustomGame, own: Container[int]) -> Record:
    """The record of a custom game for somebody who may see inside the seats `own`, with the current names: somebody at
    the table may have been removed since."""
    if game.record is None:
        raise NotFound("This game has not been played.")
    shown = record_for(own, Record.unpack(game.record))
    named = with_filenames(shown, {seat.seat: seat for seat in game.seats}.__getitem__)
    return replace(named, seats=[seat.label for seat in game.seats])


def seen_record(viewer: Viewer, seats: Sequence[Seat], record: Record) -> Record:
    """The record without the insides of players that the viewer may not see, and with the current names: somebody at
    the table may have been removed from the course, or given another pseudonym."""
    return _named(record_for({seat.seat for seat in seats if sees_inside(viewer, seat.entry)}, record), seats)


def public_record(game: PlayedGame) -> Record:
    """The record of a shared game for anyone: without the insides of any player, and with the current names."""
    return _named(record_for((), Record.unpack(game.record)), game.seats)


def _named(shown: Record, seats: Sequence[Seat]) -> Record:
    named = with_filenames(shown, {seat.seat: seat.entry for seat in seats}.__getitem__)
    return replace(named, seats=[seat.entry.name for seat in seats])


def record_for(own: Container[int], record: Record) -> Record:
    """The record for somebody who may see inside the seats `own`. Everybody at the table saw an illegal play; what an
    exception says is only for its author."""
    shown = record.seen_by(own)
    faults = [
        note if note.seat in own or note.verdict is Verdict.ILLEGAL else replace(note, message=OUTSIDE, call="", got="")
        for note in shown.faults
    ]
    return replace(shown, faults=faults)


def seen_message(viewer: Viewer, seat: ListedSeat) -> str:
    """The message about the fault of a seat, by the same rule."""
    shown = not seat.verdict or seat.verdict == Verdict.ILLEGAL or sees_inside(viewer, seat)
    return seat.message if shown else OUTSIDE
