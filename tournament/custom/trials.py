"""Trial games: a student's file against house bots, in every seat, before it may enter. They never count.

A file plays them once in an assignment, however often it is uploaded or graded: the deals and the bots follow from the
assignment and the file. The games end with the first in which the file is at fault. A job of several games goes on
where it was, since each is stored when it is over.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from time import monotonic
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sandbox.api import Limits, Sandbox
from tournament.custom import personal
from tournament.custom.personal import Hold, work_on
from tournament.games import find_game
from tournament.games.api import Game
from tournament.play.contestants import contestant
from tournament.play.local import house_bot, program_of
from tournament.play.record import FaultNote, Record
from tournament.play.seeds import hashed_seed
from tournament.play.table import Contestant, count_games, play_table
from tournament.store import jobs
from tournament.store.database import insert_or_find, storing
from tournament.store.jobs import PENDING, Claim, JobState
from tournament.store.tables import Trial
from tournament.work.backlog import phase_of
from tournament.work.claims import PLAY, ClaimLost, Heartbeat
from tournament.work.services import Services

TURN_S = 2.0
"""So long a file plays its trial games before others have their turn."""

LABEL = "This player"
"""What the file is called in the records, beside the bots: whoever uploaded it."""


@dataclass(frozen=True, slots=True)
class Offence:
    """A trial game in which a file was at fault: its number from 1, its record, the file's seat, and what it did."""

    number: int
    record: Record
    seat: int
    note: FaultNote


def offence_of(trial: Trial) -> Offence | None:
    """In which game the file was at fault, and how."""
    if trial.offence is None:
        return None
    record = Record.unpack(trial.offence)
    seat = record.seats.index(LABEL)
    return Offence(trial.played, record, seat, _note(record, seat) or record.faults[0])


@dataclass(frozen=True, slots=True)
class Seating:
    """Where a trial game is played: the deal, the seat of the file, and the house bots in the others, in order."""

    seed: int
    seat: int
    bots: tuple[str, ...]


def seating(game: Game[Any], assignment_id: int, sha256: str, number: int) -> Seating:
    """The seating of a file's trial game of that number, from 0: each seat in turn. A bot sits at a table twice only if
    the game has too few of them."""
    seed = hashed_seed("quadrille trial", assignment_id, sha256, number)
    seats, names = game.seats[0], [bot.name for bot in game.bots]
    enough = names if len(names) >= seats - 1 else names * (seats - 1)
    return Seating(seed, number % seats, tuple(Random(f"quadrille trial bots {seed}").sample(enough, seats - 1)))


def ask(
    session: Session, assignment_id: int, game: str, player_id: int, games: int, trace: str | None = None
) -> Trial | None:
    """The trial of a file in an assignment, locked; queued now if there was none, and again if we failed at it or the
    file was at fault by rules that have changed. None if the game has no house bots to play against."""
    if not find_game(game).bots:
        return None
    same = (Trial.assignment_id == assignment_id, Trial.player_id == player_id)
    wanted = select(Trial).where(*same).with_for_update(of=Trial).execution_options(populate_existing=True)
    found = session.scalar(wanted)
    if found is None:
        fresh = Trial(assignment_id=assignment_id, player_id=player_id, game=game, games=games, trace=trace)
        found = insert_or_find(session, fresh, lambda: session.scalar(wanted))
    if _outdated(found):
        found.played, found.offence = 0, None
        jobs.queue_last(found)
    elif found.state is JobState.PARKED:
        jobs.queue_last(found)
    return found


def _outdated(trial: Trial) -> bool:
    return trial.offence is not None and Record.unpack(trial.offence).version != find_game(trial.game).version


def trial_of(session: Session, assignment_id: int, player_id: int) -> Trial | None:
    """The trial of a file in an assignment, if it was ever asked for, and not by rules that have changed."""
    same = (Trial.assignment_id == assignment_id, Trial.player_id == player_id)
    found = session.scalar(select(Trial).where(*same))
    return None if found is None or _outdated(found) else found


