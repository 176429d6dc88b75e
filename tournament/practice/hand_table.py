"""A game that a person plays by hand, without the database. Derives its state from its record, as in a replay; lets the
bots play until it is the person's turn; and asks what the person's own player would have done. No process is kept
between two plays of the person. Instead, each bot is started again and gets the same calls as before, so that it has
the same knowledge."""

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sandbox.api import Answer, Fault, Limits, Program, Reply, Sandbox, Session, Value, Verdict, call
from sandbox.visible import value_text
from tournament.games.api import Game, IllegalPlay, Request, State
from tournament.play.record import FaultNote, Record, is_question, seat_seed
from tournament.play.referee import Beat, LiveGame, conclude, note_fault, storable
from tournament.play.replay import reapply
from tournament.play.table import house_bot, numbered_labels, player_program

PERSON = "Person"
"""The label of the person's seat in records."""

GIVEN_UP = "given up"
"""The value of `Record.ended` for a game that the person has left."""


def opening(game: Game[Any], seed: int, seat: int, bots: Sequence[str]) -> Record:
    """Return the record of a game before the first play. If a bot sits there twice, its second label gets a number."""
    titles = {bot.name: bot.title for bot in game.bots}
    labels = numbered_labels(titles[name] for name in bots)
    labels.insert(seat, PERSON)
    return Record(game.name, seed, labels, [], "", [], [], version=game.version)


def position(game: Game[State], record: Record) -> State:
    """Return the state after all recorded plays, and after the recorded questions of an unfinished round. Raises
    ReplayError."""
    ((_, state),) = deque(reapply(game, record), maxlen=1)
    return state


def awaits(game: Game[State], state: State, seat: int) -> bool:
    """Whether that seat must answer now."""
    return any(request.seat == seat for request in game.requests(state))


def played(game: Game[Any], record: Record, seat: int, play: Any) -> Record | None:
    """Return the record after a parsed play of `seat`, if only this seat must answer; if other seats must answer at the
    same time, return None. If the game is then over, the record contains the result."""
    state = position(game, record)
    if len(game.requests(state)) > 1:
        return None
    game.apply(state, [(seat, play)])
    after = replace(record, plays=[*record.plays, (seat, plain(play))], times_ms=[*record.times_ms, 0.0])
    return after if game.requests(state) else concluded(game, after, state)


def asked(game: Game[Any], record: Record, seat: int, question: str) -> Record:
    """Return the record after a question of that seat. Raises IllegalPlay."""
    game.answer(position(game, record), seat, question, [])
    item = (seat, {"ask": question, "args": []})
    return replace(record, plays=[*record.plays, item], times_ms=[*record.times_ms, 0.0])


def plain(play: Any) -> Any:
    """Return a parsed play in the form in which a record keeps it."""
    return json.loads(json.dumps(play))


def concluded(game: Game[State], record: Record, state: State) -> Record:
    """Return the record with its result; the game is finished, or ended by a fault in the record."""
    result = conclude(game, state, record.faults)
    return replace(record, ended=result.ended, places=list(result.places), points=[*map(float, result.points)])


def taken_back(game: Game[Any], record: Record, seat: int) -> Record:
    """Return the record before the last round in which that seat played or asked; unchanged if there is no such
    round."""
    own = [index for index, (who, _) in enumerate(record.plays) if who == seat]
    if not own:
        return record
    begins = max(index for index, _ in reapply(game, record) if index <= own[-1])
    return replace(record, plays=record.plays[:begins], times_ms=record.times_ms[:begins])


def given_up(game: Game[Any], record: Record, seat: int, why: str) -> Record:
    """Return the record of a game that the person has left."""
    note = FaultNote(seat, Verdict.WTLE, "", why, len(record.plays))
    return concluded(game, replace(record, faults=[note]), position(game, record))


# The bots' part


@dataclass(frozen=True, slots=True)
class HandTable:
    """A game by hand as it is stored: the person's seat, the house bots in the order of the other seats, and the play
    that the person has chosen, as recorded data, if any."""

    record: Record
    seat: int
    bots: Sequence[str]
    move: Sequence[Any] = ()

    def programs(self, game: Game[Any]) -> dict[int, Program]:
        """Return the bots' files by seat."""
        others = [seat for seat in range(len(self.record.seats)) if seat != self.seat]
        files = [house_bot(game, name) for name in self.bots]
        return {
            seat: player_program(game, file.source, file.filename) for seat, file in zip(others, files, strict=True)
        }


@dataclass(slots=True)
class _Person:
    """The person's seat, for the referee: a session that returns the plays that the person has chosen."""

    plays: list[Any] = field(default_factory=list)

    def begin(self, function: str, args: Sequence[Any]) -> None:
        """Do nothing: there is no process to which the call could be sent."""

    def finish(self, answer: Answer | None = None) -> Reply:
        return Value(self.plays.pop(0), 0.0)


