"""The bots' part of a game by hand: from its record they play until the person must.

Nothing is kept between two plays of the person: each bot is started again and called as it was called before, so that
it knows what it knew.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox.api import Answer, Fault, Limits, Program, Reply, Sandbox, Session, Value, call
from tournament.games.api import Game, Request, State
from tournament.hand.position import awaits, concluded
from tournament.play.local import house_bot, program_of
from tournament.play.record import Record, is_question
from tournament.play.referee import Beat, LiveGame, note_fault
from tournament.play.replay import reapply
from tournament.play.seeds import seat_seed


@dataclass(frozen=True, slots=True)
class HandTable:
    """A game by hand as it is stored: the person's seat, the house bots in the order of the others, and the play that
    the person has chosen, as recorded data, or nothing."""

    record: Record
    seat: int
    bots: Sequence[str]
    move: Sequence[Any] = ()

    def programs(self, game: Game[Any]) -> dict[int, Program]:
        """The bots' files by seat."""
        others = [seat for seat in range(len(self.record.seats)) if seat != self.seat]
        files = [house_bot(game, name) for name in self.bots]
        return {seat: program_of(game, file.source, file.filename) for seat, file in zip(others, files, strict=True)}


@dataclass(slots=True)
class _Person:
    """The person as the referee sees a seat: a session that returns the plays that were chosen."""

    plays: list[Any] = field(default_factory=list)

    def begin(self, function: str, args: Sequence[Any]) -> None:
        """There is nobody to send it to."""

    def finish(self, answer: Answer | None = None) -> Reply:
        return Value(self.plays.pop(0), 0.0)


def go_on(game: Game[State], table: HandTable, trusted: Sandbox, limits: Limits, beat: Beat = lambda: None) -> Record:
    """The record after the person's move and all that follows until the person must play again or the game is over;
    then it has a result. Raises SandboxError and ReplayError."""
    record, seat = table.record, table.seat
    with seated(table.programs(game), record.seed, trusted, limits) as opened:
        sessions = {each: one for each, one in opened.items() if not isinstance(one, Fault)}
        state = recalled(game, record, sessions, beat)
        person = _Person([game.decode(play) for play in table.move])
        match = LiveGame(game, state, [sessions.get(each) or person for each in range(len(record.seats))])
        failed = {each: one for each, one in opened.items() if isinstance(one, Fault)}
        match.faults = [note_fault(each, fault, len(record.plays)) for each, fault in failed.items()]
        while not match.faults and (requests := game.requests(state)):
            if awaits(game, state, seat) and not person.plays:
                break
            match.play_round(requests, beat)
    plays, times = [*record.plays, *match.recorded()], [*record.times_ms, *match.times_ms]
    after = replace(record, plays=plays, times_ms=times, faults=match.faults)
    return after if game.requests(state) and not match.faults else concluded(game, after, state)


@contextmanager
def seated(
    programs: Mapping[int, Program], seed: int, sandbox: Sandbox, limits: Limits
) -> Iterator[dict[int, Session | Fault]]:
    """Processes of these players by seat, until the end of the context. Raises SandboxError."""
    with ExitStack() as opened:
        starting = {}
        for seat, program in programs.items():
            starting[seat] = sandbox.start(program, limits.for_games(), seat_seed(seed, seat))
            opened.callback(starting[seat].close)
        yield {seat: each.wait() for seat, each in starting.items()}


def recalled(game: Game[State], record: Record, sessions: Mapping[int, Session], beat: Beat) -> State:
    """Call the players as they were called in the game so far; the state after it. Raises as `recall` does."""
    state: State
    for _, state in recall(game, record, sessions, beat):  # noqa: B007 - the last one is wanted
        pass
    return state


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a player answered to a call of a game that was played before. `played`: what was played then, as recorded
    data; `rounds`: how many were over."""

    rounds: int
    request: Request
    played: Any
    reply: Reply


def recall(
    game: Game[State], record: Record, sessions: Mapping[int, Session], beat: Beat
) -> Iterator[tuple[Recalled | None, State]]:
    """Go through the game, and at each call of one of these seats call the player too; yield what it answered, with the
    living state. Last come None and the state at the end. What players ask is answered aside, and changes nothing.
    Raises SandboxError, ReplayError, and IllegalPlay for a question that the game refuses."""
    for rounds, (index, state) in enumerate(reapply(game, record)):
        played = _next_plays(record, index)
        for request in game.requests(state) if played else ():
            if request.seat in sessions:
                reply = call(sessions[request.seat], request.function, request.args, _aside(game, state, request.seat))
                beat()
                yield Recalled(rounds, request, played[request.seat], reply), state
    yield None, state


def _next_plays(record: Record, index: int) -> dict[int, Any]:
    """The next play of each seat, of the round that begins there; empty if nothing more was played."""
    found: dict[int, Any] = {}
    for seat, play in record.plays[index:]:
        if seat in found:
            break
        if not is_question(play):
            found[seat] = play
    return found


def _aside(game: Game[State], state: State, seat: int) -> Answer:
    """Answers of the game to one call, from a copy of the state that is made when it is first needed."""
    copies: list[State] = []

    def answer(name: str, args: Sequence[Any]) -> Any:
        if not copies:
            copies.append(deepcopy(state))
        return game.answer(copies[0], seat, name, args)

    return answer
