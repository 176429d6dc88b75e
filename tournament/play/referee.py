"""One referee for every game: asks the players, judges their plays, and keeps the record.

A fault, or a play that the rules refuse, ends the game at once against the seat at fault alone. When several seats
answer at the same time, the referee first waits for all of them: every seat that was at fault in that round is recorded
and charged, and no play of that round is carried out. The same applies to players that fail to load. A `SandboxError`
is an internal error and is passed on, and no record results. The same applies to `RulesFailed`, which says that the
game's own code raised an error: this is the game's fault, never a player's.

In the record the questions of a round come before its plays, in the order in which they were asked.
"""

import json
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from random import Random
from typing import Any, Generic

from sandbox.api import Fault, Log, Reply, Session, Value, Verdict
from sandbox.visible import value_text
from tournament.games.api import Game, IllegalPlay, Request, Result, State
from tournament.play.record import FaultNote, Output, Record

MAX_QUESTIONS = 1000
"""The maximum number of questions in one call. A player that asks more would probably never stop."""

LONGEST_NAME = 100
"""The maximum number of characters in a question's name; no game has a longer one."""

Beat = Callable[[], None]
"""Called whenever a player has answered or asked, as a sign that the game is not hanging."""


class RulesFailed(Exception):
    """A game's own code raised an error; the message says which error, and where."""


class _GamesOwn:  # a generator would take a tenth of a play's time
    """The context in which the game's own code runs: any error in it, except a refusal, becomes RulesFailed."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, IllegalPlay):
            at = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{at.name}, line {at.lineno} of {PurePath(at.filename).name}"
            what = storable(f"{type(error).__name__}: {error}"[:LONGEST_NAME])
            raise RulesFailed(f"the rules of {self.game.name} raised {what}, in {place}") from error


def play(
    game: Game[State], seed: int, labels: Sequence[str], seats: Sequence[Session | Fault], beat: Beat = lambda: None
) -> Record:
    """Play one game to its end. A Fault in place of a session stands for a player that failed to load. Raises
    SandboxError if a jail fails, and RulesFailed if the game's code fails."""
    with _GamesOwn(game):
        match = LiveGame(game, game.deal(Random(seed), len(seats)), seats)
        requests = game.requests(match.state)
    match.faults = [note_fault(seat, fault, 0) for seat, fault in enumerate(seats) if isinstance(fault, Fault)]
    while not match.faults and requests:
        match.play_round(requests, beat)
        with _GamesOwn(game):
            requests = game.requests(match.state)
    with _GamesOwn(game):
        result = conclude(game, match.state, match.faults)
    return Record(
        game=game.name,
        seed=seed,
        seats=list(labels),
        plays=match.recorded(),
        ended=result.ended,
        places=list(result.places),
        points=[float(points) for points in result.points],
        faults=match.faults,
        version=game.version,
        outputs=[Output() if isinstance(seat, Fault) else Output(*seat.output()) for seat in seats],
        times_ms=match.times_ms,
    )


def conclude(game: Game[State], state: State, faults: Sequence[FaultNote]) -> Result:
    """Return the result of a game that has ended against the seats at fault: they share the last place and the fewest
    points."""
    for note in faults:
        game.disqualify(state, note.seat)
    result = game.result(state)
    if len(faults) < 2:
        return result
    charged = {note.seat for note in faults}
    last, fewest = max(result.places), min(result.points)
    places = tuple(last if seat in charged else place for seat, place in enumerate(result.places))
    points = tuple(fewest if seat in charged else number for seat, number in enumerate(result.points))
    return Result(result.ended, places, points)