def go_on(game: Game[State], table: HandTable, trusted: Sandbox, limits: Limits, beat: Beat = lambda: None) -> Record:
    """Return the record after the person's move and all plays that follow, until it is the person's turn again or the
    game is over. In the latter case, the record contains the result. Raises SandboxError and ReplayError."""
    record, seat = table.record, table.seat
    with seated(table.programs(game), record.seed, trusted, limits) as opened:
        sessions = {each: one for each, one in opened.items() if not isinstance(one, Fault)}
        ((_, state),) = deque(recall(game, record, sessions, beat), maxlen=1)  # the present state
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
    """Start processes of these players, and yield them by seat. They end with the context. Raises SandboxError."""
    with ExitStack() as opened:
        starting = {}
        for seat, program in programs.items():
            starting[seat] = sandbox.start(program, limits.for_games(), seat_seed(seed, seat))
            opened.callback(starting[seat].close)
        yield {seat: each.wait() for seat, each in starting.items()}


@dataclass(frozen=True, slots=True)
class Recalled:
    """A player's answer to a repeated call of an earlier game. `played`: the play at that time, as recorded data;
    `rounds`: the number of rounds that were over."""

    rounds: int
    request: Request
    played: Any
    reply: Reply


def recall(
    game: Game[State], record: Record, sessions: Mapping[int, Session], beat: Beat
) -> Iterator[tuple[Recalled | None, State]]:
    """Go through the game and call the players of these seats whenever their seats were called. Yield each answer with
    the state at that moment, an object that changes later. Finally, yield None and the state at the end. Players'
    questions are answered on a copy, and change nothing. Raises SandboxError, ReplayError, and IllegalPlay for a
    question that the game refuses."""
    for rounds, (index, state) in enumerate(reapply(game, record)):
        played = _next_plays(record, index)
        for request in game.requests(state) if played else ():
            if request.seat in sessions:
                reply = call(sessions[request.seat], request.function, request.args, _aside(game, state, request.seat))
                beat()
                yield Recalled(rounds, request, played[request.seat], reply), state
    yield None, state


def _next_plays(record: Record, index: int) -> dict[int, Any]:
    """Return each seat's play in the round that begins at this index; empty if nothing more was played."""
    found: dict[int, Any] = {}
    for seat, play in record.plays[index:]:
        if seat in found:
            break
        if not is_question(play):
            found[seat] = play
    return found


def _aside(game: Game[State], state: State, seat: int) -> Answer:
    """Return a function that answers the questions of one call, using a copy of the state that is created when first
    needed."""
    copies: list[State] = []

    def answer(name: str, args: Sequence[Any]) -> Any:
        if not copies:
            copies.append(deepcopy(state))
        return game.answer(copies[0], seat, name, args)

    return answer


# The advice of the person's own player


@dataclass(frozen=True, slots=True)
class Advice:
    """What a player would have done at one of the person's moves. `number` is the number of the replay's frame before
    the move, `would` the play in words, `value` what the player returned, and `trouble` why it would have been
    disqualified."""

    number: int
    did: str
    would: str = ""
    value: str = ""
    trouble: str = ""
    same: bool = False


def advise(
    game: Game[Any], table: HandTable, program: Program, sandbox: Sandbox, limits: Limits, beat: Beat
) -> list[dict[str, Any]]:
    """Return the player's answers to all calls of the person's seat, up to a fault. Raises SandboxError,
    ReplayError."""
    found: list[Advice] = []
    with seated({table.seat: program}, table.record.seed, sandbox, limits) as opened:
        player = opened[table.seat]
        if isinstance(player, Fault):
            return [asdict(Advice(0, "", trouble=storable(player.message)))]
        try:
            for asked, state in recall(game, table.record, {table.seat: player}, beat):
                if asked:
                    found.append(_advice(game, state, asked))
                    if isinstance(asked.reply, Fault):
                        break
        except IllegalPlay as refusal:  # the rules refuse a question
            found.append(Advice(found[-1].number + 1 if found else 0, "", trouble=storable(refusal.message)))
    return [asdict(each) for each in found]


def _advice(game: Game[State], state: State, asked: Recalled) -> Advice:
    seat, reply = asked.request.seat, asked.reply
    did = game.describe(seat, game.parse(state, seat, game.decode(asked.played)))
    if isinstance(reply, Fault):
        return Advice(asked.rounds, did, trouble=storable(reply.message))
    value = storable(value_text(reply.data))
    try:
        would = game.describe(seat, game.parse(state, seat, reply.data))
    except IllegalPlay as refusal:
        return Advice(asked.rounds, did, value=value, trouble=storable(refusal.message))
    return Advice(asked.rounds, did, would, value, same=did == would)
