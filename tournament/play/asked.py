"""What one seat was asked in a game, and what it answered: from the record and the rules, without any player's code."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tournament.games.api import Game, Questions, Request, State
from tournament.play.record import FaultNote, Record, is_question
from tournament.play.replay import reapply


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a seat got; `frame` is the number of the frame after its play (see `tournament.play.replay`).

    `request` and `state` are the game's living ones, so they are valid only until the next call is looked at. `played`
    says whether `answer` is what the player returned, as far as the rules look at it: nothing is known of it in the
    round of a fault. `fault` is why the seat was disqualified by this call.
    """

    frame: int
    state: Any
    request: Request
    questions: Questions
    played: bool
    answer: Any
    fault: FaultNote | None


def asked(game: Game[State], record: Record, seat: int) -> Iterator[AskedCall]:
    """Every call that the seat got, one after another. Raises ReplayError."""
    for frame, (index, state) in enumerate(reapply(game, record), start=1):
        request = next((each for each in game.requests(state) if each.seat == seat), None)
        if request is None:
            continue
        items = record.plays[index:]
        questions = list(takewhile(lambda item: is_question(item[1]), items))
        plays = [data for who, data in items[len(questions) :] if who == seat]
        answer = game.decode(plays[0]) if plays else None
        fault = None if plays else next((note for note in record.faults if note.seat == seat), None)
        found = _answered(game, state, questions, seat)
        yield AskedCall(frame, state, request, found, bool(plays), answer, fault)


def _answered(game: Game[State], state: State, questions: Sequence[tuple[int, Any]], seat: int) -> Questions:
    """What the seat asked in this round, with the answers; on a copy of the state, which questions may change."""
    if not questions:
        return ()
    copied, found = deepcopy(state), []
    for who, question in questions:
        answer = game.answer(copied, who, question["ask"], question["args"])
        if who == seat:
            found.append((question["ask"], question["args"], answer))
    return found