@dataclass(slots=True)
class LiveGame(Generic[State]):
    """A game that is being played, from its deal or a later moment. `plays` and `faults` contain only later plays and
    faults."""

    game: Game[State]
    state: State
    seats: Sequence[Any]  # the sessions, once a round is played
    plays: list[tuple[int, Any]] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    faults: list[FaultNote] = field(default_factory=list)
    # This round's calls as text, once a question may have changed the state
    calls: dict[int, str] = field(default_factory=dict)

    def play_round(self, requests: Sequence[Request], beat: Beat) -> None:
        """Ask all seats that must answer, wait for all answers, and carry out the plays unless a seat was at fault."""
        self.calls.clear()
        for request in requests:
            self.seats[request.seat].begin(request.function, request.args)
        plays, times = [], []
        for request in requests:
            reply = self._hear(request, requests, beat)
            beat()
            if isinstance(reply, Value):
                plays.append((request, reply.data))
                times.append(reply.cpu_s)
        judged = [(request.seat, self._judge(request, raw)) for request, raw in plays]
        self.faults.sort(key=lambda note: note.seat)
        if not self.faults:
            with _GamesOwn(self.game):
                self.game.apply(self.state, judged)
            for (seat, parsed), cpu_s in zip(judged, times, strict=True):
                self._record(seat, parsed, cpu_s)

    def recorded(self) -> list[tuple[int, Any]]:
        """Return the plays as a record keeps them."""
        return [(seat, data) for seat, data in json.loads(json.dumps(self.plays))]

    def _hear(self, request: Request, requests: Sequence[Request], beat: Beat) -> Value | None:
        """Return the seat's answer; if the seat was at fault, record this and return None."""
        seat, asked = request.seat, 0

        def answer(name: str, args: Sequence[Any]) -> Any:
            nonlocal asked
            beat()
            asked += 1
            if len(name) > LONGEST_NAME:
                raise IllegalPlay("no-questions", "The player asked for something that no game offers.")
            if asked > MAX_QUESTIONS:
                raise IllegalPlay("questions", f"The player asked more than {MAX_QUESTIONS} questions in one call.")
            self.calls = self.calls or {each.seat: call_text(each) for each in requests}
            with _GamesOwn(self.game):
                value = self.game.answer(self.state, seat, name, args)
            self._record(seat, {"ask": name, "args": list(args)}, 0.0)
            return value

        try:
            reply: Reply = self.seats[seat].finish(answer)
        except IllegalPlay as refusal:
            self._refuse(request, refusal, "")
            return None
        if isinstance(reply, Fault):
            self.faults.append(note_fault(seat, reply, len(self.plays), self._call(request)))
            return None
        return reply

    def _judge(self, request: Request, raw: Any) -> Any:
        """Return the parsed play; if the rules refuse it, record this and return None."""
        try:
            with _GamesOwn(self.game):
                return self.game.parse(self.state, request.seat, raw)
        except IllegalPlay as refusal:
            return self._refuse(request, refusal, value_text(raw))

    def _refuse(self, request: Request, refusal: IllegalPlay, got: str) -> None:
        call = self._call(request)
        message = storable(refusal.message)
        note = FaultNote(request.seat, Verdict.ILLEGAL, refusal.rule, message, len(self.plays), call, got)
        self.faults.append(note)

    def _record(self, seat: int, play: Any, cpu_s: float) -> None:
        self.plays.append((seat, play))
        self.times_ms.append(round(cpu_s * 1000, 2))

    def _call(self, request: Request) -> str:
        return self.calls.get(request.seat) or call_text(request)


def note_fault(seat: int, fault: Fault, play_index: int, call: str = "") -> FaultNote:
    """Describe a fault of the player's process in the form kept in the record."""
    message = storable(fault.message)
    return FaultNote(seat, fault.verdict, "", message, play_index, call, traceback=fault.traceback, line=fault.line)


def storable(text: str) -> str:
    """Return the text without NUL characters and lone surrogates, which databases refuse. A player may have written
    part of the text."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def call_text(request: Request) -> str:
    """Return the call as its author would type it."""
    args = [repr(arg.items if isinstance(arg, Log) else arg) for arg in request.args]
    return f"{request.function}({', '.join(args)})"
