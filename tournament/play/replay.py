"""Replay a record, without any student code: the rules deal, and the recorded plays are carried out."""

from collections import deque
from collections.abc import Container, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tournament.games.api import Game, IllegalPlay, Result, State, dealer
from tournament.play.record import FaultNote, Record, is_question
from tournament.play.referee import conclude


class ReplayError(Exception):
    """A record does not fit the rules. `index` is the index in `plays` of the item that could not be carried out."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.message = message


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment of a game: the table after the first `index` of the record's plays were carried out. `seats` have just
    played, in `ms` milliseconds of CPU time (None if the record does not contain it). `opens` says whether one of
    their turns begins with this frame."""

    index: int
    caption: str
    table: Any  # see `Game.frame`; None if it was not requested
    fault: FaultNote | None = None
    seats: tuple[int, ...] = ()
    opens: bool = True
    ms: float | None = None


def reapply(game: Game[State], record: Record) -> Iterator[tuple[int, State]]:
    """Deal, then carry out round after round. Each time, yield the number of plays that are done, and the state: always
    the same object. The end of a disqualified game is not carried out: `tournament.play.referee.conclude` does that.
    Raises ReplayError."""
    state = _dealt(game, record)
    yield 0, state
    for index, _ in _rounds(game, state, record):
        yield index, state


def _dealt(game: Game[State], record: Record) -> State:
    """Deal by the version of the rules in the record, or by the present rules if that version is unknown."""
    deal = dealer(game, record.version) or game.deal
    return deal(Random(record.seed), len(record.seats))


def _rounds(game: Game[State], state: State, record: Record) -> Iterator[tuple[int, list[tuple[int, Any]]]]:
    """Carry out each round; yield the number of plays that are done by then, and the round's parsed plays."""
    items, end, index = record.plays, len(record.plays), 0
    requests, decode, parse, apply = game.requests, game.decode, game.parse, game.apply
    while index < end:
        asked = requests(state)
        if not asked:
            raise ReplayError(index, f"The game is over after {index} of the {end} recorded plays.")
        try:
            while index < end and is_question(items[index][1]):  # repeat the questions that were asked
                seat, question = items[index]
                game.answer(state, seat, question["ask"], question["args"])
                index += 1
            if index == end:  # questions asked in the round of a fault
                return
            plays = []
            for request in asked:
                if index == end or items[index][0] != request.seat:
                    whose = f"Seat {request.seat} must play now, and the recorded play {index} is not its own."
                    raise ReplayError(index, whose)
                plays.append((request.seat, parse(state, request.seat, decode(items[index][1]))))
                index += 1
        except IllegalPlay as refusal:
            raise ReplayError(index, f"The recorded play {index} is refused: {refusal.message}") from None
        apply(state, plays)
        yield index, plays


def finish(game: Game[State], record: Record) -> tuple[State, Result]:
    """Return the state at the end of the game, and the result that follows from the rules; raises ReplayError."""
    ((_, state),) = deque(reapply(game, record), maxlen=1)
    try:
        return state, conclude(game, state, record.faults)
    except ValueError:
        raise ReplayError(len(record.plays), "The record stops before the game is over.") from None


def verify(game: Game[State], record: Record) -> None:
    """Check that the rules lead from the seed and the plays to the recorded result; raises ReplayError."""
    if record.game != game.name or dealer(game, record.version) is None:
        raise ReplayError(
            0,
            f"The record is of {record.game}, version {record.version or 'unknown'} of the rules; "
            f"these are the rules of {game.name}, version {game.version}.",
        )
    _, result = finish(game, record)
    recorded = (record.ended, tuple(record.places), tuple(record.points))
    if recorded != (result.ended, result.places, result.points):
        raise ReplayError(len(record.plays), f"The record says {recorded}, but the rules lead to {result}.")


def frames(
    game: Game[State], record: Record, seat: int | None = None, wanted: Container[int] | None = None
) -> list[Frame]:
    """Return the deal, then one frame for each round, then one for each fault, as the whole table or as `seat` saw it.
    Only frames whose numbers are in `wanted` have a table (None: all frames), since computing tables is most of the
    work. Raises ReplayError."""
    state, found = _dealt(game, record), list[Frame]()
    before: tuple[int, ...] = ()
    done = 0

    def add(index: int, caption: str, *more: Any) -> None:
        table = game.frame(state, seat) if wanted is None or len(found) in wanted else None
        found.append(Frame(index, caption, table, *more))

    add(0, "The cards are dealt.")
    for index, plays in _rounds(game, state, record):
        caption = "; ".join(f"{record.seats[seat]} {game.describe(seat, play)}" for seat, play in plays)
        seats = tuple(seat for seat, _ in plays)
        ms = sum(record.times_ms[done:index]) if len(record.times_ms) >= index else None
        add(index, caption, None, seats, seats != before, ms)
        before, done = seats, index
    if record.faults:
        conclude(game, state, record.faults)
    for note in record.faults:
        add(len(record.plays), f"{record.seats[note.seat]} is disqualified: {note.message}", note, (note.seat,))
    return found
