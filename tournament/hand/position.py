"""Where a game by hand stands: a function of its record, as in a replay."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sandbox.api import Verdict
from tournament.games.api import Game, State
from tournament.play.record import FaultNote, Record
from tournament.play.referee import conclude
from tournament.play.replay import reapply

PERSON = "Person"
"""The label of the person's seat in records."""

GIVEN_UP = "given up"
"""How a game ended whose person has left it."""


def opening(game: Game[Any], seed: int, seat: int, bots: Sequence[str]) -> Record:
    """The record of a game in which nothing was played yet. A bot that sits there twice has a number."""
    titles = {bot.name: bot.title for bot in game.bots}
    labels: list[str] = []
    for index, name in enumerate(bots):
        same = list(bots[:index]).count(name)
        labels.append(f"{titles[name]} #{same + 1}" if same else titles[name])
    labels.insert(seat, PERSON)
    return Record(game.name, seed, labels, [], "", [], [], version=game.version)


def position(game: Game[State], record: Record) -> State:
    """The state after all that is recorded, questions of an unfinished round included. Raises ReplayError."""
    ((_, state),) = deque(reapply(game, record), maxlen=1)
    return state


def awaits(game: Game[State], state: State, seat: int) -> bool:
    """Whether that seat must answer now."""
    return any(request.seat == seat for request in game.requests(state))


def played(game: Game[Any], record: Record, seat: int, play: Any) -> Record | None:
    """The record after a play, which `parse` has accepted, of a seat that alone must answer; with its result, if the
    game is over. None if others answer at the same time."""
    state = position(game, record)
    if len(game.requests(state)) > 1:
        return None
    game.apply(state, [(seat, play)])
    after = replace(record, plays=[*record.plays, (seat, plain(play))], times_ms=[*record.times_ms, 0.0])
    return after if game.requests(state) else concluded(game, after, state)


def asked(game: Game[Any], record: Record, seat: int, question: str) -> Record:
    """The record after a question of that seat. Raises IllegalPlay."""
    game.answer(position(game, record), seat, question, [])
    item = (seat, {"ask": question, "args": []})
    return replace(record, plays=[*record.plays, item], times_ms=[*record.times_ms, 0.0])


def plain(play: Any) -> Any:
    """A parsed play as a record keeps it."""
    return json.loads(json.dumps(play))


def concluded(game: Game[State], record: Record, state: State) -> Record:
    """The record with the result of its finished game, or of a fault that it has."""
    result = conclude(game, state, record.faults)
    return replace(record, ended=result.ended, places=list(result.places), points=[*map(float, result.points)])


def taken_back(game: Game[Any], record: Record, seat: int) -> Record:
    """The record before the last round in which that seat did something; the same if it did nothing."""
    own = [index for index, (who, _) in enumerate(record.plays) if who == seat]
    if not own:
        return record
    begins = max(index for index, _ in reapply(game, record) if index <= own[-1])
    return replace(record, plays=record.plays[:begins], times_ms=record.times_ms[:begins])


def given_up(game: Game[Any], record: Record, seat: int, why: str) -> Record:
    """The record of the game as the person has left it."""
    note = FaultNote(seat, Verdict.WTLE, "", why, len(record.plays))
    return concluded(game, replace(record, faults=[note]), position(game, record))