def before(session: Session, trial: Trial) -> int:
    """How many trials are played before this one."""
    ahead = select(func.count()).where(Trial.state.in_(PENDING), Trial.id != trial.id)
    return session.scalar(ahead.where(Trial.queued_at <= trial.queued_at)) or 0


# Playing


def sweep(services: Services) -> None:
    """Send a message for every trial that is due and has perhaps lost its own, and see to those that are over."""
    personal.sweep(services, [Trial])
    services.settle()


def play_next(services: Services) -> bool:
    """Play trial games of the file that waits longest, for a turn; False if none waits. See
    `tournament.custom.personal`."""
    played = work_on(services, Trial, _play_turn)
    if played:
        services.settle()
    return played


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is needed to play a claimed trial on. `left`: the seatings of the games that are left."""

    game: Game[Any]
    player: Contestant
    left: Sequence[Seating]


def _play_turn(services: Services, hold: Hold) -> None:
    claim = hold.claim
    plan = storing(services.sessions, lambda session: _plan(session, services, claim))
    if plan is None:
        raise ClaimLost
    until = monotonic() + TURN_S
    for place in plan.left:
        table, beat = _table(plan.game, plan.player, place, services.trusted), Heartbeat(services, claim, Trial)
        record = play_table(plan.game, place.seed, table, services.limits, beat)
        state = storing(services.sessions, partial(_store, claim=claim, record=record, seat=place.seat))
        if state is None:
            raise ClaimLost
        count_games(phase_of(Trial), [record])
        if state is JobState.DONE:
            return
        if monotonic() > until:
            storing(services.sessions, lambda session: _give_turn(session, claim))
            services.send(PLAY)
            return


def _plan(session: Session, services: Services, claim: Claim) -> _Plan | None:
    trial: Trial | None = jobs.held(session, Trial, claim)
    if trial is None:
        return None
    game, numbers = find_game(trial.game), range(trial.played, trial.games)
    left = [seating(game, trial.assignment_id, trial.player.sha256, number) for number in numbers]
    return _Plan(game, contestant(services, game.slug, LABEL, trial.player), left)


def _table(game: Game[Any], player: Contestant, place: Seating, trusted: Sandbox) -> list[Contestant]:
    """Who sits at the table. A bot that sits there twice has a number beside its title."""
    titles, table = {bot.name: bot.title for bot in game.bots}, []
    for index, name in enumerate(place.bots):
        same, file = place.bots[:index].count(name), house_bot(game, name)
        label = f"{titles[name]} #{same + 1}" if same else titles[name]
        table.append(Contestant(label, program_of(game, file.source, file.filename), trusted))
    table.insert(place.seat, player)
    return table


def try_file(
    game: Game[Any], source: bytes, games: int, sandbox: Sandbox, trusted: Sandbox
) -> Iterator[Offence | None]:
    """Play the trial games of a file of no assignment, as far as it is at fault in none; how each went. Raises
    SandboxError."""
    player, sha256 = Contestant(LABEL, program_of(game, source), sandbox), hashlib.sha256(source).hexdigest()
    for number in range(games if game.bots else 0):
        place = seating(game, 0, sha256, number)
        record = play_table(game, place.seed, _table(game, player, place, trusted), Limits())
        note = _note(record, place.seat)
        yield Offence(number + 1, record, place.seat, note) if note else None
        if note:
            return


def _store(session: Session, claim: Claim, record: Record, seat: int) -> JobState | None:
    """Store how a game went: the job's state then; None, and nothing is stored, if the claim was lost."""
    trial: Trial | None = jobs.held(session, Trial, claim)
    if trial is None:
        return None
    trial.played += 1
    if _note(record, seat):
        trial.offence = record.pack()
    if trial.offence is not None or trial.played >= trial.games:
        jobs.finish(trial)
    return trial.state


def _note(record: Record, seat: int) -> FaultNote | None:
    return next((note for note in record.faults if note.seat == seat), None)


def _give_turn(session: Session, claim: Claim) -> None:
    trial: Trial | None = jobs.held(session, Trial, claim)
    if trial is not None:
        jobs.queue_last(trial)
